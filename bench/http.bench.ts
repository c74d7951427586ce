/**
 * The whole program over HTTP: a process of its own with 5,725 named services and the guide imported from XMLTV, asked by one
 * client over one connection that is kept. What is compared is what is wanted, and what a bare Node server with ready answers takes
 * under the same clients: the machine's own part. A time ends with the last byte; what a client makes of the bytes is its own.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import type { Comparison } from './comparison.ts';
import { type Corpus, loadCorpus } from './guide-corpus.ts';
import { drawQueries } from './guide-queries.ts';
import { root, temporaryFolder } from './native.ts';

const namespace = 0xc00000;
const reference = (service: number) =>
  `1:0:1:${service.toString(16).toUpperCase()}:${(1 + (service >> 12)).toString(16).toUpperCase()}:1:${namespace.toString(16).toUpperCase()}:0:0:0:`;

export default async function* comparisons(quick: boolean): AsyncIterable<Comparison> {
  const corpus = loadCorpus(quick ? 20_000 : Number.POSITIVE_INFINITY);
  const label = `http ${quick ? '20k' : '200k'}`;
  const folder = temporaryFolder();
  writeLists(join(folder, 'enigma2'), corpus);
  const { file, events } = await writeXmltv(corpus, join(folder, 'guide.xml'));
  const scale = corpus.count / 200_000;

  let program = await start(folder);
  const rounds = quick ? 100 : 1000;
  const compared = (
    name: string,
    samples: readonly number[],
    target: number,
    bare?: readonly number[],
  ): Comparison => ({
    name: `${label}: ${name}`,
    contenders: [
      { name: 'receiverd', samples, result: undefined },
      { name: 'wanted', samples: [target], result: undefined },
      ...(bare === undefined ? [] : [{ name: 'bare Node, answers ready', samples: bare, result: undefined }]),
    ],
    check: () => undefined,
  });
  const each = async ({ get }: Pick<Program, 'get'>, paths: readonly string[], count: number) => {
    for (let n = 0; n < 20; n++) await get(paths[n % paths.length] as string);
    const samples: number[] = [];
    for (let n = 0; n < count; n++) samples.push(await timed(() => get(paths[n % paths.length] as string)));
    return samples;
  };

  const channels = Array.from(
    { length: 1000 },
    (_, n) => `/api/epgservice?sRef=${reference(1 + (n % corpus.services.length))}`,
  );
  const whileImporting = async (server: Pick<Program, 'get' | 'url'>) => {
    const samples: number[] = [];
    let done = false;
    const begin = performance.now();
    const answer = importGuide(server, file).finally(() => {
      done = true;
    });
    const took = answer.then(() => performance.now() - begin);
    for (let n = 0; !done; n++) samples.push(await timed(() => server.get(channels[n % channels.length] as string)));
    return { answer: await answer, took: await took, samples };
  };
  const imported = (answer: string) =>
    assert.equal(
      (JSON.parse(answer) as { imported: number }).imported,
      events,
      'every event of the file is in the guide',
    );
  const took = await timed(async () => imported(await importGuide(program, file)));
  await program.get('/web/clearepg');
  const besides = await whileImporting(program);
  imported(besides.answer);
  console.log(
    `\n${label}: ${events.toLocaleString('en')} ${corpus.source} of ${corpus.services.length.toLocaleString('en')} channels, ` +
      `XMLTV of ${(statSync(file).size / 1e6).toFixed(1)} MB; ` +
      `imported in ${Math.round(besides.took)} ms while one channel is asked for without a pause`,
  );

  const queries = drawQueries(corpus, corpus.texts, 200).filter(
    ({ match, text }) => match === 'contains' && [...text].length > 2,
  );
  const search = (querytype: 'title' | 'all') =>
    queries
      .filter(({ scope }) => scope === querytype)
      .map(({ text }) => `/api/eventsearch?max_rows=100&querytype=${querytype}&what=${encodeURIComponent(text)}`);
  const [titles, all] = [search('title'), search('all')];
  const bouquet = encodeURIComponent('1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.bench.tv" ORDER BY bouquet');
  const nowNext = [`/api/epgnownext?bRef=${bouquet}`];
  const bare = await startBare(program, [...channels, ...all, ...nowNext]);
  yield compared('XMLTV import', [took], 3000 * scale);
  yield compared('a channel while a guide is imported', besides.samples, 5, (await whileImporting(bare)).samples);
  yield compared('search in titles, first hundred', await each(program, titles, rounds), 1);
  yield compared('search in all texts, first hundred', await each(program, all, rounds), 2);
  const few = quick ? 10 : 100;
  yield compared('now and next of every channel', await each(program, nowNext, few), 5, await each(bare, nowNext, few));
  yield compared('a channel', await each(program, channels, rounds), 5, await each(bare, channels, rounds));
  const whileSearching = async (server: Pick<Program, 'get' | 'url'>) => {
    const others = await disturb(server, all);
    const samples = await each(server, channels, rounds);
    console.log(`  ${await others()} searches meanwhile`);
    return samples;
  };
  yield compared('a channel while others search', await whileSearching(program), 5, await whileSearching(bare));
  bare.stop();

  const starts: number[] = [];
  for (let times = quick ? 3 : 9; times > 0; times--) {
    await program.stop();
    const begin = performance.now();
    program = await start(folder);
    const found = async () =>
      JSON.parse(String(Buffer.concat(await program.get(titles[0] as string)))) as { events: unknown[] };
    const patience = begin + 20_000;
    while ((await found()).events.length === 0) {
      assert(performance.now() < patience, 'what was imported is there after a restart');
    }
    starts.push(performance.now() - begin);
  }
  yield compared('start to the first search', starts, 300);
  await program.stop();
}

interface Program {
  readonly url: string;
  readonly child: ChildProcess;
  /** The bytes of an answer, as they came. */
  get(path: string): Promise<readonly Buffer[]>;
  stop(): Promise<void>;
}

