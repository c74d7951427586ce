/** Programs that write guide files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { grabbed } from '../../src/guide-sources/grabber.ts';
import { isRunning } from '../fixtures/is-running.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until, untilTrue } from '../fixtures/waits.ts';

async function run(script: string, options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {}) {
  const { signal = new AbortController().signal, ...others } = options;
  const pieces: Uint8Array[] = [];
  for await (const piece of grabbed('/bin/sh', ['-c', script], { signal, ...others })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('reads the output of a program', async () => {
  expect(await run('echo "<tv/>"; echo progress >&2')).toBe('<tv/>\n');
  expect((await run('head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2')).length).toBe(3_000_000);
});

it('reports a program that fails, cannot be started or takes too long', async () => {
  const secret = 'echo first >&2; echo "no login at http://tv.example/user/secret" >&2; exit 3';
  await expect(run(secret)).rejects.toThrow('sh: status 3: no login at http://tv.example/');
  await expect(run(secret)).rejects.not.toThrow('secret');
  // A long address, of which the message has only the end.
  const long = `echo "no login at https://tv.example/${'a'.repeat(300)}/secret/guide.xml: 403" >&2; exit 3`;
  await expect(run(long)).rejects.toThrow('no login at https://tv.example/');
  await expect(run(long)).rejects.not.toThrow('secret');
  await expect(run(`printf 'a\\033[2Jb\\rc' >&2; exit 3`)).rejects.toThrow('sh: status 3: a [2Jb c');
  await expect(run('kill -9 $$')).rejects.toThrow('sh: killed by SIGKILL');
  await expect(run('sleep 1000', { timeoutMs: 50 })).rejects.toThrow('sh: it took longer than 0.05 s');
  const missing = grabbed('/nowhere/tv_grab', [], { signal: new AbortController().signal });
  await expect(missing.next()).rejects.toThrow('tv_grab: no such file or directory');
});

it('kills the program and what it has started when it is stopped, or its reader stops', async () => {
  const path = join(temporaryFolder(), 'pid');
  const script = `sleep 1000 & echo $! > ${path}.new; mv ${path}.new ${path}; echo "<tv>"; wait`;
  const pidOf = () => until(() => Number(readFileSync(path, 'latin1')));
  const stop = new AbortController();
  const stopped = run(script, { signal: stop.signal });
  const first = await pidOf();
  expect(isRunning(first)).toBe(true);
  stop.abort();
  await expect(stopped).rejects.toThrow('aborted');
  await untilTrue(() => !isRunning(first));

  const other = grabbed('/bin/sh', ['-c', script], { signal: new AbortController().signal });
  for await (const _ of other) break;
  const second = await pidOf();
  expect(second).not.toBe(first);
  await untilTrue(() => !isRunning(second));
});
