/** Filters of a rule: patterns for the texts of an event. All must be found (`include`), or none (`exclude`). */
import * as Type from 'typebox';
import { fail } from '../base/errors.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import type { GuideEvent } from '../epg/event.ts';
import { Pattern } from './pattern.ts';
import { longestPattern } from './pattern-syntax.ts';

/** The texts of an event, in the words of the plug-in; in the order in which filters are stored and applied. */
export const filterPlaces = ['title', 'shortdescription', 'description'] as const;

/** Maximum filters of one kind per rule. */
export const maximumFilters = 20;

const FilterSchema = Type.Object({
  where: Type.Unsafe<(typeof filterPlaces)[number]>({
    type: 'string',
    enum: [...filterPlaces],
    description:
      'title; shortdescription: the short text, or the long text if there is none; description: the long text',
  }),
  text: Type.String({
    minLength: 1,
    maxLength: longestPattern,
    pattern: '^[^\\u0000-\\u001f]+$',
    description: 'a regular expression; case-sensitive unless it begins with (?i)',
  }),
});
export type Filter = Type.Static<typeof FilterSchema>;

export const filterList = (description: string) => Type.Array(FilterSchema, { maxItems: maximumFilters, description });

/** Without duplicates, in the order of the places. */
export function orderedFilters(filters: readonly Filter[]): Filter[] {
  const known = new Set<string>();
  const once = filters.filter(({ where, text }) => {
    const key = `${where} ${text}`;
    return !known.has(key) && known.add(key);
  });
  return filterPlaces.flatMap((place) =>
    once.filter(({ where }) => where === place).map(({ where, text }) => ({ where, text })),
  );
}

/**
 * Checks filters in turns.
 * @throws ReceiverError `parameter-invalid`, with `name`, for an invalid regular expression
 */
export async function checkFilters(filters: readonly Filter[], name: string, slice: TimeSlice): Promise<void> {
  for (const { text } of filters) {
    if (slice.isOver) await slice.next();
    try {
      new Pattern(text);
    } catch (error) {
      throw fail('parameter-invalid', name, `contains '${text}': ${(error as Error).message}`);
    }
  }
}

/** Compiles the filters of a rule, in turns. Returns a function that tells whether an event passes all of them. */
export async function compiledFilters(
  { include, exclude }: { readonly include: readonly Filter[]; readonly exclude: readonly Filter[] },
  slice: TimeSlice,
): Promise<(event: GuideEvent, slice: TimeSlice) => Promise<boolean>> {
  const wanted: { readonly where: Filter['where']; readonly pattern: Pattern; readonly isIncluded: boolean }[] = [];
  for (const [filters, isIncluded] of [[exclude, false] as const, [include, true] as const]) {
    for (const { where, text } of filters) {
      if (slice.isOver) await slice.next();
      wanted.push({ where, pattern: new Pattern(text), isIncluded });
    }
  }
  return async (event, slice) => {
    for (const { where, pattern, isIncluded } of wanted) {
      const answer = pattern.isIn(textOf(event, where), slice);
      if ((typeof answer === 'boolean' ? answer : await answer) !== isIncluded) return false;
    }
    return true;
  };
}

function textOf({ title, shortText, extendedText }: GuideEvent, where: Filter['where']): string {
  if (where === 'title') return title;
  return where === 'description' ? extendedText : shortText || extendedText;
}
