/**
 * The whole program over HTTP: its own process with 5,725 named services and the guide imported from XMLTV, and one
 * client over one persistent connection. It is compared with the target time and with a bare Node server that sends
 * ready responses to the same clients: the machine's own share. A time ends with the last byte and excludes what the
 * client does with it.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from './comparison.ts';
import { loadCorpus } from './guide-corpus.ts';
import { drawQueries } from './guide-queries.ts';
import { importGuide, type Program, startBare, startProgram, timed } from './http-program.ts';
import { temporaryFolder } from './native.ts';
import { bouquetReference, reference, writeLists } from './service-lists.ts';
import { writeXmltv } from './xmltv.ts';

export default async function* comparisons(quick: boolean): AsyncIterable<Comparison> {
  const corpus = loadCorpus(quick ? 20_000 : Number.POSITIVE_INFINITY);
  const label = `http ${quick ? '20k' : '200k'}`;
  const folder = temporaryFolder();
  writeLists(
    join(folder, 'enigma2'),
    corpus.services.map(({ name }) => name),
    [{ file: 'userbouquet.bench.tv', services: corpus.services.map((_, n) => n + 1) }],
  );
  const { file, events } = await writeXmltv(corpus, join(folder, 'guide.xml'));
  const scale = corpus.count / 200_000;

  let program = await startProgram(folder);
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
      'the guide has every event of the file',
    );
  const took = await timed(async () => imported(await importGuide(program, file)));
  await program.get('/web/clearepg');
  const besides = await whileImporting(program);
  imported(besides.answer);
  console.log(
    `\n${label}: ${events.toLocaleString('en')} ${corpus.source} of ${corpus.services.length.toLocaleString('en')} channels, ` +
      `XMLTV of ${(statSync(file).size / 1e6).toFixed(1)} MB; ` +
      `imported in ${Math.round(besides.took)} ms while a client requests single channels without pause`,
  );

  const queries = drawQueries(corpus, corpus.texts, 200).filter(
    ({ match, text }) => match === 'contains' && [...text].length > 2,
  );
  const search = (querytype: 'title' | 'all') =>
    queries
      .filter(({ scope }) => scope === querytype)
      .map(({ text }) => `/api/eventsearch?max_rows=100&querytype=${querytype}&what=${encodeURIComponent(text)}`);
  const [titles, all] = [search('title'), search('all')];
  const bouquet = encodeURIComponent(bouquetReference('userbouquet.bench.tv'));
  const nowNext = [`/api/epgnownext?bRef=${bouquet}`];
  const bare = await startBare('http-bare.ts', program, [...channels, ...all, ...nowNext]);
  yield compared('XMLTV import', [took], 3000 * scale);
  yield compared('a channel while a guide is imported', besides.samples, 5, (await whileImporting(bare)).samples);
  yield compared('search in titles, first hundred', await each(program, titles, rounds), 1);
  yield compared('search in all texts, first hundred', await each(program, all, rounds), 2);
  const few = quick ? 10 : 100;
  yield compared(
    'now and next of every channel',
    await each(program, nowNext, few),
    15,
    await each(bare, nowNext, few),
  );
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
    program = await startProgram(folder);
    const found = async () =>
      JSON.parse(String(Buffer.concat(await program.get(titles[0] as string)))) as { events: unknown[] };
    const deadline = begin + 20_000;
    while ((await found()).events.length === 0) {
      assert(performance.now() < deadline, 'the imported guide survives a restart');
    }
    starts.push(performance.now() - begin);
  }
  yield compared('start to the first search', starts, 300);
  await program.stop();
}

/** Makes another client search until the returned function is called, which resolves to the number of searches. */
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
