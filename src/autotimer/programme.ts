/** Tells which showings belong to one programme: by CRIDs (TS 102 323 §12.1) if broadcast, else by their texts. */
import { createHash } from 'node:crypto';
import { appendTo } from '../base/append-to.ts';
import { tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { RuleOrder } from './rule.ts';

export interface Programme {
  readonly title: string;
  /** The short text, or the long one if there is none: the text that a timer stores. */
  readonly description: string;
  /** Digest of the long text; undefined if unknown. */
  readonly digest: string | undefined;
  /** '' for none; may end in `#` and the instance, which all parts of one split showing share. */
  readonly crid: string;
  /** Key of its service. */
  readonly service: number;
  /** Unix seconds of the event. */
  readonly start: number;
  readonly end: number;
  /** A recording; otherwise there is a timer for it. */
  readonly isRecording: boolean;
}

/** Normalised for comparison: case and white space do not count. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Builds a programme from broadcast texts. */
export function programme(given: Programme): Programme {
  const { title, description, crid } = given;
  return { ...given, title: folded(title), description: folded(description), crid: crid.toLowerCase() };
}

export function programmeOf(event: GuideEvent): Programme {
  const { title, shortText, extendedText, service } = event;
  const known = { title, description: shortText || extendedText, digest: undefined, ...timerEvent(event) };
  return {
    ...programme({ ...known, service: tripletKey(service), isRecording: false }),
    // Computed on demand: for most events it is not needed.
    get digest() {
      return digestOf(extendedText);
    },
  };
}

/** Stands in for a long text. */
export const digestOf = (text: string) => createHash('sha1').update(folded(text)).digest('base64url').slice(0, 16);

/** Programmes that are recorded or about to be. */
export class Programmes {
  readonly #byTitle = new Map<string, Programme[]>();
  readonly #byCrid = new Map<string, Programme[]>();

  add(one: Programme): void {
    appendTo(this.#byTitle, one.title, one);
    if (one.crid !== '') appendTo(this.#byCrid, withoutInstance(one.crid), one);
  }

  /** Whether one of them is the same programme, of those that the rule compares with. */
  has(one: Programme, { avoidDuplicates: scope, compare }: Pick<RuleOrder, 'avoidDuplicates' | 'compare'>): boolean {
    const crid = withoutInstance(one.crid);
    const near = [...(this.#byTitle.get(one.title) ?? []), ...((crid && this.#byCrid.get(crid)) || [])];
    // The rest of a showing belongs to what has been recorded of it.
    if (near.some((other) => isOtherPart(one, other))) return false;
    return near.some(
      (other) =>
        (scope === 'recording' || !other.isRecording) &&
        (scope !== 'service' || other.service === one.service) &&
        isSame(one, other, compare),
    );
  }
}

function isSame(a: Programme, b: Programme, compare: RuleOrder['compare']): boolean {
  const crids = sameCrid(a, b);
  if (crids === true) return true;
  if (compare === 'title') return a.title === b.title;
  if (crids === false || a.title !== b.title) return false;
  // Without any text, every episode looks the same: nothing indicates a repeat.
  if (a.description === '' || a.description !== b.description) return false;
  return compare === 'short' || a.digest === undefined || b.digest === undefined || a.digest === b.digest;
}

/** Undefined if the CRIDs are not comparable: they must share an authority, which defaults to the service. */
function sameCrid(a: Programme, b: Programme): boolean | undefined {
  if (a.crid === '' || b.crid === '') return undefined;
  const [left, right] = [authorityOf(a), authorityOf(b)];
  return left === right ? withoutInstance(a.crid) === withoutInstance(b.crid) : undefined;
}

/** The CRID of the programme, without the instance of its showing. */
const withoutInstance = (crid: string) => crid.split('#', 1)[0] ?? crid;

/** Seconds from the end of one part of a split showing to the start of the next (DTT transmission rules, 7.1.7). */
const longestPause = 3 * 3600;

/** Whether two events are parts of one showing that others interrupt: they share the CRID with its instance. */
function isOtherPart(a: Programme, b: Programme): boolean {
  if (a.crid !== b.crid || !a.crid.includes('#') || a.service !== b.service || a.start === b.start) return false;
  const [first, second] = a.start < b.start ? [a, b] : [b, a];
  return second.start <= first.end + longestPause;
}

const authorityOf = ({ crid, service }: Programme) => /^crid:\/\/([^/]*)/.exec(crid)?.[1] ?? service;
