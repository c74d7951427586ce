/**
 * The web port: one Fastify instance with all routes and all middleware (origins, compression, limits, errors, log).
 *
 * It is lenient where real clients need it. A base URL that a client has repeated in front of the path is removed before
 * routing, a trailing slash is ignored, and a POST may carry any bytes of any type.
 */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { autotimerOperations } from './autotimer/autotimer.ts';
import { registerOperations } from './endpoint/dispatch.ts';
import { maxFormBytes, registerBodies } from './middleware/bodies.ts';
import { registerCompression } from './middleware/compression.ts';
import { allowOrigins, registerCors } from './middleware/cors.ts';
import { sendError } from './middleware/failures.ts';
import { RequestLog } from './middleware/log.ts';
import { registerLogin } from './middleware/login.ts';
import { nameRequests, RequestCounts } from './middleware/request-counts.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { documentRoutes } from './openapi/document-routes.ts';
import { plainRoutes } from './openapi/plain-routes.ts';
import { operations } from './operations/index.ts';
import { registerPages } from './pages.ts';
import type { ReceiverParts } from './parts/parts.ts';
import { registerPicons } from './pictures/picons.ts';
import { registerRest } from './rest/rest.ts';
import { registerGrab } from './rest/streams/grab.ts';
import { registerSatip } from './satip.ts';
import { ResponseCache } from './write/response-cache.ts';

/**
 * Maximum characters of one segment of a path; a path with a longer one is not found. The longest segment is the
 * percent-encoded reference of a network stream.
 */
const maxPathSegmentLength = 8192;

/**
 * Timeouts in milliseconds for the head of a request and for the whole request. The latter is long because a guide file may
 * be large and is received only as fast as it is imported.
 *
 * The head has at most Node's 16 KiB; OpenWebif's server accepts no more either. Clients send longer lists, such as the
 * services of epgmultichannelnownext, as a form.
 */
export const webLimits = { headersTimeout: 60_000, requestTimeout: 15 * 60_000 };

/** The `query` that Fastify passes to handlers; always empty. */
const noParameters: Readonly<Record<string, never>> = Object.freeze({});

/** Creates the server. The caller starts and closes it. Without a logger nothing is logged and no requests are counted. */
export function createServer(parts: ReceiverParts, options: { logger?: FastifyBaseLogger } = {}): FastifyInstance {
  const requests = new RequestCounts();
  const app = Fastify({
    ...(options.logger === undefined ? { logger: false } : { loggerInstance: options.logger }),
    logController: new RequestLog(requests),
    bodyLimit: maxFormBytes,
    trustProxy: parts.accessControl.peers.trust,
    requestTimeout: webLimits.requestTimeout,
    http: { headersTimeout: webLimits.headersTimeout },
    forceCloseConnections: true,
    // Operations and routes check their parameters and write their responses themselves, so Fastify's schema compilers need
    // not be loaded.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: maxPathSegmentLength,
      // Operations and routes parse the query themselves: they need its exact bytes and every value of a repeated name.
      querystringParser: () => noParameters,
    },
    rewriteUrl: ({ url = '/' }) => withoutBase(url),
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded has no route. OPTIONS has the same response for every path, so route it to another one.
      if (request.method === 'OPTIONS') {
        request.raw.url = '/';
        return request.server.routing(request.raw, reply.raw);
      }
      allowOrigins(request, reply.headers(securityHeaders), parts.config.origins);
      void sendError(request, reply, error);
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    if (parts.config.hsts && request.protocol === 'https')
      reply.header('Strict-Transport-Security', 'max-age=31536000');
    done();
  });
  registerBodies(app);
  nameRequests(app);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  const cache = new ResponseCache();
  // The middleware applies to the routes that are added after it.
  app.register(async (site) => {
    await registerCors(site, parts.config.origins);
    registerLogin(site, parts.accessControl);
    await registerCompression(site);
    registerPages(site);
    registerOperations(site, parts, [...operations, ...autotimerOperations], cache);
    registerPicons(site, parts);
    registerGrab(site, parts);
    registerSatip(site, parts);
    registerRest(site, parts, {
      cache,
      requests,
      plainRoutes: plainRoutes.filter(({ server }) => server === undefined),
      documentsOf: (routes) => documentRoutes(routes, operations, parts),
    });
  });
  return app;
}

function withoutSchemas(): never {
  throw new Error('no route has a schema for Fastify');
}

/** A path without a base URL. */
const plainPath = /^\/(?!\/|https?:)/i;

/**
 * Removes a base URL (`/http://user:password@box:80/api/zap`), which one client repeats in the path. It must not get into a
 * log, because it may contain a password. If it ends in a slash, one of the two slashes that remain is removed too.
 */
function withoutBase(url: string): string {
  if (plainPath.test(url)) return url;
  return `/${url.replace(/^\/*https?:\/\/[^/?]*/i, '').replace(/^\/+/, '')}`;
}
