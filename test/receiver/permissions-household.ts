/**
 * Sends every request of the OpenAPI document to the program, from this machine, a neighbour and a stranger, each without a
 * login and with a token for every permission, before and after there is an administrator. Prints the statuses of those that
 * must be refused, and of some that must not.
 */
import { request } from 'node:http';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../src/access/accounts-file.ts';
import { type Permission, permits } from '../../src/access/permissions.ts';
import { localPermissions } from '../../src/config/config.ts';
import { address, publicAddress } from '../fixtures/own-network.ts';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

interface Documented {
  readonly 'x-permission': Permission | 'none';
  readonly 'x-permission-with'?: Readonly<Record<string, Permission>>;
}

interface Step {
  readonly method: string;
  readonly path: string;
  readonly permission: Permission;
}

/** Statuses of the requests that a user may not make, by method and path. */
export type Answers = Readonly<Record<string, number>>;
export type Seen = Readonly<Record<'machine' | 'neighbour' | 'stranger', Readonly<Record<string, Answers>>>>;
export interface Household {
  readonly before: Seen;
  readonly after: Seen;
  /** Statuses of requests that are allowed: the machine's before there is an administrator, and the administrator's. */
  readonly administered: readonly number[];
  readonly watched: readonly number[];
}

const folder = temporaryFolder();
const limited = ['view', 'control', 'record'] as const;
const tokens = Object.fromEntries(limited.map((one) => [one, newToken()]));
await writeAccounts(accountsPath(folder), {
  ...noAccounts(),
  tokens: limited.map((one) => ({ name: one, rights: [one], hash: tokens[one]?.hash ?? '', created: 0 })),
});
const program = await startProgram(folder, '--tuner', 'demo', '--bind', '0.0.0.0');
const { port } = new URL(program.http);

/** From an address to another: the receiver sees the first. */
function ask(from: string, method: string, path: string, { body = '', token = '' } = {}): Promise<number> {
  const host = from.startsWith('127.') ? '127.0.0.1' : address;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    request({ host, port, localAddress: from, method, path, headers }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
}

const { paths } = await program.json<{ paths: Record<string, Record<string, Documented>> }>('/api/openapi.json');
/** Without parameters, and with each parameter that needs another permission. Without the path of the stream port. */
const steps = Object.entries(paths)
  .filter(([path]) => path !== '/{service_reference}')
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { 'x-permission': plain, 'x-permission-with': more = {} }]) => {
      const step = { method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, '1') };
      const others = Object.entries(more).map(([name, permission]) => ({
        ...step,
        path: `${step.path}?${name}=`,
        permission,
      }));
      return plain === 'none' ? others : [{ ...step, permission: plain }, ...others];
    }),
  );

/** What ends or changes the program itself stays out of what is allowed. */
const harmless = steps.filter(({ method, path }) =>
  /^GET \/(api\/(log|doctor|configuration)|accounts)$/.test(`${method} ${path}`),
);

async function answers(from: string, may: readonly Permission[], token?: string): Promise<Answers> {
  const found: Record<string, number> = {};
  const refused = steps.filter(({ permission }: Step) => !permits(may, permission));
  for (const { method, path } of refused) found[`${method} ${path}`] = await ask(from, method, path, { token });
  return found;
}

/** All users, of whom one without a login has these permissions. */
async function usersAt(from: string, without: readonly Permission[]) {
  const found: Record<string, Answers> = { nobody: await answers(from, without) };
  for (const one of limited) found[one] = await answers(from, [one], tokens[one]?.token);
  return found;
}

const all = async (onMachine: readonly Permission[]): Promise<Seen> => ({
  machine: await usersAt('127.0.0.1', onMachine),
  neighbour: await usersAt(address, localPermissions),
  stranger: await usersAt(publicAddress, []),
});

const watched: number[] = [];
async function watch() {
  const begin = Math.floor(Date.now() / 1000) + 86_400;
  const timer = `sRef=1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:&begin=${begin}&end=${begin + 60}&name=x`;
  for (const path of ['/api/about', '/web/getservices', '/api/vol?set=set40', `/api/timeradd?${timer}`, '/timers'])
    watched.push(await ask(address, 'GET', path));
}

const administered: number[] = [];
async function administer(from: string, token?: string) {
  for (const { method, path } of harmless) administered.push(await ask(from, method, path, { token }));
}

const before = await all(['admin']);
await administer('127.0.0.1');
await watch();
const status = await ask('127.0.0.1', 'PUT', '/accounts/user/anna', { body: 'password=correct+horse&rights=admin' });
if (status !== 200) throw new Error(`no administrator: ${status}`);
const after = await all(localPermissions);
await watch();
process.stdout.write(JSON.stringify({ before, after, administered, watched } satisfies Household));
await program.stop();
removeFolder(folder);
