/** What `/api/eventlookup` and `/api/eventsearch` share: common parameters and the format of responses. */
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import { type RouteDefinition, type RouteDraft, route } from '../../endpoint/route.ts';
import { DetailedError } from '../../middleware/failures.ts';
import { asInteger, type IntegerOptions, integer, Parameter, type Parameters } from '../../middleware/parameters.ts';
import { parseQueryLists, type QueryLists, queryText } from '../../middleware/query.ts';
import { defaultFlags, flagLetters, flagMeanings, type RowForm, RowSchema, rowForm } from './fields.ts';

/** Rows per response: 20,000 rows with long texts are about 20 MB. */
const maxRows = 20_000;

/** A whole number. Anything but a number counts as absent: clients of these routes rely on that. */
export const guideNumber = (description: string, bounds: IntegerOptions) =>
  integer(description, { ...bounds, wrong: { text: 'absent', number: 'refused' } });

/** `max_rows`. 0 in a request means `maxRows`. */
export function rowLimit(description: string, defaultRows: number): Parameter<number> {
  const bounds = { minimum: 0, maximum: maxRows };
  const rows = guideNumber(`${description}; 0 = ${maxRows}`, bounds).or(defaultRows);
  return new Parameter(rows.description, rows.schema, (given, name) => rows.from(given, name) || maxRows);
}

/** `flags`. Without `clock`, `current_time` is null. */
export function rowFields(options: { readonly clock: boolean }): Parameter<RowForm> {
  return new Parameter(
    `the fields of each row, one letter per field: ${flagMeanings}. X = also return a row for a service without a matching event`,
    Type.String({ default: defaultFlags, pattern: `^[${flagLetters}]*$` }),
    (given) => rowForm(given || defaultFlags, options),
  );
}

/** The first value of a parameter; null if absent. */
export function firstText(given: QueryLists, name: string): string | null {
  return given.get(name)?.[0] ?? null;
}

/** The first value of a parameter as a number; null if absent or not a number. Finite, because JSON has no infinity. */
export function firstNumber(given: QueryLists, name: string): number | null {
  const value = asInteger(given.get(name)?.[0]);
  return value === undefined ? null : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** The parameters in the URL of a request. */
export const queryListsOf = ({ url }: Pick<FastifyRequest, 'url'>): QueryLists => parseQueryLists(queryText(url));

/**
 * A guide route. Its error responses have the fields of its successful ones. `understood` returns the parameters as the
 * route has parsed them, for `mangled_parameters`.
 */
export function guideRoute<P extends Parameters>(
  understood: (given: QueryLists) => object,
  definition: RouteDefinition<P>,
): RouteDraft {
  const plain = route(definition);
  return {
    ...plain,
    async answer(parts, request) {
      try {
        return await plain.answer(parts, request);
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        const mangled_parameters = understood(queryListsOf(request));
        throw new DetailedError(error, { keys: { errors: [error.message], len: 0, events: [], mangled_parameters } });
      }
    },
  };
}

/** The schema of the response of a guide route, or of its error response, which has `more` fields. */
export function eventsSchema(
  name: string,
  mangledParameters: Type.TSchema,
  more: Readonly<Record<string, Type.TSchema>> = {},
) {
  return Type.Object(
    {
      errors: Type.Array(Type.String(), { description: 'what is wrong with the request' }),
      result: Type.Boolean(),
      len: Type.Integer({ minimum: 0, description: 'number of rows' }),
      mangled_parameters: mangledParameters,
      events: Type.Array(RowSchema),
      ...more,
    },
    { $id: name },
  );
}
