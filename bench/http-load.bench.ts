/**
 * The most requested routes under load: 16 clients that never pause, against bare Fastify sending a ready buffer of the
 * same bytes to the same clients. Meanwhile perf_hooks measures how long the program's event loop is blocked, which is
 * how long every other client has to wait.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Comparison } from './comparison.ts';
import { type Delay, held, told } from './event-loop.ts';
import type { Load } from './http-loader.ts';
import { importGuide, startBare, startProgram } from './http-program.ts';
import { temporaryFolder } from './native.ts';
import { bouquetReference, reference, writeLists } from './service-lists.ts';
import { writeGuide } from './small-guide.ts';

const clients = 16;

interface HotRoute {
  readonly name: string;
  readonly path: string;
  /** No request repeats, so no response comes from the cache. */
  readonly distinct?: boolean;
}

const small = 'userbouquet.small.tv';
const bouquet = (file: string) => `bRef=${encodeURIComponent(bouquetReference(file))}`;

/** With 2,000 services in ten bouquets, and with 20,000 in one. */
const worlds: readonly {
  readonly services: number;
  readonly inBouquet: number;
  readonly routes: readonly HotRoute[];
}[] = [
  {
    services: 2000,
    inBouquet: 200,
    routes: [
      { name: 'epgnow of 200 services', path: `/api/epgnow?${bouquet(small)}` },
      { name: 'getallservices of 2,000 services', path: '/web/getallservices' },
      { name: 'epgnow of 200 services, none twice', path: `/api/epgnow?${bouquet(small)}`, distinct: true },
      { name: 'epgsearch', path: '/api/epgsearch?search=ship' },
      { name: 'epgsearch, none twice', path: '/api/epgsearch?search=ship', distinct: true },
      { name: 'statusinfo', path: '/api/statusinfo' },
    ],
  },
  {
    services: 20_000,
    inBouquet: 20_000,
    routes: [
      { name: 'services.m3u of 20,000 services', path: `/web/services.m3u?${bouquet(small)}` },
      { name: '/services of 20,000 services', path: '/services' },
    ],
  },
];

export default async function* comparisons(quick: boolean): AsyncIterable<Comparison> {
  for (const { services, inBouquet, routes } of worlds) {
    const folder = temporaryFolder();
    writeLists(
      join(folder, 'enigma2'),
      Array.from({ length: services }, (_, n) => `Service ${n + 1}`),
      Array.from({ length: services / inBouquet }, (_, n) => ({
        file: n === 0 ? small : `userbouquet.b${n}.tv`,
        services: Array.from({ length: inBouquet }, (_, one) => n * inBouquet + one + 1),
      })),
    );
    const probes = { ours: join(folder, 'event-loop'), theirs: join(folder, 'event-loop-bare') };
    const program = await startProgram(folder, { probe: probes.ours });
    await importGuide(program, await writeGuide(join(folder, 'guide.xml'), Math.min(services, 2000), reference));
    const bare = await startBare(
      'fastify-bare.ts',
      program,
      routes.map(({ path }) => path),
      probes.theirs,
    );
    const ours = { ...program, held: () => held(program.child, probes.ours) };
    const theirs = { ...bare, held: () => held(bare.child, probes.theirs) };
    for (const route of routes) yield* measure(route, ours, theirs, quick);
    bare.stop();
    await program.stop();
  }
}

/** A server under test. `held` returns how long its event loop was blocked since the last call. */
interface Server {
  readonly url: string;
  held(): Promise<Delay>;
}

async function* measure(
  { name, path, distinct = false }: HotRoute,
  ours: Server,
  theirs: Server,
  quick: boolean,
): AsyncIterable<Comparison> {
  const milliseconds = quick ? 300 : 3000;
  const run = async ({ url, held }: Server) => {
    const load = (milliseconds: number) => loaded({ url: url + path, clients, milliseconds, distinct });
    // Warms up caches and V8's compilers.
    await load(milliseconds / 2);
    await held();
    return { samples: await load(milliseconds), delay: await held() };
  };
  const [mine, bare] = [await run(ours), await run(theirs)];
  const rate = (times: readonly number[]) => Math.round(times.length / (milliseconds / 1000));
  console.log(
    `\nload: ${name}: ${rate(mine.samples)} responses per second, bare Fastify ${rate(bare.samples)}; event loop blocked for ` +
      `${told(mine.delay)}, in bare Fastify for ${told(bare.delay)}`,
  );
  yield {
    name: `load: ${name}`,
    contenders: [
      { name: 'receiverd', samples: mine.samples, result: undefined },
      { name: 'bare Fastify, answers ready', samples: bare.samples, result: undefined },
    ],
    check: () => undefined,
  };
  yield {
    name: `load: event loop, ${name}`,
    contenders: [
      { name: 'receiverd', samples: [mine.delay.p99], result: undefined },
      { name: 'wanted', samples: [10], result: undefined },
      { name: 'bare Fastify, answers ready', samples: [bare.delay.p99], result: undefined },
    ],
    check: () => undefined,
  };
}

async function loaded(load: Load): Promise<readonly number[]> {
  const child = fork(join(import.meta.dirname, 'http-loader.ts'), { execArgv: ['--import', 'tsx'] });
  child.send(load as never);
  const [times] = (await once(child, 'message')) as [readonly number[]];
  child.disconnect();
  return times;
}
