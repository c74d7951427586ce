import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DeviceState } from '../../src/device/state.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { Playback } from '../../src/playback/playback.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { ServiceScanner } from '../../src/services/scanner.ts';
import { Services } from '../../src/services/services.ts';
import { descriptor, u16 } from '../fixtures/sections.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';

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

/** Of magazine 1; 0 for the eighth is what 0x88 is in. */
function teletextPages(...pages: readonly [string, number, number][]): Buffer[] {
  return pages.map(([language, type, page]) =>
    Buffer.from([...Buffer.from(language), (type << 3) | (page === 0x88 ? 0 : 1), page]),
  );
}

let folder: string;
let pool: TunerPool;
let services: Services;

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
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const playback = (state = new DeviceState(join(folder, 'state.json'))) => new Playback({ services, pool, state });

describe('playback', () => {
  it('plays nothing at the very first start, then what is suggested, and never replaces a choice by a suggestion', async () => {
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

  it('zaps: the service is on the air, its tuner is held for live viewing until it is released', async () => {
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
    await vi.waitFor(() => expect(pool.tuners[0]?.tuner.running).toBe(false), 5000);
    expect(player.current?.name).toBe('One');
  });

  it('knows the subtitles that are broadcast: pages of DVB subtitling, and of teletext those that are subtitles', async () => {
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

  it('goes on with what played when the next cannot be had, and says why', async () => {
    const player = playback();
    await player.zap(first);
    await expect(player.zap(stranger)).rejects.toMatchObject({ code: 'no-free-tuner' });
    await expect(player.zap(vanished)).rejects.toMatchObject({ code: 'service-not-found' });
    await expect(player.zap(ServiceReference.parse('1:0:0:0:0:0:0:0:0:0:/movie/a.ts'))).rejects.toMatchObject({
      code: 'unsupported',
    });
    expect(player.current?.name).toBe('One');
    expect(pool.tuners[0]?.users).toHaveLength(1);
    player.release();
  });

  it('tells each change of the service, and none that failed', async () => {
    const player = playback();
    const seen: (string | undefined)[] = [];
    player.onChange(() => seen.push(player.current?.name));
    await player.zap(first);
    await expect(player.zap(vanished)).rejects.toThrow();
    player.selectAudioTrack(0);
    expect(seen).toEqual(['One']);
    player.release();
  });

  it('takes a network stream without a tuner, under the title it is given', async () => {
    const player = playback();
    await player.zap(ServiceReference.parse('4097:0:1:0:0:0:0:0:0:0:http%3a//host/a.ts:Net'), { title: 'Shown' });
    expect(player.current).toMatchObject({ name: 'Shown', tuner: undefined, audioTracks: [] });
    expect(pool.tuners[0]?.users).toHaveLength(0);
  });
});

describe('what can be received', () => {
  const triplet = (reference: ServiceReference) => {
    if (reference.dvb === undefined) throw new Error(`${reference} is no service`);
    return reference.dvb;
  };

  it('is what a tuner carries, and what shares the multiplex of something that plays', () => {
    expect(pool.canReceive(triplet(second))).toBe(true);
    expect(pool.canReceive(triplet(vanished))).toBe(false);
    expect(pool.canReceive(triplet(stranger))).toBe(false);
    expect(pool.canReceive(triplet(stranger), triplet(first))).toBe(false);
    const beside = { ...triplet(stranger), serviceId: 0x7fff };
    expect(pool.canReceive(triplet(stranger), beside)).toBe(true);
    expect(pool.canReceive(triplet(vanished), triplet(first))).toBe(false);
  });

  it('may be on a tuner that was never looked at; asking does not start it', () => {
    const tuner = new Tuner({ kind: 'demo' });
    const fresh = new TunerPool([tuner], { linger: 0 });
    expect(fresh.canReceive(triplet(stranger))).toBe(true);
    expect(tuner.running).toBe(false);
  });
});
