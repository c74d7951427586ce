/** Playback: zapping, outputs, tracks, stills and what can be received. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceState } from '../../src/device/state.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { noOutput, type Output, type OutputSource } from '../../src/playback/output.ts';
import { Playback } from '../../src/playback/playback.ts';
import { shareStills } from '../../src/playback/stills.ts';
import { trackKeys } from '../../src/playback/track-keys.ts';
import { recordingReference } from '../../src/recordings/files/recording.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { ServiceScanner } from '../../src/scan/scanner.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { networkStreams } from '../fixtures/network.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { descriptor, u16 } from '../fixtures/sections.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { until } from '../fixtures/waits.ts';
import { sends, station, streamOf } from '../iptv/station.ts';

const first = ServiceReference.parse('1:0:2:1001:44:3333:EEEE0000:0:0:0:');
const second = ServiceReference.parse('1:0:2:1002:44:3333:EEEE0000:0:0:0:');
const stranger = ServiceReference.parse('1:0:1:1001:45:3333:EEEE0000:0:0:0:');
const vanished = ServiceReference.parse('1:0:1:1003:44:3333:EEEE0000:0:0:0:');

/** DVB subtitles in two languages, and teletext: its first page, subtitles, subtitles for the hearing impaired. */
const subtitleStreams = Buffer.concat([
  privateStream(0x2bd, descriptor(0x59, ...dvbPages(['deu', 0x10, 1, 2], ['fra', 0x20, 3, 4]))),
  privateStream(0x20, descriptor(0x56, ...teletextPages(['deu', 1, 0x00], ['deu', 2, 0x50], ['eng', 5, 0x88]))),
]);

function privateStream(pid: number, descriptors: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x06]), u16(0xe000 | pid), u16(0xf000 | descriptors.length), descriptors]);
}

function dvbPages(...pages: readonly [string, number, number, number][]): Buffer[] {
  return pages.map(([language, type, composition, ancillary]) =>
    Buffer.concat([Buffer.from(language), Buffer.from([type]), u16(composition), u16(ancillary)]),
  );
}

/** Teletext pages of magazine 1, except 0x88, which is in magazine 8 (coded as 0). */
function teletextPages(...pages: readonly [string, number, number][]): Buffer[] {
  return pages.map(([language, type, page]) =>
    Buffer.from([...Buffer.from(language), (type << 3) | (page === 0x88 ? 0 : 1), page]),
  );
}

let folder: string;
let pool: TunerPool;
let services: Services;
const network = networkStreams();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receiverd-playback-'));
  const path = join(folder, 'stream.ts');
  const named = [
    { serviceId: 0x1001, name: 'One' },
    { serviceId: 0x1002, name: 'Two', streams: subtitleStreams },
  ];
  writeTransportStream(path, {
    transportStreamId: 0x44,
    originalNetworkId: 0x3333,
    services: named,
    bitRate: 4_000_000,
    seconds: 2,
  });
  pool = new TunerPool([new Tuner({ kind: 'file', path, loop: true, paced: true })], { linger: 0 });
  services = await Services.load(folder);
  await new ServiceScanner({ pool, services, log: pino({ level: 'silent' }) }).run('always');
});

