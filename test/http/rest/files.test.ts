/** Responses with a file: the file is closed, whatever the client does. */
import { once } from 'node:events';
import fs, { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../fixtures/waits.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
let port: number;

beforeAll(async () => {
  receiver = await openReceiver();
  writeFileSync(join(receiver.folder, 'movie', 'Ships.ts'), Buffer.alloc(3_000_000, 0x47));
  await receiver.app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = receiver.app.server.address() as AddressInfo);
});
afterAll(() => receiver.close());

/** How many handles of this file are open. Handles of other files are opened and closed meanwhile. */
const openFiles = () => {
  const all = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return all.filter((path) => path.endsWith('/Ships.ts')).length;
};
const head = (method: string, more = '') => `${method} /file?file=Ships.ts HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;

it.skipIf(process.platform !== 'linux').each<[string, string]>([
  ['leaves at once', head('GET')],
  ['leaves in the middle', head('GET')],
  ['wants the head only', head('HEAD', 'Connection: close\r\n')],
  ['wants a range', head('GET', 'Range: bytes=100-199\r\nConnection: close\r\n')],
  ['wants a range that is not there', head('GET', 'Range: bytes=9999999-\r\nConnection: close\r\n')],
  ['wants another version', head('GET', 'If-Match: "x"\r\nConnection: close\r\n')],
])('closes the file for a client that %s', async (kind, request) => {
  for (let n = 0; n < 30; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(request);
    if (kind.startsWith('wants')) {
      socket.resume();
      await once(socket, 'close');
    } else if (kind.includes('middle')) {
      await once(socket, 'readable');
      socket.resetAndDestroy();
    } else {
      await once(socket, 'connect');
      socket.resetAndDestroy();
    }
  }
  await until(() => expect(openFiles()).toBe(0));
});

it('survives a disk that opens a file after the client has left', async () => {
  const { open } = fs;
  const waiting: (() => Promise<void>)[] = [];
  const openLate = (...parameters: readonly unknown[]) => {
    const opened = parameters.at(-1) as (...result: readonly unknown[]) => void;
    const openNow = (done: () => void) =>
      (open as (...given: readonly unknown[]) => void)(...parameters.slice(0, -1), (...result: readonly unknown[]) => {
        opened(...result);
        done();
      });
    waiting.push(() => new Promise(openNow));
  };
  const late = vi.spyOn(fs, 'open').mockImplementation(openLate as unknown as typeof open);
  onTestFinished(() => late.mockRestore());
  const response = await fetch(`http://127.0.0.1:${port}/file?file=Ships.ts`, { headers: { range: 'bytes=0-9' } });
  expect((await response.arrayBuffer()).byteLength).toBe(10);
  await until(() => expect(openFiles()).toBe(0));
  // An open that fails now would have nobody to tell, and would end the process.
  for (const openNow of waiting) await openNow();
});

it('sends the requested bytes', async () => {
  writeFileSync(join(receiver.folder, 'movie', 'Count.ts'), Buffer.from(Array.from({ length: 200 }, (_, n) => n)));
  const get = async (range?: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/file?file=Count.ts`, range ? { headers: { range } } : {});
    return [response.status, [...new Uint8Array(await response.arrayBuffer())], response.headers.get('content-type')];
  };
  const bytes = Array.from({ length: 200 }, (_, n) => n);
  expect(await get()).toEqual([200, bytes, 'video/mp2t']);
  expect(await get('bytes=10-19')).toEqual([206, bytes.slice(10, 20), 'video/mp2t']);
  expect(await get('bytes=190-')).toEqual([206, bytes.slice(190), 'video/mp2t']);
  expect(await get('bytes=-5')).toEqual([206, bytes.slice(195), 'video/mp2t']);
  writeFileSync(join(receiver.folder, 'movie', 'Count.ts'), '');
  expect((await get())[1]).toEqual([]);
});
