/** `/login`: logs users in and out, for the web page and other clients with cookies. `/administrator`: adds the first one. */
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { type AuthenticatedClient, type Client, sessionCookies } from '../../../access/access-control.ts';
import type { Accounts } from '../../../access/accounts.ts';
import { checkPassword } from '../../../access/passwords.ts';
import { permissions } from '../../../access/permissions.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';

const Login = recordSchema(
  {
    result: true,
    accounts: field(true, { description: 'whether the receiver has accounts' }),
    administrator: field(true, {
      description: 'whether one of the accounts has the permission `admin`; if not, POST /administrator adds one',
    }),
    user: sampled(nullable(Type.String({ description: 'name of the account that is logged in; null = none' })), 'anna'),
    rights: sampled(
      Type.Array(oneOf(permissions), {
        description: 'permissions of the account, or of clients on the local network without a login',
      }),
      ['view', 'control'],
    ),
  },
  { $id: 'Login' },
);

const loginRecord = ({ hasAccounts, hasAdmin }: Accounts, client: Client | undefined) => ({
  result: true,
  accounts: hasAccounts,
  administrator: hasAdmin,
  user: client?.account?.name ?? null,
  rights: client?.permissions ?? [],
});

const secondsPerDay = 86_400;

const schemeOf = ({ protocol }: FastifyRequest): keyof typeof sessionCookies =>
  protocol === 'https' ? 'https' : 'http';

interface Session {
  readonly value: string;
  readonly seconds: number;
}

function cookieFor(request: FastifyRequest, { value, seconds }: Session, scheme = schemeOf(request)): string {
  const secure = scheme === 'https' ? '; Secure' : '';
  const attributes = `Path=${request.prefix}/; Max-Age=${seconds}`;
  return `${sessionCookies[scheme]}=${value}; ${attributes}; HttpOnly; SameSite=Strict${secure}`;
}

/** The response that logs in: it sets a session cookie. */
function sessionResponse({ accessControl }: ReceiverParts, client: AuthenticatedClient, request: FastifyRequest) {
  const seconds = accessControl.rules.sessionDays * secondsPerDay;
  const value = accessControl.accounts.sessionFor(client.account, seconds);
  return {
    headers: { 'Set-Cookie': cookieFor(request, { value, seconds }) },
    body: loginRecord(accessControl.accounts, client),
  };
}

const credentials = {
  user: text('name of the user', { example: 'anna' }).required(),
  password: text('the password', { example: 'correct horse' }).required(),
};
const failures = { 401: 'wrong user or password', 429: 'too many wrong passwords from this address' };

const state = route({
  path: '/login',
  name: 'login',
  permission: 'none',
  summary: 'The account that is logged in, and its permissions.',
  description: 'This needs no login. A request with a wrong password counts as not logged in.',
  responses: { 200: { description: 'the account', schema: Login } },
  run: ({ accessControl }, _values, { client }) => ({ body: loginRecord(accessControl.accounts, client) }),
});

const logIn = route({
  method: 'POST',
  path: '/login',
  name: 'logIn',
  permission: 'none',
  summary: 'Logs in.',
  description:
    'The response sets a session cookie. Apps do not need this: they send HTTP Basic or a token with each request.',
  parameters: credentials,
  responses: { 200: { description: 'logged in', schema: Login } },
  failures,
  async run(parts, { user, password }, request) {
    const { accessControl } = parts;
    return sessionResponse(
      parts,
      await accessControl.logIn(user, password, accessControl.addressOf(request.raw)),
      request,
    );
  },
});

const changePassword = route({
  method: 'PUT',
  path: '/login',
  name: 'passwordPut',
  permission: 'none',
  summary: 'Changes your own password, and logs in with the new one.',
  description: 'All sessions of the old password end.',
  parameters: { ...credentials, new_password: text('8 to 1024 characters', { example: 'battery staple' }).required() },
  responses: { 200: { description: 'the password is changed; logged in', schema: Login } },
  failures,
  async run(parts, { user, password, new_password: next }, request) {
    const { accessControl } = parts;
    checkPassword(next, 'new_password');
    const address = accessControl.addressOf(request.raw);
    const { account } = await accessControl.logIn(user, password, address);
    await accessControl.accounts.put({ kind: 'user', name: user, password: next, hashBefore: account.hash });
    return sessionResponse(parts, await accessControl.logIn(user, next, address), request);
  },
});

const addFirst = route({
  method: 'POST',
  path: '/administrator',
  name: 'administratorPost',
  permission: 'none',
  summary: 'Adds the first administrator, and logs in.',
  description: 'The receiver prints a code at each start while no account has the permission `admin`.',
  parameters: {
    code: text('the code that the receiver has printed', { example: 'K7QM-3XPA' }).required(),
    user: text('name of the new user').or('admin'),
    password: text('8 to 1024 characters', { example: 'correct horse' }).required(),
  },
  responses: { 200: { description: 'the administrator is added; logged in', schema: Login } },
  failures: {
    401: 'the code is wrong, or there is already an administrator',
    429: 'too many wrong codes or passwords from this address',
  },
  async run(parts, { code, user, password }, request) {
    const { accessControl } = parts;
    return sessionResponse(
      parts,
      await accessControl.addFirst(code, user, password, accessControl.addressOf(request.raw)),
      request,
    );
  },
});

const logOut = route({
  method: 'DELETE',
  path: '/login',
  name: 'logOut',
  permission: 'none',
  summary: 'Logs out.',
  responses: { 200: { description: 'logged out', schema: recordSchema({ result: true }) } },
  run(_parts, _values, request) {
    const ended = { value: '', seconds: 0 };
    const http = cookieFor(request, ended, 'http');
    // Over HTTP, the browser cannot have the HTTPS cookie.
    const cookies = schemeOf(request) === 'https' ? [cookieFor(request, ended), http] : http;
    return { headers: { 'Set-Cookie': cookies }, body: { result: true } };
  },
});

export const loginRoutes = group('system', [state, logIn, changePassword, addFirst, logOut]);
