/** A program that leaks on a machine with little memory: it ends before the machine runs out of it. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { heapLimit, isHeapOver } from '../../src/commands/heap-bound.ts';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startAfter, temporaryFolder } from './program.ts';

const mebibyte = 2 ** 20;

describe('the bound of objects', () => {
  it.each([
    [128, 64],
    [256, 96],
    [512, 192],
    [1000, 375],
    [1024, undefined],
    [8192, undefined],
  ])('on a machine with %i MB is %i MB', (memory, bound) => {
    expect(heapLimit(memory * mebibyte)).toBe(bound && bound * mebibyte);
  });

  it('counts what is in use, and no garbage', async () => {
    // Collects the garbage of the tests before.
    isHeapOver(0);
    const before = process.memoryUsage();
    const bound = before.heapUsed + before.external + 50 * mebibyte;
    let kept: unknown[] = Array.from({ length: 100 }, () => Buffer.alloc(mebibyte));
    expect(isHeapOver(bound)).toBe(true);
    kept = [];
    await untilTrue(() => kept.length === 0 && !isHeapOver(bound));
  });
});

describe('a leak on a small machine', () => {
  const folder = temporaryFolder();
  let program: Program | undefined;
  afterEach(async () => {
    await program?.stop('SIGKILL');
    removeFolder(folder);
  });

  it('ends the program in order, with its recordings complete, and a code for the service manager', async () => {
    const leak = join(folder, 'leak.cjs');
    writeFileSync(
      leak,
      `process.constrainedMemory = () => ${256 * mebibyte};
       const kept = [];
       process.once('SIGUSR2', () => setInterval(() => kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n }))), 20).unref());`,
    );
    program = await startAfter(leak, folder, '--tuner', 'demo');
    const { json, signal, log, ended } = program;
    const service = await eventually(async () => {
      const { services } = await json<{ services: { subservices: { servicereference: string }[] }[] }>(
        '/api/getallservices',
      );
      return services[0]?.subservices[0]?.servicereference;
    }, 'a service');
    expect(await json(`/api/recordnow?sRef=${encodeURIComponent(service)}`)).toMatchObject({ result: true });
    const recording = await eventually(
      async () => readdirSync(join(folder, 'movie')).find((name) => name.endsWith('.ts')),
      'a recording',
    );
    signal('SIGUSR2');
    expect(await ended).toBe(1);
    expect(log.filter(({ level }) => level === 60).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^stopping: more than 96 MB of JavaScript heap on a machine with 256 MB; /),
    ]);
    const files = readdirSync(join(folder, 'movie'));
    expect(files).toEqual(
      expect.arrayContaining(
        ['', '.meta', '.ap', '.eit'].map((end) => `${recording}${end}`.replace('.ts.eit', '.eit')),
      ),
    );
    expect(statSync(join(folder, 'movie', recording)).size % 188).toBe(0);
  });
});
