/**
 * What every operation answers, as the interface has it, written down by hand beside the definitions and apart from their examples:
 * a compact table of element names in their order, of keys, and of how values are written. `../structure.ts` compares answers with it.
 *
 * `*` after a name: any number; `+`: one or more; `?`: may be absent. `@name` is an attribute, `#` the text of an element that has
 * attributes. A value is one of the forms of `forms`, or one of several with `|` between.
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
