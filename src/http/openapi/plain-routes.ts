/**
 * Descriptions of the routes that are neither operations nor REST routes, for the OpenAPI document: pictures, the web page,
 * the paths of the AutoTimer plug-in, and the streams on the stream port.
 */
import * as Type from 'typebox';
import { autotimerOperations } from '../autotimer/autotimer.ts';
import type { DescribedRoute } from '../endpoint/described-route.ts';
import { errorBody } from '../endpoint/route.ts';
import { exampleService } from '../rest/event-record.ts';
import { binary } from '../rest/recordings/recordings.ts';
import { segmentText } from '../rest/segments.ts';
import { grabParameters } from '../rest/streams/grab.ts';
import { streamParameters } from '../streams/stream-server.ts';
import { describeOperation, describeParameters } from './endpoint-description.ts';

const picture = { types: ['image/png', 'image/svg+xml', 'image/jpeg', 'image/webp'], schema: binary };
const html = { types: ['text/html; charset=utf-8'], schema: Type.String() };

const common = { method: 'GET', parameters: [], permission: 'view' } as const;

/** POST works like GET, as on boxes. */
const grab = (method: 'GET' | 'POST'): DescribedRoute => ({
  ...common,
  method,
  path: '/grab',
  operationId: method === 'GET' ? 'grab' : 'grab_post',
  tag: 'services',
  summary:
    'A picture of the screen; without a video output, a picture with the names of the service and of the present event.',
  parameters: describeParameters('query', grabParameters),
  responses: {
    200: { description: 'the picture', body: { types: ['image/jpeg', 'image/png', 'image/bmp'], schema: binary } },
    503: { description: 'too many concurrent requests', body: errorBody },
  },
});

const page = (path: string, operationId: string, summary: string): DescribedRoute => ({
  ...common,
  permission: 'none',
  path,
  operationId,
  tag: 'system',
  summary,
  responses: { 200: { description: 'the page', body: html } },
});

export const plainRoutes: readonly DescribedRoute[] = [
  {
    ...common,
    path: '/picon/{file}',
    operationId: 'picon',
    tag: 'services',
    summary: 'The picon of a service, otherwise its logo from a channel list or guide file.',
    parameters: describeParameters('path', {
      file: segmentText(
        'service reference with underscores, or the simplified name of a service, followed by `.png`',
        '1_0_19_2B66_3F3_1_C00000_0_0_0.png',
      ),
    }),
    responses: {
      200: { description: 'the picture, with an ETag; byte ranges are supported', body: picture },
      304: { description: 'unchanged since that ETag', body: undefined },
      404: { description: 'the service has no picon', body: errorBody },
      412: { description: 'the picture does not meet If-Match or If-Unmodified-Since', body: errorBody },
    },
  },
  {
    ...common,
    path: '/images/default_picon.png',
    operationId: 'default_picon',
    tag: 'services',
    summary: 'The default picon, for services that have none.',
    responses: { 200: { description: 'the picture', body: picture } },
  },
  ...(['GET', 'POST'] as const).map(grab),
  ...autotimerOperations.flatMap(describeOperation),
  page('/', 'page', 'The web page.'),
  {
    ...common,
    path: '/{service_reference}',
    operationId: 'stream',
    tag: 'streams',
    summary: 'The live stream of a service, on the stream port.',
    server: { port: '8001', description: 'the configured stream port' },
    parameters: [
      ...describeParameters('path', {
        service_reference: segmentText(
          'service reference, percent-encoded or not, with or without the trailing colon',
          exampleService.service_reference,
        ),
      }),
      ...describeParameters('query', streamParameters),
    ],
    responses: {
      200: { description: 'an endless transport stream', body: { types: ['video/mp2t'], schema: binary } },
      302: { description: 'a redirect to the address of a network service', body: undefined },
      400: { description: 'an invalid parameter', body: errorBody },
      404: { description: 'no such service', body: errorBody },
      501: {
        description:
          'a network service that this receiver cannot receive, at an address that is neither http nor https',
        body: errorBody,
      },
      503: { description: 'no tuner is free', body: errorBody },
    },
  },
];
