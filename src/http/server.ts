/**
 * The web port: one Fastify instance with what holds for every request (origins, compression, limits, errors, the log), and on it
 * the two faces of the operations.
 *
 * It is forgiving where real clients need it: a base URL that a client has put in front of the path a second time is taken off
 * before routing, a trailing slash means nothing, and a POST may carry any bytes of any type.
 */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { registerApi } from './api.ts';
import { registerAutotimer } from './autotimer.ts';
import { maximumBody, registerBodies } from './bodies.ts';
import { registerCompression } from './compression.ts';
import { allowOrigins, registerCors } from './cors.ts';
import { sendError } from './failures.ts';
import { registerGrab } from './grab.ts';
import { RequestLog } from './log.ts';
import { operations } from './operations/index.ts';
import { registerPages } from './pages.ts';
import type { ReceiverParts } from './parts.ts';
import { registerPicons } from './picons.ts';
import { PreparedAnswers } from './prepared-answers.ts';
import { registerRest } from './rest/rest.ts';
import { registerWeb } from './web.ts';

/** Bytes of request line and header fields; a list of references for epgmultichannelnownext is the longest. */
const maximumHeader = 128 * 1024;
/** Characters of one part of a path, a longer one is unknown; a percent-encoded reference of a network stream is the longest. */
const maximumPathPart = 8192;

/** Milliseconds in which the head of a request must have arrived, and all of it: a guide file may be long, and comes as fast as it is read. */
const slowestHead = 60_000;
const slowestRequest = 15 * 60_000;

/** What Fastify gives a handler as `query`. */
const noParameters: Readonly<Record<string, never>> = Object.freeze({});

/** Makes the server; the caller listens and closes. Without a logger nothing is logged. */
export function createServer(parts: ReceiverParts, options: { logger?: FastifyBaseLogger } = {}): FastifyInstance {
  const app = Fastify({
    ...(options.logger === undefined ? { logger: false } : { loggerInstance: options.logger }),
    logController: new RequestLog(),
    bodyLimit: maximumBody,
    requestTimeout: slowestRequest,
    http: { maxHeaderSize: maximumHeader, headersTimeout: slowestHead },
    forceCloseConnections: true,
    // Operations and routes read their parameters and write their answers themselves: the compilers need not be loaded.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: maximumPathPart,
      // Operations and routes read it themselves, from the URL: they need it to the byte, and every value of a repeated name.
      querystringParser: () => noParameters,
    },
    rewriteUrl: ({ url = '/' }) => withoutBase(url),
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded has no route. OPTIONS is answered alike for every path, so any other will do.
      if (request.method === 'OPTIONS') {
        request.raw.url = '/';
        return request.server.routing(request.raw, reply.raw);
      }
      allowOrigins(request, reply, parts.config.origins);
      void sendError(request, reply, error);
    },
  });
  registerBodies(app);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  const prepared = new PreparedAnswers();
  // The plugins work on the routes that are added after them.
  app.register(async (site) => {
    await registerCors(site, parts.config.origins);
    await registerCompression(site);
    registerPages(site);
    registerWeb(site, parts, operations, prepared);
    registerApi(site, parts, operations, prepared);
    registerPicons(site, parts);
    registerGrab(site, parts);
    registerAutotimer(site, parts);
    registerRest(site, parts, operations, prepared);
  });
  return app;
}

function withoutSchemas(): never {
  throw new Error('no route has a schema for Fastify');
}

/** Nothing to take off. */
const plainPath = /^\/(?!\/|https?:)/i;

/**
 * Takes off a base URL, `/http://user:password@box:80/api/zap`: a client doubles it, and it must not get into a log either. One that
 * ends in a slash makes two of them.
 */
function withoutBase(url: string): string {
  if (plainPath.test(url)) return url;
  return `/${url.replace(/^\/*https?:\/\/[^/?]*/i, '').replace(/^\/+/, '')}`;
}
