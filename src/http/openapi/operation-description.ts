/** The entry of an operation of the Enigma2 web interface in the OpenAPI document: two faces, each by GET and POST. */
import * as Type from 'typebox';
import { namesOf, type Operation, SimpleResult, simpleResult, textOf } from '../endpoint/operation.ts';
import { contentTypes } from '../middleware/failures.ts';
import { refusedTo } from '../middleware/sites.ts';
import { describeParameters } from '../rest/parameters.ts';
import { xmlDocument } from '../write/xml.ts';
import type { DescribedBody, DescribedResponse, DescribedRoute, JsonValue } from './document.ts';

const failed = { result: false, message: 'no service 1:0:1:1:1:1:0:0:0:0:', error: 'service-not-found' } as const;

const Simple: Type.TSchema = {
  ...SimpleResult,
  $id: 'SimpleResult',
  description: 'success, and a human-readable text',
  examples: [{ result: true, message: 'Volume set to 55' }, failed],
};

const SimpleXml = Type.String({
  $id: 'SimpleXml',
  description: 'e2simplexmlresult with e2state False and e2statetext',
  examples: [textOf(xmlDocument(simpleResult, failed))],
});

/** A failure on either face. */
const simpleFailure = {
  web: { types: [contentTypes.xml], schema: SimpleXml },
  api: { types: [contentTypes.json], schema: Simple, example: failed },
} as const satisfies Record<string, DescribedBody>;

export const simpleFailures: DescribedBody = { ...simpleFailure.api, others: [simpleFailure.web] };

/** Result schemas, named after the first operation described with them; some operations share one. */
const results = new WeakMap<Type.TSchema, Type.TSchema>([[SimpleResult, Simple]]);

function namedResult({ result, name }: Operation): Type.TSchema {
  if (result === undefined || '$id' in result) return result ?? Simple;
  const known = results.get(result);
  if (known !== undefined) return known;
  const named = { ...result, $id: `${name.replace(/^./, (letter) => letter.toUpperCase()).replace(/\W/g, '')}Result` };
  results.set(result, named);
  return named;
}

const xmlText = (description: string) => Type.String({ description });

/** Every route of the operation, including its aliases. */
export function describeOperation(operation: Operation): DescribedRoute[] {
  return namesOf(operation).flatMap((name) =>
    (['web', 'api'] as const).flatMap((family) =>
      (['GET', 'POST'] as const).map((method) => describeFace(operation, name, family, method)),
    ),
  );
}

function describeFace(
  operation: Operation,
  name: string,
  family: 'web' | 'api',
  method: 'GET' | 'POST',
): DescribedRoute {
  const { summary, description, deprecated, tag, since, parameters } = operation;
  const notes = [
    description,
    name === operation.name ? undefined : `The same as ${operation.name}.`,
    deprecated && `Deprecated: ${deprecated}.`,
    `Since ${since}.`,
  ];
  return {
    method,
    path: `/${family}/${name}`,
    operationId: `${family}_${name.replaceAll('.', '_')}${method === 'POST' ? '_post' : ''}`,
    tag,
    summary,
    description: notes.filter(Boolean).join(' '),
    ...(deprecated && { deprecated: true }),
    permission: operation.changesState === true ? operation.permission : 'view',
    ...(Array.isArray(operation.changesState) && {
      permissionWith: Object.fromEntries(operation.changesState.map((one: string) => [one, operation.permission])),
    }),
    // Clients may omit even a mandatory parameter: the response is then a False result with status 200.
    parameters: describeParameters(method === 'POST' ? 'form' : 'query', parameters),
    responses: responses(operation, family),
  };
}

function responses(operation: Operation, family: 'web' | 'api'): Record<string, DescribedResponse> {
  const simple: DescribedBody = simpleFailure[family];
  const { mediaTypes, failures, changesState, permission, webType, example } = operation;
  const text = example === '' ? {} : { example: operation.webExample() };
  const document = mediaTypes && { types: mediaTypes, schema: Type.String(), ...text };
  const record =
    family === 'web'
      ? { types: [webType ?? contentTypes.xml], schema: xmlText('the record in the form used here'), ...text }
      : { types: [contentTypes.json], schema: namedResult(operation), example: example as JsonValue };
  const told =
    failures === 'status'
      ? 'an invalid parameter is also reported here, as a simple result of False'
      : 'a failure is also reported here, as a simple result of False';
  const body: DescribedBody = document ?? record;
  // If the response has the same media type, its schema is already listed.
  const other = body.types.some((type) => simple.types.includes(type)) ? {} : { others: [simple] };
  return {
    200: { description: `the response; ${told}`, body: { ...body, ...other } },
    ...(changesState !== false && { 403: { description: refusedTo(permission), body: simple } }),
    default: { description: 'the reason as a simple result of False', body: simple },
  };
}
