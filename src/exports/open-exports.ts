/** Builds the exports. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Configuration } from '../config/config.ts';
import type { RecordingPictures } from '../pictures/recording-pictures.ts';
import type { Recording } from '../recordings/files/recording.ts';
import { Exports, type ExportsParts } from './exports.ts';

interface ExportNeeds extends Pick<ExportsParts, 'folders' | 'library' | 'actions'> {
  readonly pictures: Pick<RecordingPictures, 'find'>;
  readonly log: Logger;
}

/** How often a picture that is being made is asked for, each time with a wait of half a second. */
const maxAttempts = 40;

export function openExports(configuration: Configuration, { pictures, ...needs }: ExportNeeds): Exports {
  const pictureOf = async (recording: Recording) => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const picture = await pictures.find(recording);
      if (picture !== 'later') return picture;
      await pause(100);
    }
    return undefined;
  };
  return new Exports({
    ...needs,
    ffmpeg: configuration.conversion.path,
    timeZone: () => configuration.timeZone,
    pictureOf,
    names: configuration.exports.names,
  });
}
