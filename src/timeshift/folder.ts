/** The folder of the timeshift segments, and the removal of files left over in it. */
import { constants } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Settings } from '../config/enigma2-settings.ts';

const setting = 'config.usage.timeshift_path';
/** The subfolder created in the folder of the setting, which other programs use too. */
const subfolder = 'receiverd-timeshift';

const fileName = /^\d{1,15}\.ts$/;

/** Name of a segment file. */
export const segmentName = (sequence: number) => `${sequence}.ts`;

/** The number of a segment file; undefined for any other name. */
export const sequenceOf = (name: string) => (fileName.test(name) ? Number(name.slice(0, -'.ts'.length)) : undefined);

/**
 * The folder for segments: the configured one; else a subfolder of `config.usage.timeshift_path`, if the Enigma2
 * settings have it and it is writable; else `timeshift` in the data folder.
 */
export async function timeshiftFolder(configured: string, settings: Settings, dataDir: string): Promise<string> {
  if (configured !== '') return configured;
  const [, chosen = ''] = [...settings.stored].find(([key]) => key === setting) ?? [];
  if (chosen.startsWith('/') && !chosen.includes('\0')) {
    const folder = posix.normalize(chosen);
    const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return join(folder, subfolder);
  }
  return join(dataDir, 'timeshift');
}

/** Removes segments left over from a receiver that was killed; other files stay. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => fileName.test(name));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}
