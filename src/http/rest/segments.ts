/** The kinds of parameters that are segments of a path. All other kinds are in ../middleware/parameters.ts. */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../base/errors.ts';
import { ServiceReference } from '../../services/reference.ts';
import { Parameter, type Range } from '../middleware/parameters.ts';
import { exampleService } from './event-record.ts';

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
