/** Reads the files that the receiver needs before it builds its parts. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { importRulesIfNone } from '../autotimer/import-rules.ts';
import { RuleList } from '../autotimer/rule-list.ts';
import { RulesFile } from '../autotimer/rules-file.ts';
import { removeTemporaries } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import { Settings } from '../config/enigma2-settings.ts';
import { findFrontEnds } from '../dvb/open-tuners.ts';
import { SourcesFile } from '../guide-sources/sources-file.ts';
import { broadcastLogosFolder } from '../pictures/broadcast-logos.ts';
import { Logos } from '../pictures/logos.ts';
import { Tags } from '../recordings/files/tags.ts';
import { bouquetFolders } from '../services/enigma2-folder.ts';
import { GuideChannels } from '../services/guide/guide-channels.ts';
import { Picons } from '../services/picons.ts';
import { type Problem, Services } from '../services/services.ts';
import { StoredTimers } from '../timers/stored-timers.ts';
import { TimersFile } from '../timers/timers-file.ts';

/** Removes temporary files that a killed receiver has left, except in recording folders, which housekeeping cleans up. */
export async function removeLeftovers({ dataDir, enigma2Dir }: Configuration): Promise<void> {
  const folders = [dataDir, join(dataDir, 'tls'), ...bouquetFolders.map((name) => join(enigma2Dir, name))];
  for (const folder of folders) await removeTemporaries(folder);
}

export type StoredFiles = Awaited<ReturnType<typeof readStoredFiles>>;

/** Reads lists, settings, timers and rules, and logs their problems. */
export async function readStoredFiles(
  { enigma2Dir, picons: piconFolders }: Configuration,
  dataDir: string,
  log: Logger,
) {
  const timersFile = new StoredTimers(
    new TimersFile(join(enigma2Dir, 'timers.xml')),
    new TimersFile(join(dataDir, 'instant-timers.xml')),
  );
  const rulesFile = new RulesFile(join(dataDir, 'autotimers.json'));
  const [services, picons, logos, guideChannels, guideSourcesFile, tags, { timers, problems }, ownRules, frontEnds] =
    await Promise.all([
      Services.load(enigma2Dir),
      Picons.read([...piconFolders, broadcastLogosFolder(dataDir)]),
      Logos.read(dataDir),
      GuideChannels.read(dataDir),
      SourcesFile.read(dataDir),
      Tags.read(join(enigma2Dir, 'movietags')),
      timersFile.read(),
      rulesFile.read(),
      findFrontEnds(),
    ]);
  const ofTags = tags.problem === undefined ? [] : [tags.problem];
  for (const problem of [...problems, ...ofTags, ...ownRules.problems]) log.warn(problem);
  const ofBox = { file: rulesFile, path: join(enigma2Dir, 'autotimer.xml'), log };
  // A damaged file may have held rules, so those of the box must not replace them.
  const rules = ownRules.problems.length > 0 ? ownRules : await importRulesIfNone(ownRules, ofBox);
  for (const problem of services.problems) log.warn(problemText(problem));
  return {
    services,
    picons,
    logos,
    guideChannels,
    guideSourcesFile,
    tags,
    frontEnds,
    settings: Settings.read(join(enigma2Dir, 'settings')),
    storedTimers: { file: timersFile, timers },
    rules: new RuleList(rulesFile, rules),
  };
}

export const problemText = ({ file, line, text }: Problem) => `${file}${line === 0 ? '' : `:${line}`}: ${text}`;
