/** The real mpv as the output: picture, sound, stills, standby and recordings. */
import { once } from 'node:events';
import { createWriteStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MpvProcess } from '../../src/playback/mpv/process.ts';
import type { Playback } from '../../src/playback/playback.ts';
import { recordingReference } from '../../src/recordings/files/recording.ts';
import type { ServiceReference } from '../../src/services/reference.ts';
import { hasMpv, mpvScreen } from '../fixtures/mpv.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';

describe.skipIf(!hasMpv)('mpv as the output', () => {
  const screen = mpvScreen();
  const { folder, movies, state, pool, output, ask } = screen;
  const recorded = join(movies, 'recorded.ts');
  let playback: Playback;
  let television: readonly ServiceReference[];

  beforeAll(async () => {
    ({ playback, television } = await screen.open());
    await record(television[0] as ServiceReference);
  });

  afterAll(async () => {
    playback.release();
    await screen.close();
  });

  /** Some seconds of a service as a recording. */
  async function record({ dvb, serviceId }: ServiceReference): Promise<void> {
    if (!dvb) throw new Error('no service to record');
    const lease = await pool.tune(dvb, 'recording', 'test');
    const stream = lease.tuner.openStream(serviceId);
    const file = createWriteStream(recorded);
    for await (const chunk of stream) {
      file.write(chunk);
      if (file.bytesWritten > 700_000) break;
    }
    file.end();
    await finished(file);
    lease.release();
  }

  const running = () => until(() => expect(output.position ?? 0).toBeGreaterThan(0.2));

  it('shows the current service: the picture runs, and the tuner is held for it', async () => {
    await playback.zap(television[0] as ServiceReference);
    await running();
    const before = output.position as number;
    await until(() => expect(output.position).toBeGreaterThan(before + 0.5));
    expect(playback.current?.video).toMatchObject({ width: output.video?.width, height: output.video?.height });
    expect([1, 3, 9, 11]).toContain(playback.current?.video?.aspect);
    expect(pool.tuners[0]?.users).toMatchObject([{ purpose: 'live' }]);
    expect(statSync(join(folder, 'output')).mode & 0o777).toBe(0o700);
  });

  it('has the volume of the receiver', async () => {
    output.setVolume(35, true);
    await until(async () => expect([await ask('volume'), await ask('mute')]).toEqual([35, true]));
    output.setVolume(60, false);
    await until(async () => expect([await ask('volume'), await ask('mute')]).toEqual([60, false]));
  });

  it('plays the selected audio track, by default the first', async () => {
    const heard = async () => {
      const tracks = (await ask('track-list')) as { type: string; selected: boolean; 'src-id': number }[];
      return tracks.find(({ type, selected }) => type === 'audio' && selected)?.['src-id'];
    };
    for (const service of television) {
      await playback.zap(service);
      if ((playback.current?.audioTracks.length ?? 0) > 1) break;
    }
    const pids = playback.current?.audioTracks.map(({ pid }) => pid) ?? [];
    expect(pids.length).toBeGreaterThan(1);
    await running();
    await until(async () => expect(await heard()).toBe(pids[0]));
    expect(playback.selectAudioTrack(1)).toBe(true);
    await until(async () => expect(await heard()).toBe(pids[1]));
  });

  it('takes stills: JPEG and PNG, in the size of the picture or the requested width', async () => {
    await running();
    const jpeg = await playback.still({ format: 'jpg', subtitles: true });
    expect(jpeg?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    const png = await playback.still({ format: 'png', subtitles: false });
    expect(png?.subarray(1, 4).toString()).toBe('PNG');
    const { height = 0, ratio = 0 } = output.video ?? {};
    expect(png?.readUInt32BE(16)).toBe(Math.round(height * ratio));
    const small = await playback.still({ format: 'png', width: 320, subtitles: false });
    expect(small?.readUInt32BE(16)).toBe(320);
  });

  it('is restarted after it was killed, and shows the same service', async () => {
    await running();
    const before = (await ask('pid')) as number;
    process.kill(before, 'SIGKILL');
    await until(async () => expect(await ask('pid')).not.toBe(before));
    await running();
    await until(async () => expect([await ask('volume'), await ask('mute')]).toEqual([60, false]));
  });

  it('shows nothing in standby, releases the tuner, and shows the service again afterwards', async () => {
    state.set({ standby: true });
    playback.release();
    await until(async () => expect(await ask('idle-active')).toBe(true));
    expect(pool.tuners[0]?.users).toEqual([]);
    expect(await playback.still({ format: 'jpg', subtitles: true })).toBeUndefined();
    // A service selected in standby is received but not shown.
    await playback.zap(television[1] as ServiceReference);
    expect(await ask('idle-active')).toBe(true);
    state.set({ standby: false });
    await playback.resume();
    await running();
    expect(playback.current?.reference.equals(television[1] as ServiceReference)).toBe(true);
  });

  it('plays a recording, which can be paused and searched, needs no tuner, and returns to the service at its end', async () => {
    const live = playback.current?.reference;
    await playback.zap(recordingReference(recorded));
    expect(playback.current).toMatchObject({ name: 'recorded', played: { recording: { path: recorded } } });
    expect(pool.tuners[0]?.users).toEqual([]);
    // Immediately, because the recording lasts only some seconds.
    output.pause(true);
    await until(() => expect(playback.current?.audioTracks[0]?.codec).toBe('AAC'));
    await until(() => expect(output.length ?? 0).toBeGreaterThan(1));
    await until(async () => expect(await ask('pause')).toBe(true));
    const length = output.length ?? 0;
    output.seek(length / 2);
    await until(() => expect(output.position).toBeGreaterThan(length / 2 - 1));
    output.pause(false);
    output.seek(length - 0.3);
    await until(() => expect(playback.current?.played).toBeUndefined());
    expect(playback.current?.reference.format()).toBe(live?.format());
    await until(() => expect(pool.tuners[0]?.users).toMatchObject([{ purpose: 'live' }]));
  });

  it.for([
    ['an EDL', '# mpv EDL v0\nADDRESS\n'],
    ['a playlist', '#EXTM3U\n#EXTINF:1,\nADDRESS\n'],
    ['a PLS playlist', '[playlist]\nFile1=ADDRESS\nNumberOfEntries=1\n'],
    ['an HLS playlist', '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nADDRESS\n#EXT-X-ENDLIST\n'],
    ['a list of ffmpeg', 'ffconcat version 1.0\nfile ADDRESS\n'],
  ])('opens nothing that a recording names which is %s', async ([_, content = '']) => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const address of [`http://127.0.0.1:${port}/picture.ts`, recorded]) {
      writeFileSync(join(movies, 'list.ts'), content.replace('ADDRESS', address));
      await playback.zap(recordingReference(join(movies, 'list.ts')));
      // The recording cannot be played, so the service is shown again.
      await until(() => expect(playback.current?.played).toBeUndefined());
    }
    expect(requests).toBe(0);
    server.close();
  });

  it('plays the file that was opened, even if its name leads nowhere by then', async () => {
    const files: FileHandle[] = [];
    const source = {
      kind: 'file' as const,
      path: join(movies, 'renamed.ts'),
      async open() {
        const file = await open(recorded);
        files.push(file);
        return file;
      },
    };
    for (let n = 0; n < 2; n++) output.play(source);
    await running();
    // mpv needs them no longer.
    await until(() => expect(files.map(({ fd }) => fd)).toEqual([-1, -1]));
    output.stop();
  });

  it('plays no local file for a network stream', async () => {
    const { ServiceReference } = await import('../../src/services/reference.ts');
    const local = ServiceReference.parse(`4097:0:1:0:0:0:0:0:0:0:${encodeURIComponent(`file://${recorded}`)}:X`);
    await expect(playback.zap(local)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('ends with the receiver, and leaves no files behind', async () => {
    await playback.zap(television[0] as ServiceReference);
    await running();
    const pid = (await ask('pid')) as number;
    playback.release();
    await output.close();
    expect(() => process.kill(pid, 0)).toThrow();
    expect(existsSync(join(folder, 'output'))).toBe(false);
  });
});

it('logs the output of mpv without the logins in addresses', async () => {
  const path = join(temporaryFolder(), 'mpv');
  writeFileSync(path, '#!/bin/sh\necho "Failed to open http://anna:horse@tv.example/live/anna/horse/7.ts."\n', {
    mode: 0o755,
  });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const mpv = new MpvProcess({ path, options: [] }, log, () => undefined);
  mpv.start();
  await until(() => expect(lines.join()).toContain('mpv: Failed to open http://tv.example/'));
  await mpv.close();
  expect(lines.join()).not.toMatch(/anna|horse/);
});
