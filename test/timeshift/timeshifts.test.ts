/** Timeshift of the demo multiplex over the interfaces: playback, recordings, start and stop. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseMeta } from '../../src/recordings/files/meta-file.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import type { TimeshiftOptions } from '../../src/timeshift/timeshifts.ts';
import { haveFfmpeg, run } from '../dvb/captures.ts';
import { faults } from '../fixtures/decoding.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { openReceiver } from '../http/receiver.ts';
import { demoTimeshifts } from './demo-timeshifts.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(options: Partial<TimeshiftOptions> = {}) {
  const folder = temporaryFolder();
  const demo = await demoTimeshifts(folder, options);
  closing.push(demo.close);
  const { timeshifts, settings } = demo;
  const changes: string[] = [];
  timeshifts.onChange((_, change) => changes.push(change));
  mkdirSync(join(folder, 'movie'));
  const locations = new RecordingFolders([join(folder, 'movie')]);
  const receiver = await openReceiver({ timeshifts, locations, settings });
  closing.push(() => receiver.close());
  await receiver.app.listen({ host: '127.0.0.1', port: 0 });
  const address = receiver.app.server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    ...demo,
    origin,
    changes,
    timeshiftFolder: join(folder, 'timeshift'),
    movies: join(folder, 'movie'),
    json: async (path: string, init?: RequestInit) =>
      (await (await fetch(origin + path, init)).json()) as Readonly<Record<string, unknown>>,
    text: async (path: string) => (await fetch(origin + path)).text(),
  };
}

/** Reads this many bytes. */
async function head(url: string, size: number): Promise<Buffer> {
  const abort = new AbortController();
  const { body } = await fetch(url, { signal: abort.signal });
  const parts: Uint8Array[] = [];
  let have = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    have += part.length;
    if (have >= size) break;
  }
  abort.abort();
  return Buffer.concat(parts).subarray(0, size);
}

const enabled = { state: true, timeshiftEnabled: true };
const disabled = { state: true, timeshiftEnabled: false };

