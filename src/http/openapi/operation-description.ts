/**
 * Describes an operation of the Enigma2 web interface for the OpenAPI document. Each operation has two formats, XML at
 * `/web/NAME` and JSON at `/api/NAME`, each with GET and POST.
 */
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

/** The body of a failure in each format. */
const simpleFailure = {
  web: { types: [contentTypes.xml], schema: SimpleXml },
  api: { types: [contentTypes.json], schema: Simple, example: failed },
} as const satisfies Record<string, DescribedBody>;

export const simpleFailures: DescribedBody = { ...simpleFailure.api, others: [simpleFailure.web] };

/** The named version of each result schema. If operations share a schema, the first one gives it its name. */
const namedResults = new WeakMap<Type.TSchema, Type.TSchema>([[SimpleResult, Simple]]);

function namedResult({ result, name }: Operation): Type.TSchema {
  if (result === undefined || '$id' in result) return result ?? Simple;
  const known = namedResults.get(result);
  if (known !== undefined) return known;
  const named = { ...result, $id: `${name.replace(/^./, (letter) => letter.toUpperCase()).replace(/\W/g, '')}Result` };
  namedResults.set(result, named);
  return named;
}

const xmlText = (description: string) => Type.String({ description });

/** All routes of an operation and its aliases. */
export function describeOperation(operation: Operation): DescribedRoute[] {
  return namesOf(operation).flatMap((name) =>
    (['web', 'api'] as const).flatMap((family) =>
      (['GET', 'POST'] as const).map((method) => describeFormat(operation, name, family, method)),
    ),
  );
}

function describeFormat(
  operation: Operation,
  name: string,
  family: 'web' | 'api',
  method: 'GET' | 'POST',
): DescribedRoute {
  const { summary, description, deprecated, tag, since, parameters } = operation;
  const notes = [
    description,
    name === operation.name ? undefined : `Alias of ${operation.name}.`,
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
    // A request without a mandatory parameter is answered too: with a result of False and status 200.
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
  const failureNote =
    failures === 'status'
      ? 'an invalid parameter is also reported here, as a simple result of False'
      : 'a failure is also reported here, as a simple result of False';
  const body: DescribedBody = document ?? record;
  // A body with the media type of the simple result cannot have it as an alternative.
  const other = body.types.some((type) => simple.types.includes(type)) ? {} : { others: [simple] };
  return {
    200: { description: `the response; ${failureNote}`, body: { ...body, ...other } },
    ...(changesState !== false && { 403: { description: refusedTo(permission), body: simple } }),
    default: { description: 'the reason as a simple result of False', body: simple },
  };
}
