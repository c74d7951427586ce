/** The common part of the two guide routes: the format of their responses, and the parameters of both. */
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { ReceiverError } from '../../base/errors.ts';
import { asWhole, Parameter, type Parameters, type Range, whole } from '../middleware/parameters.ts';
import { parseQueryLists, type QueryLists, queryText } from '../middleware/query.ts';
import { flagLetters, presetFlags, type RowForm, RowSchema, rowForm } from './fields.ts';
import { type None, Refusal, type Route, type RouteDefinition, route } from './route.ts';

/** Maximum rows of a response, whatever the request: 20,000 rows with long texts are about 20 MB. */
const maximumRows = 20_000;

/** A number. Anything but a number counts as absent, which clients of these routes rely on. */
export const guideNumber = (description: string, bounds: Range) => whole(description, bounds, 'absent');

/** `max_rows`: 0 in the request is the maximum here. */
export function rowLimit(description: string, preset: number): Parameter<number> {
  const bounds = { minimum: 0, maximum: maximumRows };
  const rows = guideNumber(`${description}; 0 = the upper limit`, bounds).or(preset);
  return new Parameter(rows.description, rows.schema, (given, name) => rows.from(given, name) || maximumRows);
}

/** `flags`. Without `clock`, `current_time` is null. */
export function rowFields(options: { readonly clock: boolean }): Parameter<RowForm> {
  return new Parameter(
    'fields of each row, one letter each (see Event); X = also return a row for a service without a matching event',
    Type.String({ default: presetFlags, pattern: `^[${flagLetters}]*$` }),
    (given) => rowForm(given || presetFlags, options),
  );
}

/** The first value given under a name; null if there is none. */
export function firstText(given: QueryLists, name: string): string | null {
  return given.get(name)?.[0] ?? null;
}

/** The number given under a name; null if there is none. JSON has no infinite ones. */
export function firstNumber(given: QueryLists, name: string): number | null {
  const value = asWhole(given.get(name)?.[0]);
  return value === undefined ? null : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** The parameters of a request. */
export const givenTo = ({ url }: Pick<FastifyRequest, 'url'>): QueryLists => parseQueryLists(queryText(url));

/** A guide route. Its refusals have the form of its answers, with the parameters as `understood`. */
export function guideRoute<Q extends Parameters>(
  understood: (given: QueryLists) => object,
  definition: RouteDefinition<None, Q, None>,
): Route {
  const plain = route(definition);
  return {
    ...plain,
    async answer(parts, request) {
      try {
        return await plain.answer(parts, request);
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        const mangled_parameters = understood(givenTo(request));
        throw new Refusal(error, { errors: [error.message], len: 0, events: [], mangled_parameters });
      }
    },
  };
}

/** The response of a guide route, or with `more` keys its error. */
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
