/** Every operation of the /web and /api families, by area. */
import type { Operation } from '../endpoint/operation.ts';
import { knownServiceOperations } from './channels/known-services.ts';
import { playableOperations } from './channels/playable.ts';
import { playlistOperations } from './channels/playlists.ts';
import { scanOperations } from './channels/scan.ts';
import { serviceOperations } from './channels/services.ts';
import { tunerOperations } from './channels/tuners.ts';
import { epgOperations } from './guide/epg.ts';
import { searchOperations } from './guide/epg-search.ts';
import { guideFileOperations } from './guide/guide-files.ts';
import { currentOperations } from './playback/current.ts';
import { timeshiftOperations } from './playback/timeshift.ts';
import { informationOperations } from './receiver/about.ts';
import { controlOperations } from './receiver/control.ts';
import { pluginOperations } from './receiver/plugins.ts';
import { preferenceOperations } from './receiver/preferences.ts';
import { statusOperations } from './receiver/status.ts';
import { systemOperations } from './receiver/system.ts';
import { movieActionOperations } from './recordings/movie-actions.ts';
import { moviePlaylistOperations } from './recordings/movie-playlists.ts';
import { movieOperations } from './recordings/movies.ts';
import { recordingOperations } from './recordings/recordings.ts';
import { timerOperations } from './timers/timers.ts';
import { tvbrowserOperations } from './timers/tvbrowser.ts';

export const operations: readonly Operation[] = [
  ...informationOperations,
  ...statusOperations,
  ...tunerOperations,
  ...scanOperations,
  ...controlOperations,
  ...systemOperations,
  ...preferenceOperations,
  ...serviceOperations,
  ...playableOperations,
  ...knownServiceOperations,
  ...currentOperations,
  ...epgOperations,
  ...searchOperations,
  ...guideFileOperations,
  ...playlistOperations,
  ...recordingOperations,
  ...movieOperations,
  ...movieActionOperations,
  ...moviePlaylistOperations,
  ...timerOperations,
  ...timeshiftOperations,
  ...tvbrowserOperations,
  ...pluginOperations,
];
