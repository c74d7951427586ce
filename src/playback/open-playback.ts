/** Builds the playback of the current service, its output, and its controls. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../config/config.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { Power } from '../device/power.ts';
import type { Guide } from '../epg/guide.ts';
import { Channels } from './channels.ts';
import { MpvOutput } from './mpv/mpv-output.ts';
import { noOutput } from './output.ts';
import { Playback, type PlaybackParts } from './playback.ts';
import { trackKeys } from './track-keys.ts';

export interface PlaybackNeeds extends Omit<PlaybackParts, 'output'> {
  readonly settings: Settings;
  readonly guide: Guide;
  readonly power: Power;
}

export function openPlayback(configuration: Configuration, needs: PlaybackNeeds) {
  const { services, settings, guide, power, log } = needs;
  const { mpv, dataDir } = configuration;
  const output =
    configuration.output === 'mpv' ? new MpvOutput({ ...mpv, folder: join(dataDir, 'output') }, log) : noOutput;
  const playback = new Playback({ ...needs, output });
  power.onChange((standby) => {
    if (standby) playback.release();
    else resume(playback, log);
  });
  return {
    playback,
    channels: new Channels({ services, settings, guide, playback }),
    tracks: trackKeys(playback),
  };
}

/** Starts showing the current service; does not wait for it. */
export function resume(playback: Playback, log: Logger): void {
  playback
    .resume()
    .catch((error: unknown) => log.error(error, 'the current service cannot be shown; zap to another one'));
}
