/** `/accounts`: lists and changes the users and tokens. Only administrators may use it. */
import * as Type from 'typebox';
import { accountKinds } from '../../../access/account-changes.ts';
import { type Permission, permissions } from '../../../access/permissions.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { choice, Parameter, refused, text } from '../../middleware/parameters.ts';
import { exampleOf, field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';

const Permissions = sampled(Type.Array(oneOf(permissions)), ['view', 'control']);

const Account = recordSchema({ kind: sampled(oneOf(accountKinds), 'user'), name: 'anna', rights: Permissions });

const Visit = recordSchema({
  account: field('anna', 'name of the account; the name of a token begins with `token `'),
  address: '192.168.1.20',
  agent: field('Kodi/20.5', 'User-Agent of the requests'),
  last: field(1767291000, 'Unix seconds of the last request'),
});

const accountSegments = {
  kind: choice('user or token', accountKinds).required(),
  name: text('1 to 32 characters, without blanks and colons', { example: 'anna' }).required(),
};

const permissionsParameter = new Parameter<readonly Permission[] | undefined>(
  'permissions of the account. Default: unchanged; for the first account all, for other new accounts all but `admin`',
  Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: permissions })),
  (_, name, all) =>
    all?.map((given) => {
      const known = permissions.find((permission) => permission === given);
      if (known === undefined) throw refused(name, given, `one of ${permissions.join(', ')}`);
      return known;
    }),
  { takes: 'texts' },
);

const list = route({
  path: '/accounts',
  name: 'accounts',
  isPrivate: true,
  summary: 'The users and tokens, and the apps that have used them since the start, latest first.',
  responses: {
    200: {
      description: 'the accounts',
      schema: recordSchema({
        accounts: Type.Array(Account),
        visits: sampled(Type.Array(Visit), [exampleOf(Visit)]),
        result: true,
      }),
    },
  },
  run(parts) {
    const { all, visits } = parts.accessControl.accounts;
    const accounts = all.map(({ kind, name, permissions: own }) => ({ kind, name, rights: [...own] }));
    return { body: { accounts, visits: [...visits.all], result: true } };
  },
});

const put = route({
  method: 'PUT',
  path: '/accounts/{kind}/{name}',
  name: 'accountPut',
  summary: 'Adds a user or a token, or changes the permissions or the password of a user.',
  description: 'The first account gets all permissions. The last account with `admin` cannot lose it.',
  parameters: {
    ...accountSegments,
    password: text('password of a user, 8 to 1024 characters; default: unchanged', { example: 'correct horse' }),
    rights: permissionsParameter,
  },
  responses: {
    200: {
      description: 'the account is added or changed',
      schema: recordSchema({
        rights: Permissions,
        token: sampled(nullable(Type.String({ description: 'the new token; no other response contains it' })), null),
        result: true,
      }),
    },
  },
  async run(parts, { kind, name, password, rights: wanted }) {
    const changed = await parts.accessControl.accounts.put({ kind, name, password, permissions: wanted });
    return { body: { rights: [...changed.permissions], token: changed.token ?? null, result: true } };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/accounts/{kind}/{name}',
  name: 'accountDelete',
  summary: 'Removes a user or a token.',
  parameters: accountSegments,
  responses: { 200: { description: 'the account is removed', schema: recordSchema({ result: true }) } },
  failures: { 400: 'an unknown kind of account, or the last account with `admin`', 404: 'no such account' },
  async run(parts, { kind, name }) {
    await parts.accessControl.accounts.remove(kind, name);
    return { body: { result: true } };
  },
});

export const accountRoutes = group('system', [list, put, remove]);
