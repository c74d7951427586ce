/** Which showings are of one programme: by their CRIDs (TS 102 323 §12.1) where the broadcast has them, else by their texts. */
import { createHash } from 'node:crypto';
import { tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import { timerEvent } from '../timers/timer-event.ts';
import type { comparedTexts } from './rule.ts';

export interface Programme {
  readonly title: string;
  /** The short text, or the long one where there is none: what a timer keeps of both. */
  readonly description: string;
  /** Of the long text; undefined when it is not known. */
  readonly digest: string | undefined;
  /** '' for none. */
  readonly crid: string;
  /** Key of its service. */
  readonly service: number;
}

/** As they are compared: case and blanks do not count. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** A programme of texts as they were broadcast. */
export function programme(given: Programme): Programme {
  const { title, description, crid } = given;
  return { ...given, title: folded(title), description: folded(description), crid: crid.toLowerCase() };
}

export function programmeOf(event: GuideEvent): Programme {
  const { title, shortText, extendedText, service } = event;
  const known = { title, description: shortText || extendedText, digest: undefined, crid: timerEvent(event).crid };
  return {
    ...programme({ ...known, service: tripletKey(service) }),
    // Of most events nobody asks for it.
    get digest() {
      return digestOf(extendedText);
    },
  };
}

/** Of a long text, to be kept in its place. */
export const digestOf = (text: string) => createHash('sha1').update(folded(text)).digest('base64url').slice(0, 16);

/** Programmes that are recorded, or going to be. */
export class Programmes {
  readonly #byTitle = new Map<string, Programme[]>();
  readonly #byCrid = new Map<string, Programme[]>();

  add(one: Programme): void {
    put(this.#byTitle, one.title, one);
    if (one.crid !== '') put(this.#byCrid, one.crid, one);
  }

  /** Whether one of them is this programme too. */
  has(one: Programme, compare: (typeof comparedTexts)[number], { sameService }: { sameService: boolean }): boolean {
    const near = [...(this.#byTitle.get(one.title) ?? []), ...((one.crid && this.#byCrid.get(one.crid)) || [])];
    return near.some((other) => (!sameService || other.service === one.service) && isSame(one, other, compare));
  }
}

function put(map: Map<string, Programme[]>, key: string, one: Programme): void {
  const there = map.get(key);
  if (there) there.push(one);
  else map.set(key, [one]);
}

function isSame(a: Programme, b: Programme, compare: (typeof comparedTexts)[number]): boolean {
  const crids = sameCrid(a, b);
  if (crids === true) return true;
  if (compare === 'title') return a.title === b.title;
  if (crids === false || a.title !== b.title) return false;
  // Without any text every episode looks like the others: nothing says that it is a repeat.
  if (a.description === '' || a.description !== b.description) return false;
  return compare === 'short' || a.digest === undefined || b.digest === undefined || a.digest === b.digest;
}

/** Undefined where the CRIDs say nothing: they compare within one authority, which is that of the service where it is not named. */
function sameCrid(a: Programme, b: Programme): boolean | undefined {
  if (a.crid === '' || b.crid === '') return undefined;
  const [left, right] = [authorityOf(a), authorityOf(b)];
  return left === right ? a.crid === b.crid : undefined;
}

const authorityOf = ({ crid, service }: Programme) => /^crid:\/\/([^/]*)/.exec(crid)?.[1] ?? service;
