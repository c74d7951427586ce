/** The routes that serve the OpenAPI documents, which describe the operations, the REST routes and these routes. */
import * as Type from 'typebox';
import { sessionCookies } from '../../access/access-control.ts';
import { once } from '../../base/once.ts';
import type { DescribedRoute, JsonObject } from '../endpoint/described-route.ts';
import { group } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { type Route, type RouteDraft, route } from '../endpoint/route.ts';
import { contentTypes } from '../middleware/failures.ts';
import { isOpen } from '../middleware/login.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { recordSchema, sampled } from '../write/record.ts';
import { type DocumentHead, openapi2, openapi31 } from './document.ts';
import { describeOperation, describeRoute, simpleFailures } from './endpoint-description.ts';
import { plainRoutes } from './plain-routes.ts';

/** Creates the routes. Each document is built on the first request for it, and then kept. */
export function documentRoutes(
  routes: readonly Route[],
  operations: readonly Operation[],
  parts: ReceiverParts,
): readonly Route[] {
  const described = once((): readonly DescribedRoute[] => [
    ...[...routes, ...documents].map(describeRoute),
    ...operations.flatMap(describeOperation),
    ...plainRoutes,
  ]);
  const version = () => parts.device.identity.version;
  const written2 = once(() => toBuffer(openapi2(documentHead(version()), described())));
  const written31 = once(() => toBuffer(openapi31(documentHead(version()), described())));
  const documents: readonly Route[] = group('system', [
    document('/api', 'openapi2', '2.0', written2),
    document('/api/index', 'openapi2Index', '2.0', written2),
    document('/api/openapi.json', 'openapi31', '3.1.0', written31),
  ]);
  return documents;
}

function documentHead(version: string): DocumentHead {
  return {
    title: 'receiverd',
    version,
    description:
      'A digital-TV receiver over HTTP: guide, services, playback and the Enigma2 web interface. Every GET route also accepts HEAD.',
    schemes: ['http'],
    license,
    loginSchemes: [
      { name: 'basic', by: 'basic', description: 'User and password of an account (`receiverd user add`).' },
      { name: 'token', by: 'bearer', description: 'A token of an account, for apps: `Authorization: Bearer TOKEN`.' },
      {
        name: 'session',
        by: { cookie: sessionCookies.http },
        description: `The session cookie that \`POST /login\` sets, for web pages. Over HTTPS, its name is \`${sessionCookies.https}\`.`,
      },
    ],
    accessDenied: {
      description:
        'access denied. 401: the receiver has accounts, and the request has no valid login. 403: the receiver has no accounts, and the client is outside the local network',
      body: {
        ...simpleFailures,
        example: { result: false, message: 'this receiver asks for a user and password', error: 'login-needed' },
      },
    },
    isPublic: isOpen,
    tags: {
      events: 'the programme guide',
      epg: 'the programme guide, Enigma2 web interface',
      services: 'services and bouquets',
      streams: 'playlists and streams',
      device: 'the receiver: volume, power, messages, signal',
      timers: 'timers',
      recordings: 'recordings',
      system: 'the interface itself',
    },
  };
}

/** The document as JSON. It has about a megabyte; formatting takes longer than building it. */
function toBuffer(document: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(document));
}

const anyKeys = sampled(Type.Object({}, { additionalProperties: true }), {});
const license = { name: 'MIT', url: 'https://opensource.org/license/mit' };
const info = recordSchema({
  title: 'receiverd',
  version: '0.1.0',
  description: 'A digital-TV receiver over HTTP',
  license: recordSchema(license),
});
const security = sampled(Type.Array(Type.Record(Type.String(), Type.Array(Type.String()))), [{}, { basic: [] }]);
const tags = Type.Array(recordSchema({ name: 'events', description: 'the programme guide' }));

/** The schemas of the documents themselves, by OpenAPI version. */
const schemas = {
  '2.0': recordSchema({
    swagger: Type.Literal('2.0'),
    info,
    schemes: ['http'],
    security,
    securityDefinitions: anyKeys,
    tags,
    paths: anyKeys,
    responses: anyKeys,
    definitions: anyKeys,
  }),
  '3.1.0': recordSchema({
    openapi: Type.Literal('3.1.0'),
    info,
    servers: Type.Array(recordSchema({ url: '/' })),
    security,
    tags,
    paths: anyKeys,
    components: anyKeys,
  }),
};

/** The document for clients of a proxy that serves the receiver below the path `prefix`. */
function withPrefix(prefix: string, document: Buffer): Buffer {
  if (prefix === '') return document;
  const { openapi, swagger, ...rest } = JSON.parse(document.toString()) as JsonObject;
  const withBase =
    swagger === undefined ? { openapi, ...rest, servers: [{ url: prefix }] } : { swagger, basePath: prefix, ...rest };
  return toBuffer(withBase);
}

function document(path: `/${string}`, name: string, version: keyof typeof schemas, make: () => Buffer): RouteDraft {
  return route({
    path,
    name,
    summary: `This document, OpenAPI ${version}.`,
    responses: { 200: { description: 'the document', schema: schemas[version] } },
    run: (_parts, _values, { prefix }) => ({
      document: { contentType: contentTypes.json, body: withPrefix(prefix, make()) },
    }),
  });
}
