/**
 * Authenticates a request before anything else is done for it (src/access/access-control.ts).
 *
 * Apps are asked for a password by HTTP Basic. Browsers are not: they would send it along with the requests of other
 * sites' pages from then on. They get the page, which logs in for a cookie that only our own pages send.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessControl, Client } from '../../access/access-control.ts';
import { fail, ReceiverError } from '../../base/errors.ts';
import { isBrowser, sendError } from './failures.ts';
import { parseQuery, pathOf, queryText } from './query.ts';
import { mayBeFromPage } from './sites.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on the paths that are open to everybody. */
    client: Client | undefined;
    /** The path below which a proxy serves the receiver, as `Peers.prefixOf`. */
    prefix: string;
  }
}

/**
 * The page, which shows nothing by itself; the login; health, which containers and proxies ask for; and what TVs fetch,
 * for which SAT>IP has rules of its own.
 */
const open = /^\/($|ui\/|login\/?$|administrator\/?$|health(\/|$)|satip\/)/;

/** Whether a path is answered without a login. */
export const isOpen = (path: string) => open.test(path);

/** What players fetch, which cannot log in. */
const media = /^\/(file|recording|timeshift|picon|live|hls)\b/;

/** Registers the check for all routes that are added after it. */
export function registerLogin(app: FastifyInstance, accessControl: AccessControl): void {
  app.decorateRequest('client', undefined);
  app.decorateRequest('prefix', '');
  app.addHook('preHandler', stillCurrent(accessControl));
  app.addHook('onRequest', (request, reply, done) => {
    request.prefix = accessControl.peers.prefixOf(request.raw);
    // A preflight has no credentials (Fetch standard, "CORS-preflight fetch").
    if (request.method === 'OPTIONS') return done();
    const enter = (client: Client) => {
      request.client = client;
      done();
    };
    const refuse = (error: unknown) => {
      if (codeOf(error) === 'login-needed' && isOpen(pathOf(request))) done();
      else void sendRefusal(request, reply, error);
    };
    try {
      const ways = { ticket: ticketOf(request), isFromPage: mayBeFromPage(request) };
      const client = accessControl.admit(request.raw, reply.raw, ways);
      if (client instanceof Promise) client.then(enter, refuse);
      else enter(client);
    } catch (error) {
      refuse(error);
    }
  });
}

/** Refuses what is left of a request whose client has lost its permissions while the body arrived. */
const stillCurrent =
  (accessControl: AccessControl) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { client } = request;
    if (client === undefined || accessControl.isCurrent(client)) return done();
    void sendError(request, reply, fail('login-needed', 'the login has ended meanwhile'));
  };

/** The address of something that players fetch, with a ticket if there is one. */
export function withTicket(url: string, ticket: string | undefined): string {
  return ticket === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}ticket=${ticket}`;
}

/** For what is not played. @throws ReceiverError `login-needed` if the request comes with a ticket */
export function refuseTicket({ client }: FastifyRequest): void {
  if (client?.ticket !== undefined) throw fail('login-needed', 'a ticket does nothing but play');
}

const codeOf = (error: unknown) => (error instanceof ReceiverError ? error.code : undefined);

function ticketOf(request: FastifyRequest): string | undefined {
  const { method, url } = request;
  if (!url.includes('ticket=') || (method !== 'GET' && method !== 'HEAD') || !media.test(url)) return undefined;
  return parseQuery(queryText(url)).get('ticket');
}

function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown) {
  if (codeOf(error) === 'login-needed' && isNavigation(request))
    return reply.header('Cache-Control', 'no-store').redirect(`${request.prefix}/`, 303);
  return sendError(request, reply, error);
}

/** Somebody opens an address, and would see the error as text. */
function isNavigation(request: FastifyRequest): boolean {
  return request.method === 'GET' && isBrowser(request) && request.headers.accept?.includes('text/html') === true;
}
