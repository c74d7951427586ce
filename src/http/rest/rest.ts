/**
 * The REST family: registers all its routes with Fastify, with parsing of parameters, caching and error bodies, and rejects
 * other methods and unknown paths. The server handles what is common to all requests: origins, compression, trailing
 * slashes.
 */
import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { appendTo } from '../../base/append-to.ts';
import { fail } from '../../base/errors.ts';
import type { DescribedRoute, Method } from '../endpoint/described-route.ts';
import { group, permissionOf } from '../endpoint/endpoint.ts';
import type { RestResponse, Route, RouteDraft } from '../endpoint/route.ts';
import { setEntityTag } from '../middleware/entity-tag.ts';
import { contentTypes, sendError } from '../middleware/failures.ts';
import { pathOf } from '../middleware/query.ts';
import type { RequestCounts } from '../middleware/request-counts.ts';
import { sendFile } from '../middleware/send-file.ts';
import { refusedChange } from '../middleware/sites.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { noSignal, tunerInUse } from '../parts/tuner-in-use.ts';
import { compactJson } from '../write/json.ts';
import { documentBytes, type Sent, sendDocument, sendPieces } from '../write/replies.ts';
import type { ResponseCache } from '../write/response-cache.ts';
import { bouquetRoutes } from './channels/bouquets.ts';
import { pictureRoutes } from './channels/pictures.ts';
import { serviceRoutes } from './channels/services.ts';
import { currentEventRoutes } from './guide/current-event.ts';
import { epgimportRoutes } from './guide/epgimport.ts';
import { eventlookup } from './guide/eventlookup.ts';
import { eventsearch } from './guide/eventsearch.ts';
import { eventsuggest } from './guide/eventsuggest.ts';
import { guideChannelRoutes } from './guide/guidechannels.ts';
import { guideSourceRoutes } from './guide/guidesources.ts';
import { accountRoutes } from './receiver/accounts.ts';
import { eventsRoute } from './receiver/events.ts';
import { evil } from './receiver/evil.ts';
import { healthRoutes } from './receiver/health.ts';
import { hostRoutes } from './receiver/host.ts';
import { logLevelRoutes } from './receiver/log-level.ts';
import { loginRoutes } from './receiver/login.ts';
import { messageRoutes } from './receiver/messages.ts';
import { metricsRoute } from './receiver/metrics.ts';
import { notificationRoutes } from './receiver/notifications.ts';
import { Push, type SignalData } from './receiver/push.ts';
import { exportRoutes } from './recordings/exports.ts';
import { file } from './recordings/file.ts';
import { recordingRoutes } from './recordings/recordings.ts';
import { storageRoutes } from './recordings/storage.ts';
import { transferRoutes } from './recordings/transfers.ts';
import { hlsRoutes } from './streams/hls.ts';
import { liveRoutes } from './streams/live.ts';
import { timeshiftRoutes } from './streams/timeshift.ts';
import { autotimerFileRoutes } from './timers/autotimer-file.ts';
import { autotimerRoutes } from './timers/autotimers.ts';
import { conflictRoutes } from './timers/conflicts.ts';
import { timerRoutes } from './timers/timers.ts';
import { frontEndRoutes } from './tuners/frontends.ts';
import { hdhomerunRoutes } from './tuners/hdhomerun.ts';
import { boxLoginRoutes, networkTunerRoutes } from './tuners/network-tuners.ts';

/** The routes that need no further parts. `registerRest` adds the others. */
const routes: readonly RouteDraft[] = [
  eventlookup,
  eventsearch,
  eventsuggest,
  ...epgimportRoutes,
  ...guideChannelRoutes,
  ...guideSourceRoutes,
  ...serviceRoutes,
  ...frontEndRoutes,
  ...networkTunerRoutes,
  ...hdhomerunRoutes,
  ...bouquetRoutes,
  ...currentEventRoutes,
  ...messageRoutes,
  ...accountRoutes,
  ...loginRoutes,
  file,
  ...recordingRoutes,
  ...transferRoutes,
  ...exportRoutes,
  ...storageRoutes,
  ...timerRoutes,
  ...conflictRoutes,
  ...timeshiftRoutes,
  ...liveRoutes,
  ...pictureRoutes,
  ...hlsRoutes,
  ...autotimerRoutes,
  ...autotimerFileRoutes,
  ...healthRoutes,
  ...logLevelRoutes,
  ...notificationRoutes,
];