async function start(folder: string): Promise<Program> {
  const config = join(folder, 'receiverd.yaml');
  const nothing = join(folder, 'nothing.ts');
  writeFileSync(nothing, Buffer.concat(Array.from({ length: 1000 }, (_, n) => nullPacket(n))));
  writeFileSync(
    config,
    `dataDir: ${folder}\nbind: 127.0.0.1\nhttpPort: 0\nstreamPort: 0\nscan: never\ntuners: ["file:${nothing}"]\nlogLevel: error\n`,
  );
  const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'start', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
    createInterface(child.stdout).on('line', (line) => {
      const match = /^receiverd ready http=(\S+?)\/? /.exec(line);
      if (match?.[1]) resolve(match[1]);
    });
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const { get, agent } = client(url);
  return {
    url,
    child,
    get,
    async stop() {
      agent.destroy();
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** One connection that is kept. */
function client(url: string): { readonly get: Program['get']; readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { agent, get: (path) => read(request(url + path, { agent }).end()) };
}

/** A bare server that answers as the program does now. */
async function startBare(
  program: Program,
  paths: readonly string[],
): Promise<Pick<Program, 'get' | 'url'> & { stop(): void }> {
  const answers = new Map<string, Buffer>();
  for (const path of paths) answers.set(path, Buffer.concat(await program.get(path)));
  const child = fork(join(import.meta.dirname, 'http-bare.ts'), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  child.send(answers as never);
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  const { get, agent } = client(url);
  const stop = () => {
    agent.destroy();
    child.disconnect();
  };
  return { url, get, stop };
}

/** The body of an answer that is to be a good one. */
function read(asked: ReturnType<typeof request>): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    asked.once('error', reject).once('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(parts);
        else reject(new Error(`${asked.path}: ${answer.statusCode} ${String(Buffer.concat(parts)).slice(0, 200)}`));
      });
    });
  });
}

/** Gives what the server says of it. */
async function importGuide({ url }: Pick<Program, 'url'>, file: string): Promise<string> {
  const asked = request(`${url}/api/epgimport`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'content-length': statSync(file).size },
  });
  const answer = read(asked);
  createReadStream(file, { highWaterMark: 1 << 18 }).pipe(asked);
  return String(Buffer.concat(await answer));
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

/** Another client searches until the function that comes back is called; it gives the number of searches. */
async function disturb(program: Pick<Program, 'url'>, paths: readonly string[]): Promise<() => Promise<number>> {
  const client = fork(join(import.meta.dirname, 'http-disturber.ts'), { execArgv: ['--import', 'tsx'] });
  client.send(paths.map((path) => program.url + path));
  await once(client, 'message');
  return async () => {
    client.send('end');
    const [count] = (await once(client, 'message')) as [number];
    return count;
  };
}

