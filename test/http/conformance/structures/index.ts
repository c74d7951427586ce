/**
 * The responses of all operations according to the interface, written by hand and independent of the definitions and
 * their examples: a compact table of element names in order, of keys, and of the formats of values. `../structure.ts`
 * compares responses with it.
 *
 * `*` after a name: any number; `+`: one or more; `?`: optional. `@name` is an attribute, `#` the text of an element
 * with attributes. A value is one of the forms of `forms`, or one of several separated by `|`.
 */
import type { Structure } from '../structure.ts';
import { device } from './device.ts';
import { guide } from './guide.ts';
import { recordings } from './recordings.ts';
import { services } from './services.ts';
import { timers } from './timers.ts';

/** By operation. */
export const structures: Readonly<Record<string, Structure>> = {
  ...device,
  ...services,
  ...guide,
  ...timers,
  ...recordings,
};
