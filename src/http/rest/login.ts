/** `/login`: how the page, and other programs that keep cookies, log in and out. */
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { type AuthenticatedClient, type Client, sessionCookies } from '../../access/access-control.ts';
import type { Accounts } from '../../access/accounts.ts';
import { checkPassword } from '../../access/passwords.ts';
import { permissions } from '../../access/permissions.ts';
import { text } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, nullable, oneOf, record, sampled } from '../write/record.ts';
import { area, route } from './route.ts';

const Login = record(
  {
    result: true,
    accounts: field(true, { description: 'whether there are accounts' }),
    administrator: field(true, {
      description: 'whether one of them may administer; if not, POST /administrator adds one',
    }),
    user: sampled(nullable(Type.String({ description: 'who is logged in; null: nobody' })), 'anna'),
    rights: sampled(
      Type.Array(oneOf(permissions), {
        description: 'of the account, or of clients on the local network without a login',
      }),
      ['view', 'control'],
    ),
  },
  { $id: 'Login' },
);

const shown = ({ isOn, hasAdmin }: Accounts, client: Client | undefined) => ({
  result: true,
  accounts: isOn,
  administrator: hasAdmin,
  user: client?.account?.name ?? null,
  rights: client?.permissions ?? [],
});

const day = 86_400;

const schemeOf = ({ protocol }: FastifyRequest): keyof typeof sessionCookies =>
  protocol === 'https' ? 'https' : 'http';

interface Session {
  readonly value: string;
  readonly seconds: number;
}

function cookieFor(request: FastifyRequest, { value, seconds }: Session, scheme = schemeOf(request)): string {
  const secure = scheme === 'https' ? '; Secure' : '';
  const lasting = `Path=${request.prefix}/; Max-Age=${seconds}`;
  return `${sessionCookies[scheme]}=${value}; ${lasting}; HttpOnly; SameSite=Strict${secure}`;
}

/** The answer that logs somebody in. */
function enter({ accessControl }: ReceiverParts, client: AuthenticatedClient, request: FastifyRequest) {
  const seconds = accessControl.rules.sessionDays * day;
  const value = accessControl.accounts.sessionFor(client.account, seconds);
  return {
    headers: { 'Set-Cookie': cookieFor(request, { value, seconds }) },
    body: shown(accessControl.accounts, client),
  };
}

const credentials = { user: text('name of the user').required(), password: text('the password').required() };
const failures = { 401: 'wrong user or password', 429: 'too many wrong passwords from this address' };

const state = route({
  path: '/login',
  name: 'login',
  permission: 'none',
  summary: 'Who is logged in, and what they may do.',
  description: 'Open to everybody: after a wrong password, nobody is logged in.',
  responses: { 200: { description: 'the account', schema: Login } },
  run: ({ accessControl }, _values, { client }) => ({ body: shown(accessControl.accounts, client) }),
});

const logIn = route({
  method: 'POST',
  path: '/login',
  name: 'logIn',
  permission: 'none',
  summary: 'Logs in.',
  description: 'The response sets the cookie of a session. Apps send HTTP Basic or a token with each request instead.',
  fields: credentials,
  responses: { 200: { description: 'logged in', schema: Login } },
  failures,
  async run(parts, { user, password }, request) {
    const { accessControl } = parts;
    return enter(parts, await accessControl.logIn(user, password, accessControl.addressOf(request.raw)), request);
  },
});

const changePassword = route({
  method: 'PUT',
  path: '/login',
  name: 'passwordPut',
  permission: 'none',
  summary: 'Changes your own password, and logs in with it.',
  description: 'Whoever was logged in with the one before is not any more.',
  fields: { ...credentials, new_password: text('8 to 1024 characters').required() },
  responses: { 200: { description: 'changed, and logged in', schema: Login } },
  failures,
  async run(parts, { user, password, new_password: next }, request) {
    const { accessControl } = parts;
    checkPassword(next, 'new_password');
    const from = accessControl.addressOf(request.raw);
    const { account } = await accessControl.logIn(user, password, from);
    await accessControl.accounts.put({ kind: 'user', name: user, password: next, hashBefore: account.hash });
    return enter(parts, await accessControl.logIn(user, next, from), request);
  },
});

const addFirst = route({
  method: 'POST',
  path: '/administrator',
  name: 'administratorPost',
  permission: 'none',
  summary: 'Adds the first administrator, and logs in.',
  description: 'The receiver prints the code at each start, as long as nobody may administer it.',
  fields: {
    code: text('the code', 'K7QM-3XPA').required(),
    user: text('name of the new user').or('admin'),
    password: text('8 to 1024 characters').required(),
  },
  responses: { 200: { description: 'added, and logged in', schema: Login } },
  failures: {
    401: 'the code is wrong, or there is an administrator already',
    429: 'too many wrong codes or passwords from this address',
  },
  async run(parts, { code, user, password }, request) {
    const { accessControl } = parts;
    return enter(
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
  responses: { 200: { description: 'logged out', schema: record({ result: true }) } },
  run(_parts, _values, request) {
    const ended = { value: '', seconds: 0 };
    const http = cookieFor(request, ended, 'http');
    // By HTTP the browser has sent no other.
    const cookies = schemeOf(request) === 'https' ? [cookieFor(request, ended), http] : http;
    return { headers: { 'Set-Cookie': cookies }, body: { result: true } };
  },
});

export const loginRoutes = area('system', [state, logIn, changePassword, addFirst, logOut]);
