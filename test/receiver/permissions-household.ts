/** Asks for everything that only administrators may, as this machine, a neighbour and a stranger; prints the statuses. */
import { request } from 'node:http';
import { address, publicAddress } from '../fixtures/own-network.ts';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-permission': string }>>>>;
}

const folder = temporaryFolder();
const program = await startProgram(folder, '--tuner', 'demo', '--bind', '0.0.0.0');
const { port } = new URL(program.http);

/** From an address to another: the receiver sees the first. */
function ask(from: string, method: string, path: string, body = ''): Promise<number> {
  const host = from.startsWith('127.') ? '127.0.0.1' : address;
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    request({ host, port, localAddress: from, method, path, headers }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
}

const { paths } = await program.json<Documented>('/api/openapi.json');
const steps = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { 'x-permission': permission }]) =>
    permission === 'admin' ? [[method.toUpperCase(), path.replace(/\{\w+\}/g, '1')] as const] : [],
  ),
);
/** What ends or changes the program itself stays out of what is allowed. */
const harmless = /^(GET|HEAD) \/(api\/(log|doctor|configuration)|accounts)$/;

async function answers(from: string, isAllowed = false) {
  const found: Record<string, number> = {};
  for (const [method, path] of steps) {
    const name = `${method} ${path}`;
    if (!isAllowed || harmless.test(name)) found[name] = await ask(from, method, path);
  }
  return found;
}

const watched: number[] = [];
async function watch() {
  const begin = Math.floor(Date.now() / 1000) + 86_400;
  const timer = `sRef=1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:&begin=${begin}&end=${begin + 60}&name=x`;
  for (const path of ['/api/about', '/web/getservices', '/api/vol?set=set40', `/api/timeradd?${timer}`, '/timers'])
    watched.push(await ask(address, 'GET', path));
}

const all = async (isAllowed: boolean) => ({
  machine: await answers('127.0.0.1', isAllowed),
  neighbour: await answers(address),
  stranger: await answers(publicAddress),
});

const before = await all(true);
await watch();
const status = await ask('127.0.0.1', 'PUT', '/accounts/user/anna', 'password=correct+horse');
if (status !== 200) throw new Error(`no administrator: ${status}`);
const after = await all(false);
await watch();
process.stdout.write(JSON.stringify({ before, after, watched }));
await program.stop();
removeFolder(folder);
