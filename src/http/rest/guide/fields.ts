/**
 * The fields of a guide row: the key, schema and source for each letter of `flags`. `/api/eventlookup`,
 * `/api/eventsearch` and their schemas use this one table.
 */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { EventField } from '../../../base/native.ts';
import { EventShape } from '../../write/event-shape.ts';
import { Slot } from '../../write/written-list.ts';

/** A row of a response: exactly the requested keys, in the order of the table. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The texts of a service in a row, in this order: its reference (in a look-up, as in the request), its name and its short
 * name, both cleaned.
 */
export const rowTexts = ['reference', 'name', 'shortName'] as const;

export interface Field {
  readonly key: string;
  readonly schema: Type.TSchema;
  /** The value of the event that native code writes for this field (native/epg/responses/event_template.cc). */
  readonly event?: EventField;
  readonly service?: (typeof rowTexts)[number];
}

/** Unlike `nullable`, a union: its form is part of the documents of these two routes. */
const orNull = (schema: Type.TSchema): Type.TSchema => Type.Union([schema, Type.Null()]);
const text = (description: string) => orNull(Type.String({ description }));
const whole = (description: string, minimum = 0) => orNull(Type.Integer({ minimum, description }));

/** The fields by their letter. */
export const fields = {
  I: { key: 'id', schema: whole('event id'), event: 'id' },
  B: { key: 'start_time', schema: whole('Unix seconds'), event: 'start' },
  D: { key: 'duration', schema: whole('seconds'), event: 'duration' },
  T: { key: 'title', schema: text('event name'), event: 'title' },
  S: { key: 'shortinfo', schema: text('short event text'), event: 'shortText' },
  E: {
    key: 'longinfo',
    schema: text('extended text, including its items'),
    event: 'extendedText',
  },
  C: {
    key: 'current_time',
    schema: whole('Unix seconds of the receiver’s clock at the query; null in a search'),
    event: 'now',
  },
  R: {
    key: 'service_reference',
    schema: Type.String({ description: 'in a look-up, as in the request; in a search, from the service list' }),
    service: 'reference',
  },
  N: {
    key: 'service_name',
    schema: Type.String({ description: '`<n/a>` if unknown' }),
    service: 'name',
  },
  n: {
    key: 'shortservice_name',
    schema: Type.String({
      description: 'the part of the name that the broadcaster marks as its short form; the name if there is none',
    }),
    service: 'shortName',
  },
  P: {
    key: 'parental',
    schema: orNull(
      Type.Object(
        {
          rating: Type.Integer({ minimum: 0, maximum: 255, description: 'as broadcast (EN 300 468 §6.2.28)' }),
          minimum_age: orNull(Type.Integer({ minimum: 4, maximum: 18, description: 'years' })),
          country: Type.String({ description: 'ISO 3166 code, three letters; blank if only words are sent' }),
          words: Type.Optional(Type.String({ description: 'content advisory of ATSC, such as TV-14; absent in DVB' })),
        },
        { description: 'parental rating; null if there is none' },
      ),
    ),
    event: 'parental',
  },
  W: {
    key: 'genre',
    schema: orNull(
      Type.Array(
        Type.Object({
          level1: Type.Integer({ minimum: 0, maximum: 15 }),
          level2: Type.Integer({ minimum: 0, maximum: 15 }),
          user: Type.Integer({ minimum: 0, maximum: 255 }),
          text: Type.String({ description: 'English name of the genre' }),
        }),
        { description: 'genres (EN 300 468 §6.2.9)' },
      ),
    ),
    event: 'genres',
  },
  L: {
    key: 'picture',
    schema: text('URL of a picture, from a guide file'),
    event: 'picture',
  },
} as const satisfies Record<string, Field>;

/** Letters that select no field: `X` requests a row even without an event; `0` has no effect. */
const otherLetters: ReadonlySet<string> = new Set(['X', '0']);

export const defaultFlags = 'BDEINRST';

/** All letters, for the schema of `flags`. */
export const flagLetters = `${Object.keys(fields).join('')}X0`;

/** `I id, B start_time, ...` */
export const flagMeanings = Object.entries<Field>(fields)
  .map(([letter, { key }]) => `${letter} ${key}`)
  .join(', ');

/** What a `flags` parameter requests. */
export interface RowForm {
  readonly shape: EventShape<Row>;
  /** `X` was given: a service without a matching event still has a row. */
  readonly rowsWithoutEvent: boolean;
}

/** A cache by flags and `clock`: clients use only a few combinations. */
const forms = new Map<string, RowForm>();
const maxCachedForms = 64;

/**
 * Parses `flags`. Repeated letters have no effect. Without `clock`, `current_time` is null.
 * @throws ReceiverError `invalid-flags` for a letter that is not in the table
 */
export function rowForm(flags: string, { clock }: { readonly clock: boolean }): RowForm {
  const name = `${flags} ${clock}`;
  const known = forms.get(name);
  if (known !== undefined) return known;
  const letters = new Set(flags);
  for (const letter of letters) {
    if (!Object.hasOwn(fields, letter) && !otherLetters.has(letter)) throw fail('invalid-flags', letter, flagLetters);
  }
  const chosen: Field[] = Object.entries(fields).flatMap(([letter, field]) => (letters.has(letter) ? [field] : []));
  const rowsWithoutEvent = letters.has('X');
  const row = recordOf(chosen, (field) => (field === 'now' && !clock ? null : new Slot(field)));
  const emptyRow = recordOf(chosen, (field) => (field === 'now' && clock ? new Slot(field) : null));
  const shape = new EventShape<Row>(row, rowsWithoutEvent ? emptyRow : undefined);
  const form = { shape, rowsWithoutEvent };
  if (forms.size >= maxCachedForms) forms.clear();
  forms.set(name, form);
  return form;
}

function recordOf(chosen: readonly Field[], slotOf: (field: EventField) => Slot | null): Row {
  return Object.fromEntries(
    chosen.map(({ key, event, service }) => [
      key,
      event !== undefined ? slotOf(event) : service !== undefined ? new Slot(rowTexts.indexOf(service)) : null,
    ]),
  );
}

/** A row with all possible fields. */
export const RowSchema = Type.Object(
  Object.fromEntries(Object.values<Field>(fields).map((field) => [field.key, Type.Optional(field.schema)])),
  { $id: 'Event', description: 'A guide row: exactly the keys selected by `flags`.' },
);
