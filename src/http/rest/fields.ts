/**
 * The fields of a guide row: the key, type and source for each letter of `flags`. This one table serves
 * `/api/eventlookup`, `/api/eventsearch` and their schemas.
 */
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import type { EventField } from '../../base/native.ts';
import { EventShape } from '../write/event-shape.ts';
import { Slot } from '../write/written-list.ts';

/** One row of a response: exactly the requested keys, in the order of the table. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The texts of a service in rows, in this order: its reference (as given, in a look-up), its name and its short name, both cleaned.
 */
export const rowTexts = ['reference', 'name', 'shortName'] as const;

interface Field {
  readonly key: string;
  readonly schema: Type.TSchema;
  /** The value that native code writes here (native/epg/answers/event_form.cc). */
  readonly event?: EventField;
  readonly service?: (typeof rowTexts)[number];
}

const nullable = (schema: Type.TSchema): Type.TSchema => Type.Union([schema, Type.Null()]);
const text = (description: string) => nullable(Type.String({ description }));
const whole = (description: string, minimum = 0) => nullable(Type.Integer({ minimum, description }));

const fields = {
  I: { key: 'id', schema: whole('event id'), event: 'id' },
  B: { key: 'start_time', schema: whole('Unix seconds'), event: 'start' },
  D: { key: 'duration', schema: whole('seconds'), event: 'duration' },
  T: { key: 'title', schema: text('event name'), event: 'title' },
  S: { key: 'shortinfo', schema: text('short event text'), event: 'shortText' },
  E: {
    key: 'longinfo',
    schema: text('extended text, items included'),
    event: 'extendedText',
  },
  C: {
    key: 'current_time',
    schema: whole('the receiver’s clock at the time of the query; null in a search'),
    event: 'now',
  },
  R: {
    key: 'service_reference',
    schema: Type.String({ description: 'in a look-up as given; in a search from the service list' }),
    service: 'reference',
  },
  N: {
    key: 'service_name',
    schema: Type.String({ description: '<n/a> if unknown' }),
    service: 'name',
  },
  n: {
    key: 'shortservice_name',
    schema: Type.String({
      description: 'the part of the name that the broadcaster marks as its short form, otherwise the name',
    }),
    service: 'shortName',
  },
  P: {
    key: 'parental',
    schema: nullable(
      Type.Object(
        {
          rating: Type.Integer({ minimum: 0, maximum: 255, description: 'as broadcast (EN 300 468 §6.2.28)' }),
          minimum_age: nullable(Type.Integer({ minimum: 4, maximum: 18, description: 'years' })),
          country: Type.String({ description: 'ISO 3166 code, three letters' }),
        },
        { description: 'parental rating; null if there is none' },
      ),
    ),
    event: 'parental',
  },
  W: {
    key: 'genre',
    schema: nullable(
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
    schema: text('address of a picture on the web, from a guide file'),
    event: 'picture',
  },
} as const satisfies Record<string, Field>;

/** Letters that select no field: `X` requests a row even without an event, `0` is an unused constant. */
const otherLetters: ReadonlySet<string> = new Set(['X', '0']);

/** The flags used if none are given. */
export const presetFlags = 'BDEINRST';

/** Every letter, for the documentation. */
export const flagLetters = `${Object.keys(fields).join('')}X0`;

/** The result of parsing `flags`. */
export interface RowForm {
  readonly shape: EventShape<Row>;
  /** `X` was given: a service without a matching event still has a row. */
  readonly rowsWithoutEvent: boolean;
}

/** Cached by letters and clock. Clients use only a few combinations. */
const forms = new Map<string, RowForm>();
const maximumForms = 64;

/**
 * Parses `flags`. Repeated letters are harmless. Without `clock`, `current_time` is null.
 * @throws ReceiverError `invalid-flags` for a letter that is not in the table
 */
export function rowForm(flags: string, { clock }: { readonly clock: boolean }): RowForm {
  const name = `${flags} ${clock}`;
  const known = forms.get(name);
  if (known !== undefined) return known;
  const letters = new Set(flags);
  for (const letter of letters) {
    if (!Object.hasOwn(fields, letter) && !otherLetters.has(letter)) throw fail('invalid-flags', letter);
  }
  const chosen: Field[] = Object.entries(fields).flatMap(([letter, field]) => (letters.has(letter) ? [field] : []));
  const rowsWithoutEvent = letters.has('X');
  const row = recordOf(chosen, (field) => (field === 'now' && !clock ? null : new Slot(field)));
  const none = recordOf(chosen, (field) => (field === 'now' && clock ? new Slot(field) : null));
  const shape = new EventShape<Row>(row, rowsWithoutEvent ? none : undefined);
  const form = { shape, rowsWithoutEvent };
  if (forms.size >= maximumForms) forms.clear();
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
