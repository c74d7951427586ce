/** Every operation of the /web and /api families, by area. */
import type { Operation } from '../operation.ts';
import { currentOperations } from './current.ts';
import { deviceOperations } from './device.ts';
import { epgOperations } from './epg.ts';
import { playlistOperations } from './playlists.ts';
import { recordingOperations } from './recordings.ts';
import { serviceOperations } from './services.ts';
import { timerOperations } from './timers.ts';

export const operations: readonly Operation[] = [
  ...deviceOperations,
  ...serviceOperations,
  ...currentOperations,
  ...epgOperations,
  ...playlistOperations,
  ...recordingOperations,
  ...timerOperations,
];
