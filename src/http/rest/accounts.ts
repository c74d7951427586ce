/** `/accounts`: the users and tokens, for whoever may administer. */
import * as Type from 'typebox';
import { accountKinds } from '../../access/account-changes.ts';
import { type Permission, permissions } from '../../access/permissions.ts';
import { Parameter, refused, text, word } from '../middleware/parameters.ts';
import { exampleOf, field, nullable, oneOf, record, sampled } from '../write/record.ts';
import { area, route } from './route.ts';

const Permissions = sampled(Type.Array(oneOf(permissions)), ['view', 'control']);

const Account = record({ kind: sampled(oneOf(accountKinds), 'user'), name: 'anna', rights: Permissions });

const Visit = record({
  account: field('anna', 'its name; that of a token begins with `token `'),
  address: '192.168.1.20',
  agent: field('Kodi/20.5', 'User-Agent of the requests'),
  last: field(1767291000, 'Unix seconds of the latest one'),
});

const which = {
  kind: word('user or token', accountKinds).required(),
  name: text('1 to 32 characters without blanks and colons', 'anna').required(),
};

const wantedPermissions = new Parameter<readonly Permission[] | undefined>(
  'what it may do; default is what it could, of the first account everything, of others all but `admin`',
  Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: permissions })),
  (_, name, all) =>
    all?.map((given) => {
      const known = permissions.find((one) => one === given);
      if (known === undefined) throw refused(name, given, `one of ${permissions.join(', ')}`);
      return known;
    }),
  { takes: 'texts' },
);

const list = route({
  path: '/accounts',
  name: 'accounts',
  isPrivate: true,
  summary: 'The users and tokens, and which apps were here with them since the start, latest first.',
  responses: {
    200: {
      description: 'the accounts',
      schema: record({
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
  description: 'The first account may do everything. One account keeps `admin`.',
  segments: which,
  fields: {
    password: text('of a user, 8 to 1024 characters; default is the one before'),
    rights: wantedPermissions,
  },
  responses: {
    200: {
      description: 'the account can be used',
      schema: record({
        rights: Permissions,
        token: sampled(nullable(Type.String({ description: 'the new token, which is shown only now' })), null),
        result: true,
      }),
    },
  },
  async run(parts, { kind, name, password, rights: wanted }) {
    const done = await parts.accessControl.accounts.put({ kind, name, password, permissions: wanted });
    return { body: { rights: [...done.permissions], token: done.token ?? null, result: true } };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/accounts/{kind}/{name}',
  name: 'accountDelete',
  summary: 'Removes a user or a token.',
  segments: which,
  responses: { 200: { description: 'it is gone', schema: record({ result: true }) } },
  failures: { 400: 'no kind of account, or the last one that may administer', 404: 'no such account' },
  async run(parts, { kind, name }) {
    await parts.accessControl.accounts.remove(kind, name);
    return { body: { result: true } };
  },
});

export const accountRoutes = area('system', [list, put, remove]);
