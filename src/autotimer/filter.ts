/**
 * Filters of a rule: regular expressions for the texts of an event. An event must match all filters of the list `include`
 * and none of the list `exclude`.
 */
import * as Type from 'typebox';
import { fail } from '../base/errors.ts';
import type { TimeSlice } from '../base/time-slice.ts';
import type { GuideEvent } from '../epg/event.ts';
import { Pattern } from './pattern.ts';
import { maxPatternLength } from './pattern-syntax.ts';

/**
 * The texts of an event that a filter may name in `where`; the names are those of the plug-in. Filters are stored and
 * applied in this order.
 */
export const filterFields = ['title', 'shortdescription', 'description'] as const;

/** Filters per rule, in `include` and in `exclude` each. */
export const maxFilters = 20;

const FilterSchema = Type.Object(
  {
    where: Type.Unsafe<(typeof filterFields)[number]>({
      type: 'string',
      enum: [...filterFields],
      description:
        'title; shortdescription: the short text, or the long text if there is none; description: the long text',
    }),
    text: Type.String({
      minLength: 1,
      maxLength: maxPatternLength,
      pattern: '^[^\\u0000-\\u001f]+$',
      description: 'a regular expression; case-sensitive unless it begins with (?i)',
    }),
  },
  {
    expected: `a text of the event (${filterFields.join(', ')}) and a regular expression of 1 to ${maxPatternLength} characters without line ends: {"where": "title", "text": "^News"} in JSON, title:^News in a form`,
  },
);
export type Filter = Type.Static<typeof FilterSchema>;

export const filterListSchema = (description: string) =>
  Type.Array(FilterSchema, { maxItems: maxFilters, description });

/** Removes duplicates, and sorts by `filterFields`. */
export function normaliseFilters(filters: readonly Filter[]): Filter[] {
  const seen = new Set<string>();
  const unique = filters.filter(({ where, text }) => {
    const key = `${where} ${text}`;
    return !seen.has(key) && seen.add(key);
  });
  return filterFields.flatMap((field) =>
    unique.filter(({ where }) => where === field).map(({ where, text }) => ({ where, text })),
  );
}

/**
 * Checks that all filters are valid regular expressions.
 * @throws ReceiverError `parameter-invalid` for the parameter `name`
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

/** Compiles the filters of a rule. Returns a function that decides whether an event passes all of them. */
export async function compileFilters(
  { include, exclude }: { readonly include: readonly Filter[]; readonly exclude: readonly Filter[] },
  slice: TimeSlice,
): Promise<(event: GuideEvent, slice: TimeSlice) => Promise<boolean>> {
  const compiled: { readonly where: Filter['where']; readonly pattern: Pattern; readonly isIncluded: boolean }[] = [];
  for (const [filters, isIncluded] of [[exclude, false] as const, [include, true] as const]) {
    for (const { where, text } of filters) {
      if (slice.isOver) await slice.next();
      compiled.push({ where, pattern: new Pattern(text), isIncluded });
    }
  }
  return async (event, slice) => {
    for (const { where, pattern, isIncluded } of compiled) {
      const occurs = pattern.occursIn(textOf(event, where), slice);
      // Awaiting a plain boolean would cost a microtask for each event.
      if ((typeof occurs === 'boolean' ? occurs : await occurs) !== isIncluded) return false;
    }
    return true;
  };
}

function textOf({ title, shortText, extendedText }: GuideEvent, where: Filter['where']): string {
  if (where === 'title') return title;
  return where === 'description' ? extendedText : shortText || extendedText;
}
