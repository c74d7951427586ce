/**
 * Reads the parameters of the REST routes: path segments, query parameters and fields of a body. They have the same type
 * as those of the operations (../middleware/parameters.ts). Of a repeated parameter, the first value counts, unless the
 * parameter takes all values.
 */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../base/errors.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { FormBody } from '../middleware/bodies.ts';
import { Parameter, type Parameters, type ParameterValues, type Range } from '../middleware/parameters.ts';
import type { QueryLists } from '../middleware/query.ts';
import type { DescribedParameter } from '../openapi/document.ts';
import { exampleService } from './event-record.ts';

/** All parameters of a route. */
export interface RouteParameters {
  readonly path: Parameters;
  readonly query: Parameters;
  /** Fields of a body (a form, a multipart form, a JSON object) or of the query, which takes precedence. */
  readonly fields: Parameters;
}

/** The values that the handler of a route gets: one for each parameter. */
export type RouteValues<P extends Parameters, Q extends Parameters, F extends Parameters> = ParameterValues<P> &
  ParameterValues<Q> &
  ParameterValues<F>;

/**
 * Reads the parameters of a request: those of the path (percent-decoded), then those of the query and the body.
 * @throws ReceiverError the error of a parameter, or `parameter-invalid` for an object in a list that takes only texts
 */
export function readRouteParameters(
  { path, query, fields }: RouteParameters,
  segments: Readonly<Record<string, string>>,
  given: QueryLists,
  body?: FormBody,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(path)) values[name] = parameter.from(segments[name], name);
  for (const [name, parameter] of Object.entries({ ...query, ...fields })) {
    const all = given.get(name);
    const isInBody = all === undefined && body !== undefined && name in fields;
    values[name] = isInBody ? fromBody(parameter, name, body) : parameter.from(all?.[0], name, all);
  }
  return values;
}

function fromBody<T>(parameter: Parameter<T>, name: string, { parameters, lists, objects }: FormBody): T {
  const withObjects = objects.get(name);
  if (withObjects && parameter.takes === 'texts')
    throw fail('parameter-invalid', name, 'contains an object but takes only texts');
  return parameter.from(parameters.get(name), name, withObjects ?? lists.get(name));
}

/** Describes parameters for the OpenAPI document. Each alias is a parameter of its own. */
export function describeParameters(place: DescribedParameter['in'], parameters: Parameters): DescribedParameter[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const { description, mandatory, aliases, deprecated } = parameter;
    const { items } = parameter.schema as { readonly items?: Type.TSchema };
    const common = {
      in: place,
      repeated: items !== undefined,
      schema: items ?? parameter.schema,
      ...(deprecated !== undefined && { deprecated: true }),
    };
    const note = deprecated === undefined ? '' : ` Deprecated: ${deprecated}.`;
    return [
      { ...common, name, description: `${description}${note}`, required: mandatory },
      ...aliases.map((alias) => ({ ...common, name: alias, description: `alias of \`${name}\``, required: false })),
    ];
  });
}

/** A parameter that is a segment of the path. An empty segment (`/services//tv`) is rejected with `bad-path`. */
function segment<Value>(
  description: string,
  schema: Type.TSchema,
  read: (text: string, name: string) => Value,
): Parameter<Value> {
  const readSegment = (given: string | undefined, name: string): Value => {
    if (given === undefined || given === '') throw fail('bad-path', `with an empty ${name}`);
    return read(given, name);
  };
  return new Parameter(description, schema, readSegment, { mandatory: true });
}

/** A segment as text. For a route whose path ends in `{name*}`, the rest of the path with its slashes. */
export const segmentText = (description: string, example: string): Parameter<string> =>
  segment(description, Type.String({ examples: [example] }), (text) => text);

/**
 * A segment that is a service reference: percent-encoded, or its ten numbers separated by `:`, `_` or `-`. Anything else is
 * rejected with `invalid-reference`. `advice` ends the message.
 */
export const segmentReference = (advice = ''): Parameter<ServiceReference> =>
  segment(
    'service reference, percent-encoded or as ten numbers separated by ":", "_" or "-"',
    Type.String({ examples: [exampleService.service_reference] }),
    (text) => {
      try {
        return ServiceReference.parsePathSegment(text);
      } catch (error) {
        throw advice === '' ? error : new ReceiverError('invalid-reference', `${(error as Error).message}; ${advice}`);
      }
    },
  );

/** Numbers of up to 15 digits. */
const ids: Range = { minimum: 0, maximum: 999_999_999_999_999 };

/** A segment that is a whole number. Anything else is rejected with `bad-path`. */
export function segmentInteger(description: string, example = 1): Parameter<number> {
  return segment(description, Type.Integer({ ...ids, examples: [example] }), (text, name) => {
    const value = /^\d+$/.test(text) ? Number(text) : -1;
    if (value < ids.minimum || value > ids.maximum)
      throw fail('bad-path', `with '${text}' in place of ${name}, a number from ${ids.minimum} to ${ids.maximum},`);
    return value;
  });
}
