/**
 * `/file`: the bytes of a recording, a picon or an Enigma2 list by absolute path, and the contents of a folder. Players
 * and apps play recordings through this URL.
 *
 * Only files in the recording folders, picons and the lists in `listPath` are accessible. Old clients encode the path
 * twice: if the file does not exist and the path still contains a `%`, it is decoded once more.
 */
import { stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { folderEntries } from '../../../recordings/files/folder-entries.ts';
import { withSlash } from '../../../recordings/library/folders.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { refuseTicket } from '../../middleware/login.ts';
import { boolean, choice, text } from '../../middleware/parameters.ts';
import { fileUrl, playlistOfUrl, playlistType } from '../../operations/recordings/movie-playlists.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { contentDisposition } from '../../write/content-disposition.ts';
import { field, recordSchema } from '../../write/record.ts';
import { binary, recordingTypes } from './recordings.ts';

/** The accessible lists (services, transponders, timers) at the paths that they have on boxes. */
const listPath =
  /^\/(?:etc\/enigma2|etc\/tuxbox|var\/etc)\/(lamedb5?|bouquets\.[^/]+|(?:userbouquet|alternatives)\.[^/]+|(?:satellites|cables|terrestrial|timers)\.xml)$/;
const piconPath = /^\/usr\/share\/enigma2\/picon\/([^/]+)$/;

const Listing = recordSchema({
  result: true,
  dirs: Type.Optional(field(['/media/hdd/movie/series/'])),
  files: Type.Optional(field(['/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts'])),
  message: Type.Optional(Type.String({ description: 'why the folder cannot be listed' })),
});

/** Media types of recordings, picons and lists. */
const types = [...recordingTypes, 'image/png', 'image/svg+xml', 'application/xml'];

const exampleList = playlistOfUrl(
  'http://192.0.2.10:8080/file?action=download&file=/media/hdd/movie/Ships.ts',
  'Ships',
);

export const file = route({
  path: '/file',
  name: 'file',
  tag: 'recordings',
  summary: 'The bytes of a recording, a picon or an Enigma2 list, by absolute path; or the contents of a folder.',
  description:
    'A request for several byte ranges returns the whole file. A file that is still being written is sent up to its current end. `/media/hdd/movie/...`, the path on boxes, stands for the default folder.',
  parameters: {
    file: text('absolute path', { example: '/media/hdd/movie/20260101 2000 - Alpha HD - Ships.ts' }),
    action: choice('download: the bytes; stream: a playlist with the URL of the bytes', ['download', 'stream']).or(
      'download',
    ),
    name: text('title in the playlist', { example: 'Ships' }),
    dir: text('instead of `file`, absolute path of a folder: lists its folders and files', {
      example: '/media/hdd/movie/',
    }),
    pattern: text('with `dir`: only files whose name matches, with * and ?', { example: '*.ts' }),
    nofiles: boolean('with `dir`: only folders', { form: 'presence' }),
  },
  responses: {
    200: {
      description: 'the contents of the folder, the bytes, or the playlist',
      schema: Listing,
      others: [
        { types, schema: binary },
        { types: [playlistType], schema: Type.String(), example: exampleList },
      ],
    },
    206: { description: 'the requested byte range', types, schema: binary },
  },
  failures: {
    400: '`file` is missing',
    403: 'the path leads out of the recording folders',
    404: 'no such file',
    412: 'the file does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  async run(parts, { file, action, name, dir, pattern, nofiles }, request) {
    if (dir !== undefined) {
      refuseTicket(request);
      return { body: await folderListing(parts, dir, { pattern, files: !nofiles }) };
    }
    if (!file) throw fail('parameter-missing', 'file');
    const path = await pathOf(parts, file);
    if (parts.locations.folderOf(path) === undefined) refuseTicket(request);
    // Opening a pipe would wait for its writer.
    if (!(await isFile(path))) throw fail('not-found', `File '${file}'`);
    if (action === 'stream') {
      // The URL has the requested path: Enigma2 lists are stored at another one.
      return playlist(parts, request, file, name);
    }
    const isRecording = parts.locations.folderOf(path) !== undefined;
    return { file: path, saveAs: basename(path), ...(isRecording && { handle: await parts.locations.open(path) }) };
  },
});

/** The real path of `file`, which may be encoded twice. @throws ReceiverError `not-found`, `outside-locations` */
async function pathOf(parts: ReceiverParts, file: string): Promise<string> {
  try {
    return await resolvePath(parts, file);
  } catch (error) {
    const decodedFile = file.includes('%') ? decode(file) : undefined;
    if (decodedFile === undefined || decodedFile === file) throw error;
    return resolvePath(parts, decodedFile);
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function resolvePath({ locations, picons: shown, config }: ReceiverParts, file: string): Promise<string> {
  const plain = posix.normalize(file);
  const [, list] = listPath.exec(plain) ?? [];
  if (list !== undefined) return join(config.enigma2Dir, list);
  const [, picon] = piconPath.exec(plain) ?? [];
  if (picon !== undefined) {
    const path = shown.byFileName(picon);
    if (path === undefined) throw fail('not-found', `File '${file}'`);
    return path;
  }
  return locations.resolveExisting(file);
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** A playlist with the URL of a file. */
function playlist(parts: ReceiverParts, request: FastifyRequest, file: string, name: string | undefined): RestResponse {
  const title = name?.replace(/\p{Cc}/gu, ' ');
  const url = fileUrl(callerOf(request, parts), file).replace('/file?', '/file?action=download&');
  return {
    document: { contentType: playlistType, body: playlistOfUrl(url, title || undefined) },
    headers: { 'Content-Disposition': contentDisposition('attachment', `${title || basename(file)}.m3u`) },
  };
}

/**
 * The folders, with a trailing slash, and the files whose names match `pattern` (with `*` and `?`): absolute paths, sorted.
 * @throws ReceiverError `outside-locations`
 */
async function folderListing(
  { locations }: ReceiverParts,
  folder: string,
  { pattern = '*', files }: { readonly pattern?: string | undefined; readonly files: boolean },
): Promise<object> {
  let path: string;
  try {
    path = withSlash(await locations.resolveExisting(folder));
  } catch (error) {
    if (!(error instanceof ReceiverError) || error.code !== 'not-found') throw error;
    return { result: false, message: `path ${folder} not exists` };
  }
  const entries = await locations.inFolder(path, folderEntries).catch(() => []);
  const listing = { result: true, dirs: [] as string[], files: [] as string[] };
  const singleStars = (pattern || '*').replace(/\*+/g, '*');
  const slice = new TimeSlice();
  for (const entry of entries) {
    if (slice.isOver) await slice.next();
    if (entry.isDirectory()) listing.dirs.push(withSlash(path + entry.name));
    else if (files && entry.isFile() && matchesPattern(singleStars, entry.name)) listing.files.push(path + entry.name);
  }
  listing.dirs.sort();
  listing.files.sort();
  return listing;
}

/**
 * Whether the whole name matches the pattern: `?` stands for one character, `*` for any number of characters. The pattern
 * must not have two `*` in a row.
 */
function matchesPattern(pattern: string, name: string): boolean {
  if (pattern.length > 2 * name.length + 1) return false;
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n]) && pattern[p] !== '*')
      [p, n] = [p + 1, n + 1];
    else if (pattern[p] === '*') [star, mark, p] = [p, n, p + 1];
    else if (star >= 0) [p, n, mark] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
