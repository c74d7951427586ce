/**
 * Decides which events show the same programme: by their CRIDs (TS 102 323 §12.1) if broadcast, else by season and episode
 * if both name them, else by their texts.
 */
import { createHash } from 'node:crypto';
import { appendTo } from '../base/append-to.ts';
import { tripletKey } from '../dvb/triplet.ts';
import { type EpisodeNumber, episodeOf, titleOf, withoutNumber } from '../epg/episode-number.ts';
import type { GuideEvent } from '../epg/event.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { RuleSpec } from './rule.ts';

export interface Programme {
  readonly title: string;
  /** The short text, or the long one if there is none: the text that a timer stores. */
  readonly description: string;
  /** Digest of the long text; undefined if unknown. */
  readonly digest: string | undefined;
  /** The season and the episode that its texts name. */
  readonly episode: EpisodeNumber;
  /** Empty if there is none. May end in `#` and the instance, which is the same for all parts of a split showing. */
  readonly crid: string;
  /** `tripletKey` of the service. */
  readonly service: number;
  /** Unix seconds at which the event starts and ends. */
  readonly start: number;
  readonly end: number;
  /** True for a recording, false for an event that has a timer or may get one. */
  readonly isRecording: boolean;
}

/** Normalises a text for comparison: case and white space do not count. */
const normaliseText = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Normalises the texts and the CRID for comparison. */
export function normaliseProgramme(given: Programme): Programme {
  const { title, description, crid } = given;
  return {
    ...given,
    title: normaliseText(title),
    description: normaliseText(withoutNumber(description)),
    crid: crid.toLowerCase(),
  };
}

export function programmeOfEvent(event: GuideEvent): Programme {
  const { title, shortText, extendedText, service } = event;
  const texts = { title, description: shortText || extendedText, ...timerEvent(event) };
  const episode = episodeOf({ title, description: shortText, extendedText });
  return {
    ...normaliseProgramme({ ...texts, digest: undefined, episode, service: tripletKey(service), isRecording: false }),
    // Computed on demand, because most events do not need it.
    get digest() {
      return digestOf(extendedText);
    },
  };
}

/** A digest to compare and store instead of a long text: 16 characters. */
export const digestOf = (text: string) =>
  createHash('sha1').update(normaliseText(text)).digest('base64url').slice(0, 16);

/** Programmes that have been recorded or have a timer. */
export class Programmes {
  readonly #byTitle = new Map<string, Programme[]>();
  readonly #byCrid = new Map<string, Programme[]>();

  add(programme: Programme): void {
    appendTo(this.#byTitle, titleOf(programme.title), programme);
    if (programme.crid !== '') appendTo(this.#byCrid, withoutInstance(programme.crid), programme);
  }

  /**
   * Whether the set has the same programme as `wanted`. `avoidDuplicates` says which entries count, `compare` which texts
   * must be equal.
   */
  has(wanted: Programme, { avoidDuplicates: scope, compare }: Pick<RuleSpec, 'avoidDuplicates' | 'compare'>): boolean {
    const crid = withoutInstance(wanted.crid);
    const candidates = [
      ...(this.#byTitle.get(titleOf(wanted.title)) ?? []),
      ...((crid && this.#byCrid.get(crid)) || []),
    ];
    // Another part of the same showing is no repeat: it completes the recording.
    if (candidates.some((other) => isOtherPartOfShowing(wanted, other))) return false;
    return candidates.some(
      (other) =>
        (scope === 'recording' || !other.isRecording) &&
        (scope !== 'service' || other.service === wanted.service) &&
        isSameProgramme(wanted, other, compare),
    );
  }
}

function isSameProgramme(a: Programme, b: Programme, compare: RuleSpec['compare']): boolean {
  const haveSameCrid = compareCrids(a, b);
  if (haveSameCrid === true) return true;
  if (compare === 'title') return a.title === b.title;
  if (haveSameCrid === false) return false;
  const haveSameNumber = compareNumbers(a, b);
  if (haveSameNumber !== undefined) return haveSameNumber && titleOf(a.title) === titleOf(b.title);
  if (a.title !== b.title) return false;
  // Without any text, all episodes look the same, so nothing indicates a repeat.
  if (a.description === '' || a.description !== b.description) return false;
  return compare === 'short' || a.digest === undefined || b.digest === undefined || a.digest === b.digest;
}

/** Whether season and episode are equal. Undefined unless both name both: episodes of each season count from 1. */
function compareNumbers({ episode: a }: Programme, { episode: b }: Programme): boolean | undefined {
  const all = [a.season, a.episode, b.season, b.episode];
  return all.includes(undefined) ? undefined : a.season === b.season && a.episode === b.episode;
}

/**
 * Whether the CRIDs are equal. Undefined if they cannot be compared: one is missing, or they have different authorities.
 * The authority of a CRID without one is the service.
 */
function compareCrids(a: Programme, b: Programme): boolean | undefined {
  if (a.crid === '' || b.crid === '') return undefined;
  const [left, right] = [authorityOf(a), authorityOf(b)];
  return left === right ? withoutInstance(a.crid) === withoutInstance(b.crid) : undefined;
}

/** The CRID of the programme: without `#` and the instance. */
const withoutInstance = (crid: string) => crid.split('#', 1)[0] ?? crid;

/** From the end of one part of a split showing to the start of the next (DTT transmission rules, 7.1.7). */
const maxPauseSeconds = 3 * 3600;

/** Whether two events are parts of one interrupted showing: they have the same CRID with the same instance. */
function isOtherPartOfShowing(a: Programme, b: Programme): boolean {
  if (a.crid !== b.crid || !a.crid.includes('#') || a.service !== b.service || a.start === b.start) return false;
  const [first, second] = a.start < b.start ? [a, b] : [b, a];
  return second.start <= first.end + maxPauseSeconds;
}

const authorityOf = ({ crid, service }: Programme) => /^crid:\/\/([^/]*)/.exec(crid)?.[1] ?? service;
