/** mpv and ffmpeg, run against the program: its playlists, live streams and recordings. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, until } from '../fixtures/waits.ts';
import { all, at, parseXml } from '../http/reply.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { isInstalled, output, run } from './run.ts';

const areInstalled = isInstalled('mpv', '--version') && isInstalled('ffmpeg', '-version');
const encoded = encodeURIComponent;

interface Service {
  readonly servicereference: string;
  readonly servicename: string;
}

describe.skipIf(!areInstalled)('players', () => {
  const folder = temporaryFolder();
  const film = join(folder, 'movie', 'Fields & Fences 100% #1.ts');
  let program: Program;
  const radioBouquet = '1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.radio" ORDER BY bouquet';
  let bouquet: string;
  let services: readonly Service[];
  let radio: readonly Service[];

  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo:speed=8', '--log-level', 'debug');
    bouquet = await eventually(async () => {
      const { bouquets } = await program.json<{ bouquets: readonly (readonly [string, string])[] }>('/api/bouquets');
      return bouquets[0]?.[0];
    }, 'a bouquet');
    const list = async (reference: string) =>
      (await program.json<{ services: readonly Service[] }>(`/api/getservices?sRef=${encoded(reference)}`)).services;
    services = await list(bouquet);
    radio = await list(radioBouquet);
    mkdirSync(join(folder, 'movie'), { recursive: true });
    const [picture, sound] = ['testsrc2=s=320x180:r=25', 'sine'].map((source) => ['-f', 'lavfi', '-i', source]);
    const codecs = ['-c:v', 'mpeg2video', '-c:a', 'mp2', '-t', '30', '-f', 'mpegts', film];
    await output('ffmpeg', ['-v', 'error', ...(picture ?? []), ...(sound ?? []), ...codecs]);
  });

  afterAll(async () => {
    // A player that hangs up in the middle of a response is not an error.
    expect(program.log.filter(({ level }) => level > 30)).toEqual([]);
    await program.stop();
    removeFolder(folder);
  });

  /** Plays a second of each entry of a playlist in mpv: its address, width in pixels, audio codec. */
  const played = async (path: string) => {
    const options = ['--no-config', '--vo=null', '--ao=null', '--ytdl=no', '--length=1'];
    // biome-ignore lint/suspicious/noTemplateCurlyInString: mpv fills it in.
    const status = '--term-status-msg=AT ${=playback-time} ${playlist-pos} ${=width:} ${=audio-codec-name:}|';
    const levels = '--msg-level=all=error,cplayer=info,statusline=status';
    const told = await run('mpv', [...options, levels, status, `${program.http}${path}`]);
    const addresses = [...told.stdout.toString().matchAll(/^Playing: (.+)$/gm)];
    const entries = new Map<string, { address: string; width: number; audio: string }>();
    for (const [, time, entry = '', width, audio = ''] of told.stderr
      .toString()
      .matchAll(/AT ([\d.]+) (\d+) (\d*) ([^|]*)\|/g)) {
      const [, address = ''] = addresses[Number(entry)] ?? [];
      if (Number(time) > 0.5) entries.set(entry, { address, width: Number(width), audio });
    }
    return [...entries.values()];
  };
  const live = (service: Service | undefined) => `${program.stream}/${service?.servicereference}`;

  interface Probed {
    readonly streams: readonly { readonly codec_type: string; readonly codec_name: string }[];
    readonly programs: readonly { readonly tags?: { readonly service_name?: string } }[];
  }
  const probe = async (url: string): Promise<Probed> => {
    const flags = ['-v', 'error', '-of', 'json', '-show_streams', '-show_programs', url];
    return JSON.parse((await output('ffprobe', flags)).toString()) as Probed;
  };

  it('services.m3u: every channel of a bouquet in turn, and radio', async () => {
    const television = await played(`/web/services.m3u?bRef=${encoded(bouquet)}`);
    expect(television.map(({ address }) => address)).toEqual(services.map(live));
    for (const { width, audio } of television) {
      expect(width).toBeGreaterThan(0);
      expect(audio).toBe('aac');
    }
    const stations = await played(`/web/services.m3u?bRef=${encoded(radioBouquet)}`);
    expect(stations).toEqual(radio.map((station) => ({ address: live(station), width: 0, audio: 'mp2' })));
  });

  it('stream.m3u and streamcurrent.m3u: one channel', async () => {
    const [first, second] = services;
    const one = await played(
      `/web/stream.m3u?ref=${second?.servicereference}&name=${encoded(second?.servicename ?? '')}`,
    );
    expect(one).toMatchObject([{ address: live(second), width: 1280, audio: 'aac' }]);
    expect(await program.json(`/api/zap?sRef=${first?.servicereference}`)).toMatchObject({ result: true });
    expect(await played('/web/streamcurrent.m3u')).toMatchObject([{ address: live(first), width: 720, audio: 'aac' }]);
  });

  it('ts.m3u: a recording', async () => {
    const [entry, ...others] = await played(`/web/ts.m3u?file=${encoded(film)}`);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ width: 320, audio: 'mp2' });
    expect(new URL(entry?.address ?? '').searchParams.get('file')).toBe(film);
  });

  it('services.xspf: the locations are streams of the services', async () => {
    const reply = await program.get(`/web/services.xspf?bRef=${encoded(bouquet)}`);
    const tracks = all(at(parseXml(await reply.text()), 'trackList'), 'track');
    expect(tracks.map((track) => at(track, 'title').text)).toEqual(services.map(({ servicename }) => servicename));
    const last = tracks.at(-1);
    if (!last) throw new Error('no track');
    const probed = await probe(at(last, 'location').text);
    expect(probed.streams.map(({ codec_type }) => codec_type)).toEqual(expect.arrayContaining(['video', 'audio']));
    expect(probed.programs).toHaveLength(1);
    expect(probed.programs[0]?.tags?.service_name).toBe(at(last, 'title').text);
  });

  it.each([
    ['plain', (reference: string) => reference],
    ['without the last colon', (reference: string) => reference.slice(0, -1)],
    ['percent-encoded', encoded],
    ['percent-encoded, without the last colon', (reference: string) => encoded(reference.slice(0, -1))],
  ])('a live stream, its reference %s', async (_, written) => {
    const [first] = services;
    const url = `${program.stream}/${written(first?.servicereference ?? '')}`;
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.headers.get('content-length')]).toEqual([
      200,
      'video/mp2t',
      null,
    ]);
    const probed = await probe(`${url}?duration=4`);
    expect(probed.programs[0]?.tags?.service_name).toBe(first?.servicename);
    expect(probed.streams.map(({ codec_name }) => codec_name)).toEqual(expect.arrayContaining(['h264', 'aac']));
  });

  it('a recording: players seek in it by ranges, and decode it without errors', async () => {
    const url = `${program.http}/file?file=${encoded(film)}`;
    const rest = await output('ffmpeg', ['-v', 'error', '-ss', '20', '-i', url, '-map', '0:v', '-f', 'framemd5', '-']);
    const frames = rest
      .toString()
      .split('\n')
      .filter((line) => /^\d/.test(line));
    expect(frames.length).toBeGreaterThan(9 * 25);
    expect(frames.length).toBeLessThan(11 * 25);
    const ranges = () => program.log.filter(({ path, status }) => path === '/file' && status === 206);
    // The last is logged once the receiver has noticed that ffmpeg has closed it.
    await until(() => expect(ranges().length).toBeGreaterThan(1));
    const whole = await output('ffmpeg', [
      '-v',
      'error',
      '-i',
      url,
      '-map',
      '0:v',
      '-c',
      'copy',
      '-f',
      'framemd5',
      '-',
    ]);
    const local = await output('ffmpeg', [
      '-v',
      'error',
      '-i',
      film,
      '-map',
      '0:v',
      '-c',
      'copy',
      '-f',
      'framemd5',
      '-',
    ]);
    expect(whole.equals(local)).toBe(true);
  });
});