interface RestOptions {
  readonly cache: ResponseCache;
  readonly requests: RequestCounts;
  /** The routes of the web port that are neither operations nor in this family. */
  readonly plainRoutes: readonly Pick<DescribedRoute, 'method' | 'path'>[];
  /** The routes of the documents that describe these routes. */
  documentsOf(routes: readonly Route[]): readonly Route[];
}

/** Registers the family, and rejects every request for which no other route exists. */
export function registerRest(
  app: FastifyInstance,
  parts: ReceiverParts,
  { cache, requests, plainRoutes, documentsOf }: RestOptions,
): void {
  const push = new Push(parts.events, parts.config.push, (tuner) => signalOf(parts, tuner));
  app.addHook('preClose', async () => push.close());
  const needingParts = [eventsRoute(push), metricsRoute(push, requests)];
  const { host } = parts;
  const optional = [
    ...(parts.config.evil ? [evil] : []),
    ...(host ? [...hostRoutes(host), ...boxLoginRoutes(host)] : []),
  ];
  const mounted = group<RouteDraft>('system', [...routes, ...optional, ...needingParts]) as readonly Route[];
  const all = [...mounted, ...documentsOf(mounted)];
  // Fastify answers methods that it does not know with 404 instead of 405. Node handles CONNECT separately.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const paths = byPath(all);
  const parameterPaths = [...paths.keys()]
    .filter((path) => !isLiteral(path))
    .map((path) => ({ path, pattern: patternOf(path) }));
  for (const [path, methods] of paths) {
    mountPath(app, { parts, cache }, path, methods);
    // Otherwise, an operation or a path with a parameter would match a request with one of the missing methods.
    const isTaken =
      path.startsWith('/api') || parameterPaths.some((other) => other.path !== path && other.pattern.test(path));
    if (isTaken) refuseOtherMethods(app, path, methods);
  }
  mountFallback(app, paths, byPath(plainRoutes));
}

function signalOf(parts: ReceiverParts, wanted: number | undefined): SignalData {
  const { number, tuner } =
    wanted === undefined ? tunerInUse(parts) : { number: wanted, tuner: parts.tuners.list()[wanted] };
  const { locked, quality, strength, snr = null, power = null, bitErrors, ...counters } = tuner?.signal ?? noSignal;
  const { bitErrorRate = null, badBlocks = null } = counters;
  return { tuner: number, locked, quality, strength, snr, power, bitErrors, bitErrorRate, badBlocks };
}

function byPath<Own extends { readonly path: string }>(all: readonly Own[]): Map<string, Own[]> {
  const paths = new Map<string, Own[]>();
  for (const route of all) appendTo(paths, route.path, route);
  return paths;
}

/** What all routes need to send a response. */
interface RouteContext {
  readonly parts: ReceiverParts;
  readonly cache: ResponseCache;
}

/** The path in Fastify's syntax. */
const urlOf = (path: string) => path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

function mountPath(app: FastifyInstance, context: RouteContext, path: string, methods: readonly Route[]): void {
  const url = urlOf(path);
  for (const route of methods) {
    const handler = (request: FastifyRequest, reply: FastifyReply) => serve(route, context, request, reply);
    // Runs before the body is read.
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!route.changesState) return;
      const refused = refusedChange(request, context.parts.config, `${route.method} ${path}`, permissionOf(route));
      if (refused) return sendRestError(request, reply, refused);
    };
    const { method, bodyLimit } = route;
    const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      void sendRestError(request, reply, error);
    const options = { method, url, onRequest, handler, errorHandler, ...(bodyLimit !== undefined && { bodyLimit }) };
    if (route.requestBody === undefined) app.route(options);
    else app.register(async (scope) => void withStreams(scope).route(options));
  }
}

function refuseOtherMethods(app: FastifyInstance, path: string, methods: readonly Route[]): void {
  const known: readonly Method[] = path.startsWith('/api') ? ['GET', 'POST'] : ['GET', 'POST', 'PUT', 'DELETE'];
  const others = known.filter((other) => methods.every(({ method }) => method !== other));
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => refuseMethod(request, reply, methods);
  if (others.length > 0) app.route({ method: others, url: urlOf(path), onRequest: refuse, handler: refuse });
}