/** lamedb of version 4 and one bouquet with every service. */
function writeLists(folder: string, { services }: Corpus): void {
  mkdirSync(folder, { recursive: true });
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const streams = [...new Set(services.map((_, n) => 1 + ((n + 1) >> 12)))];
  const transponder = (stream: number) => `${hex(namespace, 8)}:${hex(stream, 4)}:0001`;
  const transponders = streams.map(
    (stream) => `${transponder(stream)}\n\ts ${10_700_000 + stream * 40_000}:27500000:1:4:192:2:0:1:2:0:2\n/\n`,
  );
  const entries = services.map(({ name }, n) => {
    const stream = 1 + ((n + 1) >> 12);
    return `${hex(n + 1, 4)}:${hex(namespace, 8)}:${hex(stream, 4)}:0001:1:0\n${name}\np:bench\n`;
  });
  writeFileSync(
    join(folder, 'lamedb'),
    `eDVB services /4/\ntransponders\n${transponders.join('')}end\nservices\n${entries.join('')}end\nHave a lot of bugs!\n`,
  );
  writeFileSync(
    join(folder, 'bouquets.tv'),
    '#NAME Bouquets (TV)\n#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.bench.tv" ORDER BY bouquet\n',
  );
  writeFileSync(join(folder, 'bouquets.radio'), '#NAME Bouquets (Radio)\n');
  writeFileSync(
    join(folder, 'userbouquet.bench.tv'),
    `#NAME Bench\n${services.map((_, n) => `#SERVICE ${reference(n + 1)}\n`).join('')}`,
  );
}

/**
 * The guide as a grabber writes it. Each service's events are moved so that its first one runs now: then every channel has
 * a now, all but those with a single event have a next, and hardly any event is left out because it is over.
 */
async function writeXmltv(corpus: Corpus, file: string): Promise<{ file: string; events: number }> {
  const now = Math.floor(Date.now() / 1000);
  const shift = intoNow(corpus, now);
  let events = 0;
  const out = createWriteStream(file);
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\..*/g, '')} +0000`;
  const id = (service: number) => reference(service);
  out.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n<tv>\n');
  for (const [n, { name }] of corpus.services.entries()) {
    out.write(`  <channel id="${id(n + 1)}">\n    <display-name>${escaped(name)}</display-name>\n  </channel>\n`);
  }
  const order = Array.from({ length: corpus.count }, (_, n) => n).sort(
    (a, b) => (corpus.service[a] as number) - (corpus.service[b] as number) || a - b,
  );
  for (const n of order) {
    const start = (corpus.start[n] as number) + (shift[corpus.service[n] as number] as number);
    const stop = start + (corpus.duration[n] as number);
    // It would be over before it is imported.
    if (stop <= now + 60) continue;
    events++;
    const text = (column: Uint32Array) => escaped(corpus.texts[column[n] as number] ?? '');
    const element = (name: string, value: string) =>
      value === '' ? '' : `    <${name} lang="en">${value}</${name}>\n`;
    const programme =
      `  <programme start="${time(start)}" stop="${time(stop)}" channel="${id(corpus.service[n] as number)}">\n` +
      `${element('title', text(corpus.title))}${element('sub-title', text(corpus.shortText))}` +
      `${element('desc', text(corpus.longText))}  </programme>\n`;
    if (!out.write(programme)) await once(out, 'drain');
  }
  out.end('</tv>\n');
  await finished(out);
  return { file, events };
}

/** Seconds by which each service, by its number, is moved: its first event is halfway through. */
function intoNow(corpus: Corpus, now: number): Float64Array {
  const shift = new Float64Array(corpus.services.length + 1).fill(Number.NaN);
  // Events come in the order of time.
  for (let n = 0; n < corpus.count; n++) {
    const service = corpus.service[n] as number;
    if (Number.isNaN(shift[service])) {
      shift[service] = now - Math.floor((corpus.duration[n] as number) / 2) - (corpus.start[n] as number);
    }
  }
  return shift;
}

function nullPacket(counter: number): Buffer {
  const packet = Buffer.alloc(188, 0xff);
  packet.set([0x47, 0x1f, 0xff, 0x10 | (counter & 0xf)]);
  return packet;
}
