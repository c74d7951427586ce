/**
 * The fields of a guide row: which letter of `flags` gives which key, of which type, from where. The one table behind
 * `/api/eventlookup` and `/api/eventsearch`, their schemas and `/current_event`.
 */
import Type, { type TSchema } from 'typebox';
import type { UnixSeconds } from '../../clock.ts';
import { type Genre, type GuideEvent, genreText, type ParentalRating } from '../../epg/guide.ts';
import { fail } from '../../errors.ts';
import { cleaned } from './text.ts';

/** What a row is made of. `event` is null in a row that only says that a service has no matching event. */
export interface RowSource {
  readonly event: GuideEvent | null;
  /** As the answer shows it. */
  readonly serviceReference: string;
  /** `<n/a>` when unknown. */
  readonly serviceName: string;
  /** The short form of the name that the broadcaster marks in it, else the name. */
  readonly shortName: string;
  /** The clock at the query; null where the answer has none. */
  readonly currentTime: UnixSeconds | null;
}

/** One row of an answer: exactly the keys that were asked for, in the order of the table. */
export type Row = Readonly<Record<string, unknown>>;

interface Field {
  readonly key: string;
  readonly schema: TSchema;
  readonly of: (source: RowSource) => unknown;
}

const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
const text = (description: string) => nullable(Type.String({ description }));
const whole = (description: string, minimum = 0) => nullable(Type.Integer({ minimum, description }));

const fields = {
  I: { key: 'id', schema: whole('event id'), of: ({ event }) => event?.id ?? null },
  B: { key: 'start_time', schema: whole('Unix seconds'), of: ({ event }) => event?.start ?? null },
  D: { key: 'duration', schema: whole('seconds'), of: ({ event }) => event?.duration ?? null },
  T: { key: 'title', schema: text('event name'), of: ({ event }) => event && cleaned(event.title) },
  S: { key: 'shortinfo', schema: text('short event text'), of: ({ event }) => event && cleaned(event.shortText) },
  E: {
    key: 'longinfo',
    schema: text('extended text, items included'),
    of: ({ event }) => event && cleaned(event.extendedText),
  },
  C: {
    key: 'current_time',
    schema: whole('clock of the receiver at the query; null in a search'),
    of: ({ currentTime }) => currentTime,
  },
  R: {
    key: 'service_reference',
    schema: Type.String({ description: 'as given in a look-up, from the service list in a search' }),
    of: ({ serviceReference }) => serviceReference,
  },
  N: {
    key: 'service_name',
    schema: Type.String({ description: '<n/a> when unknown' }),
    of: ({ serviceName }) => cleaned(serviceName),
  },
  n: {
    key: 'shortservice_name',
    schema: Type.String({
      description: 'the part of the name that the broadcaster marks as its short form, else the name',
    }),
    of: ({ shortName }) => cleaned(shortName),
  },
  P: {
    key: 'parental',
    schema: nullable(
      Type.Object(
        {
          rating: Type.Integer({ minimum: 0, maximum: 255, description: 'as sent (EN 300 468 §6.2.28)' }),
          minimum_age: nullable(Type.Integer({ minimum: 4, maximum: 18, description: 'years' })),
          country: Type.String({ description: 'ISO 3166 code, three letters' }),
        },
        { description: 'parental rating, null when none is given' },
      ),
    ),
    of: ({ event }) => parental(event?.parental[0]),
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
    of: ({ event }) => (event === null ? null : event.genres.map(genre)),
  },
} as const satisfies Record<string, Field>;

/** Letters that choose no field: `X` asks for a row where there is no event, `0` is a constant nobody needs. */
const otherLetters: ReadonlySet<string> = new Set(['X', '0']);

/** The flags that stand when none are given. */
export const presetFlags = 'BDEINRST';

/** Every letter, for the documentation. */
export const flagLetters = `${Object.keys(fields).join('')}X0`;

/** Rows by flags: built once for a request, then called for every event. */
export interface RowMapper {
  readonly row: (source: RowSource) => Row;
  /** `X` was asked for: a service without a matching event still gives a row. */
  readonly rowsWithoutEvent: boolean;
}

/**
 * Reads `flags`. Repeated letters are harmless.
 * @throws ReceiverError `invalid-flags` for a letter that is none of the table
 */
export function rowMapper(flags: string): RowMapper {
  const letters = new Set(flags);
  for (const letter of letters) {
    if (!Object.hasOwn(fields, letter) && !otherLetters.has(letter)) throw fail('invalid-flags', letter);
  }
  const chosen: Field[] = Object.entries(fields).flatMap(([letter, field]) => (letters.has(letter) ? [field] : []));
  return {
    row: (source) => Object.fromEntries(chosen.map((field) => [field.key, field.of(source)])),
    rowsWithoutEvent: letters.has('X'),
  };
}

/** A row with any of the fields. */
export const RowSchema = Type.Object(
  Object.fromEntries(Object.values<Field>(fields).map((field) => [field.key, Type.Optional(field.schema)])),
  { $id: 'Event', description: 'A guide row: exactly the keys that `flags` chooses.' },
);

function genre({ level1, level2, user }: Genre): Row {
  return { level1, level2, user, text: genreText(level1, level2) };
}

function parental(rating: ParentalRating | undefined): Row | null {
  if (rating === undefined) return null;
  // 1 to 15 are the minimum age less 3; 0 and 16 to 255 say no age (EN 300 468 table 81).
  const minimumAge = rating.rating >= 1 && rating.rating <= 15 ? rating.rating + 3 : null;
  return { rating: rating.rating, minimum_age: minimumAge, country: rating.country };
}
