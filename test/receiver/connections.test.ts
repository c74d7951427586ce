/** The whole program with more connections than it may open files. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { removeFolder, startWithFewFiles, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  removeFolder(folder);
});

it('records although clients connect until nothing is left', async () => {
  const program = await startWithFewFiles(200, folder, '--tuner', 'demo', '--clock', 'system');
  const sRef = await eventually(async () => {
    const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services/tv');
    return items[1]?.[0];
  }, 'the services of the demo multiplex');
  const ends = Array.from({ length: 300 }, async () => {
    const { hostname, port } = new URL(program.http);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    sockets.push(socket);
    socket.write('GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n');
    // They stay, or are closed at once, which some take for an error.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined);
  });
  await Promise.all(ends);
  const now = Math.floor(Date.now() / 1000);
  const timer = new URLSearchParams({ sRef, begin: String(now), end: String(now + 600), name: 'Crowded' });
  expect(await program.json(`/api/timeradd?${timer}`)).toMatchObject({ result: true });
  await untilTrue(() => readdirSync(join(folder, 'movie')).some((name) => name.endsWith('.ts.ap')));
  expect(await program.stop()).toBe(0);
  expect(program.log.filter(({ level }) => level > 40)).toEqual([]);
});
