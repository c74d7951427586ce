/** Builds what fetches, makes and keeps pictures. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../config/config.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { RecordingFolders } from '../recordings/folders.ts';
import { PictureStore } from './picture-store.ts';
import { RecordingPictures } from './recording-pictures.ts';
import { WebPictures } from './web-pictures.ts';

interface PictureNeeds {
  readonly network: Pick<NetworkStreams, 'pictureClient'>;
  readonly folders: Pick<RecordingFolders, 'open' | 'inFolder'>;
  readonly log: Logger;
}

export function openPictures(
  { dataDir, pictures, conversion }: Pick<Configuration, 'dataDir' | 'pictures' | 'conversion'>,
  { network, folders, log }: PictureNeeds,
) {
  // Two stores, so that a long list of logos does not push out the pictures of recordings.
  const store = (name: string) => new PictureStore(join(dataDir, 'pictures', name), (pictures.size * 1_000_000) / 2);
  return {
    webPictures: new WebPictures({ client: () => network.pictureClient(), store: store('web'), log }),
    recordingPictures: new RecordingPictures({ folders, store: store('recordings'), log }, conversion.path),
  };
}