describe('timeshift of the demo multiplex', () => {
  it('is started, played from different positions, recorded, and stopped', async () => {
    const { origin, timeshifts, recorder, pool, changes, timeshiftFolder, movies, watch, json, text } = await world();
    expect(await json('/api/tsstart')).toEqual({ state: false, timeshiftEnabled: false });
    expect((await fetch(`${origin}/timeshift.m3u8`)).status).toBe(404);
    expect(await json('/timeshift')).toEqual({ result: true, enabled: false, bound: 100_000_000, timeshift: null });

    watch(0);
    expect(await json('/api/tsstart')).toEqual(enabled);
    expect(await json('/api/tsstart')).toEqual(enabled);
    expect(await text('/web/tsstate')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<e2timeshift>\n\t<e2state>True</e2state>\n\t<e2timeshiftenabled>True</e2timeshiftenabled>\n</e2timeshift>\n',
    );
    expect(pool.tuners[0]?.users.map(({ purpose }) => purpose)).toContain('timeshift');
    await untilTrue(() => (timeshifts.active?.segments.length ?? 0) >= 2);

    const { timeshift } = (await json('/timeshift')) as { timeshift: Record<string, number | string> };
    expect(timeshift).toMatchObject({
      name: 'Service 0',
      playlist: `${origin}/timeshift.m3u8`,
      lost: 0,
      trouble: null,
    });
    expect(Number(timeshift.end)).toBeGreaterThan(Number(timeshift.begin));
    expect(await text('/timeshift.m3u')).toBe(
      `#EXTM3U\n#EXTVLCOPT:http-reconnect=true\n#EXTINF:-1,Service 0\n${origin}/timeshift.m3u8\n`,
    );

    const playlist = await text('/timeshift.m3u8');
    const names = playlist.split('\n').filter((line) => /^timeshift\//.test(line));
    expect(names.length).toBeGreaterThanOrEqual(2);
    const segments = await Promise.all(
      names.map(async (name) => Buffer.from(await (await fetch(`${origin}/${name}`)).arrayBuffer())),
    );
    const ranged = await fetch(`${origin}/${names[1]}`, { headers: { Range: 'bytes=188-375' } });
    expect([ranged.status, ranged.headers.get('content-type')]).toEqual([206, 'video/mp2t']);
    for (const name of ['0.ts', '..%2f..%2fstate.json', 'x.ts'])
      expect((await fetch(`${origin}/timeshift/${name}`)).status).toBe(404);

    // Two clients, one from the start and one from the second segment.
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = segments;
    const secondHead = timeshifts.active?.segments[1]?.head ?? 0;
    const all = await head(`${origin}/timeshift.ts`, first.length + second.length - secondHead);
    expect(all.equals(Buffer.concat([first, second.subarray(secondHead)]))).toBe(true);
    // A time in whole seconds; several segments begin in one.
    const from = Math.ceil(timeshifts.active?.segments[1]?.begin ?? 0);
    await untilTrue(() => (timeshifts.active?.segments.at(-1)?.begin ?? 0) > from);
    const at = timeshifts.active?.segments.findLast(({ begin }) => begin <= from)?.sequence ?? 0;
    const middle = Buffer.from(await (await fetch(`${origin}/timeshift/${at}.ts`)).arrayBuffer());
    const later = await head(`${origin}/timeshift.ts?time=${from}`, middle.length);
    expect(later.equals(middle)).toBe(true);
    expect((await fetch(`${origin}/timeshift.ts`, { method: 'HEAD' })).status).toBe(200);

    // One recording of the stored part, and one that also follows the broadcast.
    const kept = await json('/timeshift/recording', { method: 'POST', body: new URLSearchParams({ title: 'Kept' }) });
    const follow = new URLSearchParams({ title: 'On', follow: '1', from: String(from) });
    const going = await json('/timeshift/recording', { method: 'POST', body: follow });
    await untilTrue(() => recorder.active.length === 1);
    const path = String(kept.path);
    expect(path.startsWith(movies)).toBe(true);
    const meta = parseMeta(readFileSync(`${path}.meta`));
    expect(meta).toMatchObject({ title: 'Kept', length: { size: readFileSync(path).length } });
    expect(meta.length?.seconds).toBeGreaterThan(6);
    const bytes = readFileSync(path);
    // An incomplete picture at its end is cut off.
    expect(bytes.subarray(0, first.length).equals(first)).toBe(true);
    expect(bytes.length).toBeGreaterThan(all.length - 100_000);
    for (const suffix of ['.ap', '.sc']) expect(readFileSync(path + suffix).length).toBeGreaterThan(0);

    // The other recording continues when the service is no longer watched.
    watch(1);
    await untilTrue(() => timeshifts.active === undefined);
    expect(await json('/api/tsstate')).toEqual(disabled);
    expect(changes).toEqual(['started', 'stopped']);
    const before = recorder.active[0]?.size ?? 0;
    await untilTrue(() => (recorder.active[0]?.size ?? 0) > before + 50_000);
    expect(await json('/timeshift/recording', { method: 'DELETE' })).toEqual({ result: true, paths: [going.path] });
    await untilTrue(() => readdirSync(timeshiftFolder).length === 0);
    const on = readFileSync(String(going.path));
    expect(on.subarray(0, middle.length).equals(middle)).toBe(true);
    if (!haveFfmpeg) return;
    for (const one of [path, String(going.path)]) expect(await faults(one)).toBe('');
    writeFileSync(join(movies, 'segment.ts'), second);
    expect((await run('ffprobe', ['-v', 'error', join(movies, 'segment.ts')], [])).errors).toBe('');
  });

  it('is recorded completely if the receiver stops meanwhile, unless copying takes too long', async () => {
    const { timeshifts, recorder, watch, json } = await world();
    watch(0);
    await json('/api/tsstart');
    await untilTrue(() => (timeshifts.active?.segments.length ?? 0) > 1);
    await timeshifts.finishCopies(600_000);
    const { bytes = 0 } = timeshifts.active?.segments[0] ?? {};
    const keep = () => json('/timeshift/recording', { method: 'POST', body: new URLSearchParams({ title: 'Kept' }) });
    const kept = await keep();
    await timeshifts.finishCopies(600_000);
    expect(recorder.active).toEqual([]);
    expect(readFileSync(String(kept.path)).length).toBeGreaterThanOrEqual(bytes);
    await keep();
    await timeshifts.finishCopies(0);
    await recorder.stop();
  });

  it('ends with standby and with tsstop, and starts automatically if configured', async () => {
    const { timeshifts, timeshiftFolder, changes, watch, setStandby, json } = await world({ automatic: true });
    watch(0);
    await untilTrue(() => timeshifts.active?.name === 'Service 0');
    watch(1);
    await untilTrue(() => timeshifts.active?.name === 'Service 1');
    const first = timeshifts.active?.growing.sequence ?? 0;
    setStandby(true);
    await untilTrue(() => timeshifts.active === undefined);
    expect(await json('/api/tsstart')).toEqual({ state: false, timeshiftEnabled: false });
    setStandby(false);
    await untilTrue(() => timeshifts.active !== undefined);
    // Numbers are never reused.
    expect(timeshifts.active?.growing.sequence).toBeGreaterThan(first);
    expect(await json('/api/tsstop')).toEqual(disabled);
    await untilTrue(() => readdirSync(timeshiftFolder).length === 0);
    expect(changes).toEqual(['started', 'stopped', 'started', 'stopped', 'started', 'stopped']);
  });

  it('removes the files of a killed receiver, and refuses a disk that is too full', async () => {
    const { timeshifts, timeshiftFolder, watch, json } = await world({ minimumFree: 10_000_000_000 });
    mkdirSync(timeshiftFolder);
    writeFileSync(join(timeshiftFolder, '1767290400.ts'), 'x');
    await timeshifts.clean();
    expect(existsSync(join(timeshiftFolder, '1767290400.ts'))).toBe(false);
    watch(0);
    expect(await json('/api/tsstart')).toEqual({ state: false, timeshiftEnabled: false });
    await expect(timeshifts.start()).rejects.toMatchObject({ code: 'disk-full' });
  });
});
