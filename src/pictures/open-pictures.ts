/** Builds what fetches, makes and keeps pictures. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../config/config.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { RecordingFolders } from '../recordings/library/folders.ts';
import { FrameMaker } from './frame-maker.ts';
import { LiveStills } from './live-stills.ts';
import { PictureStore } from './picture-store.ts';
import { RecordingPictures } from './recording-pictures.ts';
import { WebPictures } from './web-pictures.ts';

interface PictureNeeds {
  readonly pool: Pick<TunerPool, 'receiving'>;
  readonly network: Pick<NetworkStreams, 'pictureClient' | 'receiving'>;
  readonly folders: Pick<RecordingFolders, 'open' | 'inFolder'>;
  readonly log: Logger;
}

export function openPictures(
  { dataDir, pictures, conversion }: Pick<Configuration, 'dataDir' | 'pictures' | 'conversion'>,
  { pool, network, folders, log }: PictureNeeds,
) {
  // Two stores, so that a long list of logos does not push out the pictures of recordings.
  const store = (name: string) => new PictureStore(join(dataDir, 'pictures', name), (pictures.size * 1_000_000) / 2);
  const frames = new FrameMaker(conversion.path);
  return {
    frames,
    webPictures: new WebPictures({ client: () => network.pictureClient(), store: store('web'), log }),
    liveStills: new LiveStills({ pool, network, frames, log, isOff: pictures.size === 0 }),
    recordingPictures: new RecordingPictures({ folders, store: store('recordings'), frames, log }),
  };
}