afterAll(async () => {
  await network.close();
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const log = pino({ level: 'silent' });

const playback = (state = new DeviceState(join(folder, 'state.json')), output = noOutput) => {
  const recordings = new RecordingLibrary(new RecordingFolders([join(folder, 'movie')]), () => null);
  return new Playback({ services, pool, network, state, recordings, output, log });
};

describe('playback', () => {
  it('plays nothing at the first start, then the suggested service, which never replaces a selected one', async () => {
    const state = new DeviceState(join(folder, 'state.json'));
    const fresh = playback(state);
    expect(fresh.current).toBeUndefined();
    fresh.suggest(second);
    fresh.suggest(first);
    expect(fresh.current?.name).toBe('Two');
    await state.flush();
    const next = playback();
    expect(next.hasCurrent).toBe(true);
    next.suggest(first);
    expect(next.current?.reference.format()).toBe(second.format());
  });

  it('zaps: the service is received, and its tuner is held for live viewing until released', async () => {
    const player = playback();
    await player.zap(first);
    expect(player.current).toMatchObject({ name: 'One', provider: 'Test', tuner: 0 });
    expect(player.current?.pids).toEqual({
      pmt: 0x100,
      pcr: 0x200,
      video: undefined,
      audio: 0x200,
      teletext: undefined,
    });
    expect(player.current?.audioTracks).toEqual([{ pid: 0x200, codec: 'MPEG', language: '', active: true }]);
    expect(player.current?.bouquet?.name).toBe('Favourites (Radio)');
    expect(pool.tuners[0]?.users).toMatchObject([{ purpose: 'live' }]);
    expect([player.selectAudioTrack(0), player.selectAudioTrack(1)]).toEqual([true, false]);
    player.release();
    await until(() => expect(pool.tuners[0]?.tuner.running).toBe(false));
    expect(player.current?.name).toBe('One');
  });

  it('prefers the bouquet entry with the same text as the reference, including its name, after a restart too', async () => {
    services.edit(({ addBouquet }) => addBouquet('Second', 'radio').append([first.withName('Renamed')]));
    const state = new DeviceState(join(folder, 'entries.json'));
    const player = playback(state);
    const chosen = ({ current }: Playback) => [current?.reference.format(), current?.name, current?.bouquet?.name];
    await player.zap(first.withName('Renamed'));
    expect(chosen(player)).toEqual([`${first.format()}:Renamed`, 'Renamed', 'Second']);
    player.release();
    await state.flush();
    expect(chosen(playback(new DeviceState(join(folder, 'entries.json'))))).toEqual(chosen(player));
    for (const other of [first, first.withName('Unlisted')]) {
      await player.zap(other);
      expect(chosen(player)).toEqual([first.format(), 'One', 'Favourites (Radio)']);
    }
    player.release();
  });

  it('lists the broadcast subtitles: pages of DVB subtitling, and the subtitle pages of teletext', async () => {
    const player = playback();
    await player.zap(first);
    expect(player.current?.subtitles).toEqual([]);
    await player.zap(second);
    const dvb = { kind: 'dvb', pid: 0x2bd };
    const teletext = { kind: 'teletext', pid: 0x20, ancillary: 0 };
    expect(player.current?.subtitles).toEqual([
      { ...dvb, page: 1, ancillary: 2, language: 'deu', hearingImpaired: false },
      { ...dvb, page: 3, ancillary: 4, language: 'fra', hearingImpaired: true },
      { ...teletext, page: 150, language: 'deu', hearingImpaired: false },
      { ...teletext, page: 888, language: 'eng', hearingImpaired: true },
    ]);
    player.release();
  });

  it('continues with the previous service when a zap fails, and reports why', async () => {
    const player = playback();
    await player.zap(first);
    await expect(player.zap(stranger)).rejects.toMatchObject({
      code: 'not-receivable',
      message: 'no tuner can receive 1001:45:3333',
    });
    await expect(player.zap(vanished)).rejects.toMatchObject({ code: 'service-not-found' });
    await expect(player.zap(ServiceReference.parse('1:0:0:0:0:0:0:0:0:0:/movie/a.ts'))).rejects.toMatchObject({
      code: 'outside-locations',
    });
    expect(player.current?.name).toBe('One');
    expect(pool.tuners[0]?.users).toHaveLength(1);
    player.release();
  });

  it('notifies of each change of the service, but not of failed zaps', async () => {
    const player = playback();
    const seen: (string | undefined)[] = [];
    player.onChange(() => seen.push(player.current?.name));
    await player.zap(first);
    await expect(player.zap(vanished)).rejects.toThrow();
    player.selectAudioTrack(0);
    expect(seen).toEqual(['One']);
    player.release();
  });

  it('selects a network stream of a bouquet without a tuner, with the given title', async () => {
    const player = playback();
    const listed = ServiceReference.parse('4097:0:1:0:0:0:0:0:0:0:http%3a//host/a.ts:Net');
    services.edit(({ addBouquet }) => addBouquet('Net', 'tv').append([listed]));
    await player.zap(listed, { title: 'Shown' });
    expect(player.current).toMatchObject({ name: 'Shown', tuner: undefined, audioTracks: [] });
    expect(pool.tuners[0]?.users).toHaveLength(0);
  });
});

/** Shows nothing, and records its calls. */
class Screen implements Output {
  readonly shows = true;
  readonly video = undefined;
  readonly tracks = [];
  readonly position = 12.7;
  readonly length = 99.2;
  readonly paused = false;
  readonly calls: unknown[] = [];
  end: () => void = () => undefined;

  play(source: OutputSource): void {
    this.calls.push(source.kind === 'live' ? 'live' : { path: source.path });
  }
  stop(): void {
    this.calls.push('stop');
  }
  selectAudio(pid: number | undefined): void {
    this.calls.push({ audio: pid });
  }
  selectSubtitles(pid: number | undefined): void {
    this.calls.push({ subtitles: pid });
  }
  onEnd(listener: () => void): () => void {
    this.end = listener;
    return () => undefined;
  }
  setVolume(): void {}
  pause(): void {}
  seek(): void {}
  showText(text: string): void {
    this.calls.push(text);
  }
  async still(): Promise<undefined> {}
  async close(): Promise<void> {}
}

describe('playback with an output', () => {
  const fresh = () => new DeviceState(join(mkdtempSync(join(folder, 'state-')), 'state.json'));

  it('shows the service zapped to and holds its tuner until released', async () => {
    const screen = new Screen();
    const player = playback(fresh(), screen);
    await player.zap(first);
    await player.zap(second);
    expect(screen.calls).toEqual(['live', { audio: 0x200 }, 'live', { audio: 0x201 }]);
    expect(pool.tuners[0]?.users).toHaveLength(1);
    player.release();
    expect(screen.calls.at(-1)).toBe('stop');
    expect(pool.tuners[0]?.users).toHaveLength(0);
  });

  it('selects a service in standby without showing it, and shows it after waking', async () => {
    const screen = new Screen();
    const state = fresh();
    const player = playback(state, screen);
    state.set({ standby: true });
    await player.zap(first);
    await player.resume();
    expect(screen.calls).toEqual(['stop']);
    state.set({ standby: false });
    await player.resume();
    expect(screen.calls.slice(1)).toEqual(['live', { audio: 0x200 }]);
    player.release();
  });

  it('shows nothing, without failing, if the service of the last run cannot be received', async () => {
    const screen = new Screen();
    const state = fresh();
    state.set({ currentService: vanished.format() });
    await playback(state, screen).resume();
    expect(screen.calls).toEqual([]);
  });

  it('plays a recording in place of the service, which becomes current again at its end, and after a restart', async () => {
    const screen = new Screen();
    const state = fresh();
    const player = playback(state, screen);
    const path = join(folder, 'movie', 'film.ts');
    writeRecording(path);
    const seen: (string | undefined)[] = [];
    player.onChange(() => seen.push(player.current?.name));
    await player.zap(first);
    await player.zap(recordingReference(path));
    expect(player.current).toMatchObject({
      name: 'film',
      tuner: undefined,
      audioTracks: [],
      played: { position: 12, length: 100, recording: { path } },
    });
    expect(pool.tuners[0]?.users).toHaveLength(0);
    expect(state.get().currentService).toBe(first.format());
    screen.end();
    await until(() => expect(pool.tuners[0]?.users).toHaveLength(1));
    expect(seen).toEqual(['One', 'film', 'One', 'One']);
    expect(screen.calls).toEqual(['live', { audio: 0x200 }, { path }, 'stop', 'live', { audio: 0x200 }]);
    player.release();
  });

  it('shows the network streams of bouquets, which the receiver fetches, and no others', async () => {
    const provider = await station({ '/listed.ts': sends(streamOf(7)) });
    const asked = () => provider.requests.map(({ url }) => url);
    const stream = (url: string) => ServiceReference.parse(`4097:0:1:0:0:0:0:0:0:0:${encodeURIComponent(url)}:Net`);
    const listed = stream(`${provider.url}/listed.ts`);
    services.edit(({ addBouquet }) => addBouquet('Station', 'tv').append([listed, stream('rtmp://127.0.0.1/live')]));
    const screen = new Screen();
    const state = fresh();
    const player = playback(state, screen);
    for (const url of [`${provider.url}/other.ts`, 'file:///etc/passwd', 'edl://%4%/etc', 'rtmp://127.0.0.1/live'])
      await expect(player.zap(stream(url))).rejects.toMatchObject({ code: 'unsupported' });
    expect([screen.calls, asked(), player.current]).toEqual([[], [], undefined]);
    await player.zap(listed);
    expect([screen.calls, asked()]).toEqual([['live'], ['/listed.ts']]);
    player.release();
    // The stored service is not fetched either once no bouquet has it.
    state.set({ currentService: stream(`${provider.url}/kept.ts`).format() });
    const next = playback(state, screen);
    await next.resume();
    expect(asked()).toEqual(['/listed.ts']);
    await provider.stop();
  });

  it('selects tracks by their PID', async () => {
    const screen = new Screen();
    const player = playback(fresh(), screen);
    await player.zap(second);
    screen.calls.length = 0;
    expect([player.selectAudioTrack(0), player.selectAudioTrack(1)]).toEqual([true, false]);
    expect([player.selectSubtitles(1), player.selectSubtitles(9), player.selectSubtitles(undefined)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(screen.calls).toEqual([{ audio: 0x201 }, { subtitles: 0x2bd }, { subtitles: undefined }]);
    player.release();
  });

  it('cycles through the tracks by keys, each subtitle stream and then none, and displays the selection', async () => {
    const screen = new Screen();
    const player = playback(fresh(), screen);
    const keys = trackKeys(player);
    keys.nextAudio();
    keys.nextSubtitles();
    await player.zap(second);
    screen.calls.length = 0;
    keys.nextSubtitles();
    // The timeshift of the service is shown with the selected tracks.
    player.showFrom(() => undefined);
    keys.nextSubtitles();
    keys.nextSubtitles();
    keys.nextAudio();
    expect(screen.calls).toEqual([
      ...[{ subtitles: 0x2bd }, 'Subtitles: German'],
      ...['live', { audio: 0x201 }, { subtitles: 0x2bd }],
      ...[{ subtitles: 0x20 }, 'Subtitles: German', { subtitles: undefined }, 'Subtitles: none'],
      ...[{ audio: 0x201 }, 'Audio: track 1, MPEG'],
    ]);
    keys.nextSubtitles();
    await player.zap(first);
    expect(player.shownSubtitles).toBeUndefined();
    player.release();
  });
});

describe('the picture without an output', () => {
  it('is determined from the stream after a zap, and reset by the next zap', async () => {
    const demo = new TunerPool([new Tuner({ kind: 'demo', speed: 8 })], { linger: 0 });
    const own = mkdtempSync(join(folder, 'demo-'));
    const channels = await Services.load(own);
    await new ServiceScanner({ pool: demo, services: channels, log }).run('always');
    const recordings = new RecordingLibrary(new RecordingFolders([own]), () => null);
    const state = new DeviceState(join(own, 'state.json'));
    const player = new Playback({ services: channels, pool: demo, network, state, recordings, output: noOutput, log });
    await player.zap(channels.allEntries('tv')[0]?.reference as ServiceReference);
    await until(() => expect(player.current?.video).toBeDefined());
    expect(player.current?.video).toMatchObject({ aspect: expect.any(Number) });
    expect(player.current?.video?.width).toBeGreaterThan(300);
    await player.zap(channels.allEntries('radio')[0]?.reference as ServiceReference);
    expect(player.current?.video).toBeUndefined();
    player.release();
    await Promise.all([demo.close(), state.flush()]);
  });
});

describe('stills', () => {
  it('are taken one after another, shared by equal requests, and limited in number', async () => {
    const waiting: (() => void)[] = [];
    const take = shareStills<{ readonly width: number }>(
      ({ width }) => new Promise((resolve) => waiting.push(() => resolve(Buffer.from(String(width))))),
    );
    const taken = [1, 1, ...Array.from({ length: 8 }, (_, n) => n + 2)].map((width) => take({ width }));
    await expect(take({ width: 99 })).rejects.toMatchObject({ code: 'too-many-clients' });
    for (let n = 0; n < 9; n++) {
      await until(() => expect(waiting).toHaveLength(n + 1));
      waiting[n]?.();
    }
    expect((await Promise.all(taken)).map(String)).toEqual(['1', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });
});

describe('what can be received', () => {
  const triplet = (reference: ServiceReference) => {
    if (reference.dvb === undefined) throw new Error(`${reference} is not a service`);
    return reference.dvb;
  };

  it('is on a multiplex that a tuner has received, or on that of the current service', () => {
    expect(pool.canReceive(triplet(second))).toBe(true);
    expect(pool.canReceive(triplet(vanished))).toBe(false);
    expect(pool.canReceive(triplet(stranger))).toBe(false);
    expect(pool.canReceive(triplet(stranger), triplet(first))).toBe(false);
    const beside = { ...triplet(stranger), serviceId: 0x7fff };
    expect(pool.canReceive(triplet(stranger), beside)).toBe(true);
    expect(pool.canReceive(triplet(vanished), triplet(first))).toBe(false);
  });

  it('may be on a tuner that was never started; the query does not start it', () => {
    const tuner = new Tuner({ kind: 'demo', speed: 8 });
    const fresh = new TunerPool([tuner], { linger: 0 });
    expect(fresh.canReceive(triplet(stranger))).toBe(true);
    expect(tuner.running).toBe(false);
  });
});
