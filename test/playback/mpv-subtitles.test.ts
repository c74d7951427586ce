/** Broadcast subtitles, shown by the real mpv as selected with the key of the remote control. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trackKeys } from '../../src/playback/track-keys.ts';
import { capture, haveCaptures } from '../dvb/captures.ts';
import { hasMpv, mpvScreen } from '../fixtures/mpv.ts';
import { until } from '../fixtures/waits.ts';

describe.skipIf(!hasMpv || !haveCaptures)('subtitles on the screen', () => {
  let screen: ReturnType<typeof mpvScreen>;
  let opened: Awaited<ReturnType<typeof screen.open>>;
  beforeAll(async () => {
    screen = mpvScreen(`file:${capture('arte-2019-av.ts')}`);
    opened = await screen.open();
  });
  afterAll(async () => {
    opened.playback.release();
    await screen.close();
  });

  it('cycle through the streams, then none', async () => {
    const { playback, television } = opened;
    const [service] = television;
    if (service === undefined) throw new Error('no service in the capture');
    await playback.zap(service);
    const pids = playback.current?.subtitles.map(({ pid }) => pid) ?? [];
    expect(new Set(pids).size).toBe(3);
    const shown = async () => {
      const tracks = (await screen.ask('track-list')) as { type: string; selected: boolean; 'src-id': number }[];
      return tracks.find(({ type, selected }) => type === 'sub' && selected)?.['src-id'];
    };
    await until(() => expect(screen.output.tracks.filter(({ kind }) => kind === 'subtitles')).toHaveLength(3));
    expect(await shown()).toBeUndefined();
    const keys = trackKeys(playback);
    for (const pid of [...pids, undefined]) {
      keys.nextSubtitles();
      await until(async () => expect(await shown()).toBe(pid));
    }
  });
});
