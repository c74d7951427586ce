/** The common part of the two guide routes: the format of their responses, `flags`, and the row limit. */
import Type, { type TSchema } from 'typebox';
import type { ReceiverError } from '../../errors.ts';
import { flagLetters, presetFlags, RowSchema } from './fields.ts';
import { textWith } from './parameters.ts';

/** Maximum rows of a response, whatever the request: 20,000 rows with long texts are about 20 MB. */
export const maximumRows = 20_000;

/** The effective `max_rows`: 0 and less mean all, up to the maximum. */
export function boundedRows(asked: number | undefined): number {
  return asked === undefined || asked <= 0 ? maximumRows : Math.min(asked, maximumRows);
}

export const flagsParameter = () =>
  textWith(
    'fields of each row, one letter each (see Event); X = also return a row for a service without a matching event',
    {
      default: presetFlags,
      pattern: `^[${flagLetters}]*$`,
    },
  );

/** The response of a guide route, or with `more` keys its error. */
export function eventsSchema(name: string, mangledParameters: TSchema, more: Readonly<Record<string, TSchema>> = {}) {
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

export function errorList(problems: readonly ReceiverError[]): string[] {
  return problems.map((problem) => problem.message);
}
