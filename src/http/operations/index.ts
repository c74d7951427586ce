/** Every operation of the /web and /api families, by area. */
import type { Operation } from '../endpoint/operation.ts';
import { informationOperations } from './about.ts';
import { controlOperations } from './control.ts';
import { currentOperations } from './current.ts';
import { epgOperations } from './epg.ts';
import { searchOperations } from './epg-search.ts';
import { guideFileOperations } from './guide-files.ts';
import { knownServiceOperations } from './known-services.ts';
import { movieActionOperations } from './movie-actions.ts';
import { moviePlaylistOperations } from './movie-playlists.ts';
import { movieOperations } from './movies.ts';
import { playableOperations } from './playable.ts';
import { playlistOperations } from './playlists.ts';
import { pluginOperations } from './plugins.ts';
import { preferenceOperations } from './preferences.ts';
import { recordingOperations } from './recordings.ts';
import { scanOperations } from './scan.ts';
import { serviceOperations } from './services.ts';
import { statusOperations } from './status.ts';
import { systemOperations } from './system.ts';
import { timerOperations } from './timers.ts';
import { timeshiftOperations } from './timeshift.ts';
import { tunerOperations } from './tuners.ts';
import { tvbrowserOperations } from './tvbrowser.ts';

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
