/** `tvshow.nfo` in the folder of a show, by which Kodi and Jellyfin recognise it. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { exists, replaceFile } from '../../base/files.ts';
import { readSideFile } from '../files/recording-files.ts';

const name = 'tvshow.nfo';
/** A file as `mediaName` makes it, not one that a user or a media server has written or extended. */
const own = /^<\?xml [^\n<>]*>\n<tvshow>\n {2}<title>[^\n<]*<\/title>\n<\/tvshow>\n$/;

/** Writes the file into a folder, with a trailing slash, unless there is one. A failure costs nothing but the file. */
export async function writeShowFile(folder: string, content: string): Promise<void> {
  if (await exists(folder + name)) return;
  await replaceFile(folder + name, Buffer.from(content)).catch(() => undefined);
}

/** Removes a folder that is empty or has nothing but our file. @throws the system's error */
export async function removeFolder(path: string): Promise<void> {
  const [only, ...others] = await readdir(path);
  const file = `${path}/${name}`;
  if (only === name && others.length === 0 && own.test(String(await readSideFile(file)))) await rm(file);
  await rmdir(path);
}
