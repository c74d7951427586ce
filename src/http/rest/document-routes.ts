/** The routes that serve the OpenAPI document of everything: the operations, this family, and themselves. */
import Type from 'typebox';
import { once } from '../../once.ts';
import { contentTypes } from '../failures.ts';
import type { Operation } from '../operation.ts';
import type { ReceiverParts } from '../parts.ts';
import { plainRoutes } from '../plain-routes.ts';
import { type DescribedRoute, type DocumentHead, type JsonObject, openapi2, openapi31 } from './document.ts';
import { describeOperation } from './operation-description.ts';
import { describeRoute, type Route, route } from './route.ts';

/** Makes them; each document is written once, when it is asked for first. */
export function documentRoutes(
  routes: readonly Route[],
  operations: readonly Operation[],
  parts: Pick<ReceiverParts, 'device'>,
): readonly Route[] {
  const described = once((): readonly DescribedRoute[] => [
    ...[...routes, ...own].map(describeRoute),
    ...operations.flatMap(describeOperation),
    ...plainRoutes,
  ]);
  const head = once(() => documentHead(parts.device.identity.version));
  const second = once(() => written(openapi2(head(), described())));
  const third = once(() => written(openapi31(head(), described())));
  const own: readonly Route[] = [
    document('/api', 'openapi2', '2.0', second),
    document('/api/index', 'openapi2Index', '2.0', second),
    document('/api/openapi.json', 'openapi31', '3.1', third),
  ];
  return own;
}

function documentHead(version: string): DocumentHead {
  return {
    title: 'receiverd',
    version,
    description:
      'A digital-TV receiver over HTTP: guide, services, playback and the Enigma2 web interface. Whatever answers GET answers HEAD too.',
    schemes: ['http'],
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

/** Half a megabyte: to write it takes longer than to make it. */
function written(document: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(document));
}

function document(path: `/${string}`, name: string, version: string, make: () => Buffer): Route {
  return route({
    method: 'GET',
    path,
    name,
    tag: 'system',
    summary: `This document, OpenAPI ${version}.`,
    caching: 'no-store',
    responses: { 200: { description: 'the document', schema: Type.Object({}, { additionalProperties: true }) } },
    failures: {},
    run: () => ({ document: { contentType: contentTypes.json, body: make() } }),
  });
}
