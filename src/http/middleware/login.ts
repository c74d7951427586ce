/**
 * Authenticates each request before anything else is done for it (src/access/access-control.ts).
 *
 * Apps are asked for a password by HTTP Basic. Browsers are not, because they would then send the password with every
 * request, also with requests of other sites' pages. They are redirected to the web page, where the user logs in. The session
 * cookie is sent only with requests of our own pages.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessControl, Client } from '../../access/access-control.ts';
import { fail, ReceiverError } from '../../base/errors.ts';
import { isBrowser, sendError } from './failures.ts';
import { parseQuery, pathOf, queryText } from './query.ts';
import { mayBeFromPage } from './sites.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client and its permissions. Undefined for a client without a login on a path that needs none. */
    client: Client | undefined;
    /** The path below which a proxy serves the receiver (`Peers.prefixOf`); empty without one. */
    prefix: string;
  }
}

/**
 * Paths that need no login: the web page, whose files contain nothing private; the login itself; health, which containers
 * and proxies poll; and the SAT>IP description, which has access rules of its own.
 */
const open = /^\/($|ui\/|login\/?$|administrator\/?$|health(\/|$)|satip\/)/;

/** Whether a path is answered without a login. */
export const isOpen = (path: string) => open.test(path);

/** Paths that players request, which cannot log in. They accept a ticket. */
const media = /^\/(file|recording|timeshift|picon|live|hls)\b/;

/** Registers the check for all routes that are added after it. */
export function registerLogin(app: FastifyInstance, accessControl: AccessControl): void {
  app.decorateRequest('client', undefined);
  app.decorateRequest('prefix', '');
  app.addHook('preHandler', refuseIfLoggedOut(accessControl));
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
      const options = { ticket: ticketOf(request), isFromPage: mayBeFromPage(request) };
      const client = accessControl.admit(request.raw, reply.raw, options);
      if (client instanceof Promise) client.then(enter, refuse);
      else enter(client);
    } catch (error) {
      refuse(error);
    }
  });
}

/** Refuses a request if its login has become invalid while the body arrived. */
const refuseIfLoggedOut =
  (accessControl: AccessControl) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { client } = request;
    if (client === undefined || accessControl.isCurrent(client)) return done();
    void sendError(request, reply, fail('login-needed', 'the login has ended meanwhile'));
  };

/** Adds the ticket, if there is one, to a URL for players. */
export function withTicket(url: string, ticket: string | undefined): string {
  return ticket === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}ticket=${ticket}`;
}

/** For routes that are not for playback. @throws ReceiverError `login-needed` if the request is authenticated by a ticket */
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

/** True if a user opens an address in a browser, which would show the error as raw text. */
function isNavigation(request: FastifyRequest): boolean {
  return request.method === 'GET' && isBrowser(request) && request.headers.accept?.includes('text/html') === true;
}