/** Makes `request.body` a stream, for bodies of any type. */
function withStreams(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  return scope;
}

async function serve(route: Route, { parts, cache }: RouteContext, request: FastifyRequest, reply: FastifyReply) {
  try {
    const response = await route.answer(parts, request);
    const { status = 200 } = response;
    reply.header('Cache-Control', status < 400 ? route.caching : 'no-store');
    return await sendResponse(request, reply, response, { cache, caching: route.caching });
  } catch (error) {
    return sendRestError(request, reply, error);
  }
}

interface SendOptions extends Pick<Route, 'caching'> {
  readonly cache: ResponseCache;
}

async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: RestResponse,
  { cache, caching }: SendOptions,
) {
  const { status = 200, headers, etag } = response;
  if (headers) reply.headers(headers);
  if (headers?.Location) reply.header('Location', `${request.prefix}${headers.Location}`);
  if (etag !== undefined && setEntityTag(request, reply, etag)) return reply.code(304).send();
  if ('file' in response) {
    const { file, saveAs, handle } = response;
    // A file may be replaced or grow at any time.
    const ofFile = caching === 'no-store' ? 'no-cache' : caching;
    return sendFile(request, reply, file, { caching: ofFile, what: `File '${file}'`, saveAs, handle });
  }
  reply.code(status);
  if ('empty' in response) return reply.send();
  if ('document' in response) return sendDocument(reply, response.document);
  const written = async () => compactJson('make' in response ? await response.make() : response.body);
  reply.type(contentTypes.json);
  const make = async () => ({ contentType: contentTypes.json, body: await documentBytes(await written()) });
  const ready = etag === undefined ? undefined : cache.get(`rest ${request.url}`, etag, make);
  return ready === undefined ? sendPieces(reply, await written()) : reply.send((await ready).body);
}

const sendRestError = (request: FastifyRequest, reply: FastifyReply, error: unknown): Sent =>
  sendError(request, reply, error, { family: 'rest' });

function refuseMethod(request: FastifyRequest, reply: FastifyReply, routes: readonly Pick<Route, 'method'>[]): Sent {
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  reply.header('Allow', [...allowed, 'OPTIONS'].join(', '));
  return sendRestError(request, reply, fail('method-not-allowed', request.method));
}

/**
 * Handles every path and method without a route: 405 with `Allow` if the path has other methods, `bad-path` if a segment is
 * empty, otherwise `not-found`. This is a route, because Fastify runs its not-found handler without the hooks of routes, so
 * that its response could not be compressed. It is a single route, because a route for each missing method of each path
 * would take a fifth of the start-up time.
 */
type MethodsByPath = ReadonlyMap<string, readonly Pick<Route, 'method'>[]>;

function mountFallback(app: FastifyInstance, paths: MethodsByPath, plain: MethodsByPath): void {
  const patterns = [...paths, ...plain]
    .sort(([a], [b]) => Number(isLiteral(b)) - Number(isLiteral(a)))
    .map(([path, routes]) => ({ pattern: patternOf(path), routes }));
  const folders = foldersOf([...paths.keys()]);
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request);
    const known = patterns.find(({ pattern }) => pattern.test(path));
    if (known !== undefined) return refuseMethod(request, reply, known.routes);
    if (!folders.has(folderOf(path))) return sendError(request, reply, fail('not-found', path));
    const problem = /\/\//.test(path) ? fail('bad-path', `${path} with an empty segment`) : fail('not-found', path);
    return sendRestError(request, reply, problem);
  };
  // Runs before the body is read, which may be of any type and length.
  const method = app.supportedMethods.filter((one) => one !== 'OPTIONS') as HTTPMethods[];
  app.route({ method, url: '/*', onRequest: refuse, handler: refuse });
}

const isLiteral = (path: string) => !path.includes('{');

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (/^\{\w+\*\}$/.test(segment)) return '.+';
    return /^\{\w+\}$/.test(segment) ? '[^/]+' : segment.replaceAll('.', '\\.');
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}

const folderOf = (path: string) => path.replace(/^(\/[^/]+).*/, '$1');

/** The first segments of paths that only this family uses. */
function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => !path.startsWith('/api')).map(folderOf));
}
