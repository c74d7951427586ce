/** Streams for browsers and HTTP Live Streaming, tested with the whole program. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haveFfmpeg, run } from '../../dvb/captures.ts';
import { eventually } from '../../fixtures/waits.ts';
import {
  askEveryone,
  launchCommand,
  type Program,
  removeFolder,
  startProgram,
  temporaryFolder,
} from '../../receiver/program.ts';

const service = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';
const radio = '1:0:2:D21:D01:FF0D:EEEE0000:0:0:0:';

async function demo(folder: string): Promise<Program> {
  const program = await startProgram(folder, '--tuner', 'demo');
  await eventually(async () => {
    const { items } = await program.json<{ items: readonly unknown[] }>('/services');
    return items.length > 7 || undefined;
  }, 'the services');
  return program;
}

/** The codecs of a stream and the size of its pictures, as ffprobe reports them. */
async function probed(url: string): Promise<string[]> {
  const shown = ['-v', 'error', '-show_entries', 'stream=codec_name,width', '-of', 'csv=p=0', url];
  const { output } = await run('ffprobe', shown, []);
  return [...new Set(output.match(/\w+(,\d+)?/g))].filter((one) => !one.startsWith('epg')).sort();
}

describe('streams for browsers', () => {
  const folder = temporaryFolder();
  let program: Program;
  beforeAll(async () => {
    program = await demo(folder);
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });
  const clients = async () =>
    Number(/^receiverd_stream_clients (\d+)/m.exec(await (await program.get('/metrics')).text())?.[1]);

  it('are like those of the stream port, and count as its clients', async () => {
    const left = new AbortController();
    const response = await fetch(`${program.http}/live.ts?sRef=${service}`, { signal: left.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    const first = await response.body?.getReader().read();
    expect(first?.value?.[0]).toBe(0x47);
    expect(await clients()).toBe(1);
    left.abort();
    await eventually(async () => (await clients()) === 0 || undefined, 'the client is gone');
  });

  it('tune nothing for HEAD', async () => {
    const { status } = await fetch(`${program.http}/live.ts?sRef=${service}`, { method: 'HEAD' });
    expect([status, await clients()]).toEqual([200, 0]);
  });

  it.skipIf(!haveFfmpeg)('are converted, for as long as somebody reads', async () => {
    const left = new AbortController();
    const response = await fetch(`${program.http}/live.ts?sRef=${service}&convert=all`, { signal: left.signal });
    const first = await response.body?.getReader().read();
    expect(first?.value?.[0]).toBe(0x47);
    expect([await clients(), await program.json('/conversion')]).toEqual([1, expect.objectContaining({ running: 1 })]);
    left.abort();
    await eventually(async () => {
      const { running } = await program.json<{ running: number }>('/conversion');
      return (running === 0 && (await clients()) === 0) || undefined;
    }, 'nothing is converted any more');
  });

  it.skipIf(!haveFfmpeg)('are there as HTTP Live Streaming', async () => {
    expect(await probed(`${program.http}/hls/${service}/index.m3u8`)).toEqual(['aac', 'h264,720']);
    expect(await probed(`${program.http}/hls/${radio}/index.m3u8`)).toEqual(['mp2']);
  });

  it('have the same segments while the playlist is requested', async () => {
    const list = async () => (await program.get(`/hls/${service}/index.m3u8`)).text();
    const first = await list();
    const [name = ''] = /^\d+\.ts$/m.exec(first) ?? [];
    const next = await eventually(async () => {
      const text = await list();
      return text !== first ? text : undefined;
    }, 'another segment');
    expect(next).toContain(name);
    const segment = Buffer.from(await (await program.get(`/hls/${service}/${name}`)).arrayBuffer());
    expect(segment.length % 188).toBe(0);
    expect((await program.get(`/hls/${service}/1.ts`)).status).toBe(404);
    expect((await program.get(`/hls/${service}/..%2f..%2faccounts.json`)).status).toBe(404);
  });

  it.skipIf(!haveFfmpeg)('are a recording, as HTTP Live Streaming', async () => {
    const path = join(folder, 'movie', 'Ships.ts');
    const made = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25:duration=20', '-c:v', 'libx264', '-g', '40', path];
    mkdirSync(join(folder, 'movie'), { recursive: true });
    expect(await run('ffmpeg', ['-v', 'error', ...made], [])).toMatchObject({ errors: '' });
    const address = `${program.http}/recording.m3u8?file=${encodeURIComponent(path)}`;
    const list = await (await fetch(address)).text();
    expect(list.match(/^recording\.ts\?.*/gm)?.length).toBeGreaterThan(2);
    expect(list).toContain('#EXT-X-ENDLIST');
    const counted = [
      '-v',
      'error',
      '-count_packets',
      '-show_entries',
      'stream=nb_read_packets',
      '-of',
      'csv=p=0',
      address,
    ];
    // There are a few more pictures than in all pieces: the demuxer reads a picture that is split between pieces twice.
    expect(Number.parseInt((await run('ffprobe', counted, [])).output, 10)).toBeGreaterThanOrEqual(500);
  });

  it('are only available for files in the recording folders', async () => {
    writeFileSync(join(folder, 'secret.ts'), '');
    for (const file of ['/etc/passwd', join(folder, 'secret.ts'), join(folder, 'movie', '..', 'secret.ts')])
      expect((await program.get(`/recording.ts?file=${encodeURIComponent(file)}`)).status).toBe(403);
  });
});

describe('streams for browsers, with accounts', () => {
  const folder = temporaryFolder();
  let program: Program;
  const basic = { authorization: `Basic ${Buffer.from('anna:correct horse').toString('base64')}` };
  beforeAll(async () => {
    askEveryone(folder);
    program = await demo(folder);
    const { child, ended } = launchCommand('user', 'add', 'anna', '--data-dir', folder);
    child.stdin?.end('correct horse\n');
    await ended;
    await eventually(async () => (await program.get('/api/about')).status === 401 || undefined, 'a login is needed');
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  it('require a login or a ticket; the URLs of segments contain the ticket', async () => {
    const path = `/hls/${service}/index.m3u8`;
    for (const one of [path, `/live.ts?sRef=${service}`, '/recording.ts?file=x', '/conversion'])
      expect([one, (await program.get(one)).status]).toEqual([one, 401]);
    const list = await (await program.get(path, basic)).text();
    const [segment = ''] = /^\d+\.ts\?ticket=.*$/m.exec(list) ?? [];
    expect((await program.get(`/hls/${service}/${segment}`)).status).toBe(200);
    const [, ticket] = segment.split('?');
    expect((await program.get(`${path}?${ticket}`)).status).toBe(200);
    expect((await program.get(`/conversion?${ticket}`)).status).toBe(401);
  });
});
