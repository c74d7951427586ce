/** `receiverd recordings list | export`: works on the recording folders, whether or not a receiver runs. */
import { statSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import { unwritable } from '../base/files.ts';
import { localTime } from '../base/local-time.ts';
import { ownCommand } from '../base/own-command.ts';
import type { Configuration } from '../config/config.ts';
import { Settings } from '../config/enigma2-settings.ts';
import { makeGuide } from '../epg/make-guide.ts';
import { type ExportFormat, exportFormats, exportRecording } from '../exports/export.ts';
import { type ExportNames, exportInto, exportPlace } from '../exports/place.ts';
import type { Recording } from '../recordings/files/recording.ts';
import { recordingFolders } from '../recordings/library/folders.ts';
import { RecordingLibrary } from '../recordings/library/library.ts';
import { writeShowFile } from '../recordings/library/show-file.ts';
import { interruptible, StatusLine } from './terminal.ts';

export interface RecordingExportOptions {
  /** A file, or an existing folder. */
  readonly to: string;
  readonly cut?: boolean;
  /** For a folder. */
  readonly format?: ExportFormat;
  readonly names?: ExportNames;
}

interface RecordingListOptions {
  readonly json?: boolean;
}

/** Prints the recordings, newest first. */
export function listRecordings(configuration: Configuration, { json = false }: RecordingListOptions): Promise<void> {
  return withLibrary(configuration, async ({ library }) => {
    const recordings = await library.all();
    const rows = recordings.map(({ path, title, begin, length = null, size }) => ({
      path,
      title,
      begin,
      length,
      size,
    }));
    if (json) console.log(JSON.stringify(rows, null, 1));
    else for (const one of rows) console.log(lineOf(one, configuration.timeZone));
  });
}

/** @throws ReceiverError, Interrupted */
export function exportTo(configuration: Configuration, id: string, options: RecordingExportOptions): Promise<void> {
  const target = resolve(options.to);
  const named = exportFormats.find((one) => extname(target).toLowerCase() === `.${one}`);
  if (named === undefined && !statSync(target, { throwIfNoEntry: false })?.isDirectory())
    throw new ReceiverError(
      'parameter-invalid',
      `--to ${options.to}: it must end in .mkv or .mp4, or be a folder that exists`,
    );
  const { format = 'mkv', names = configuration.exports.names, cut: isCut = false } = options;
  if (named !== undefined && (options.format ?? named) !== named)
    throw new ReceiverError('parameter-invalid', `--format ${format}: the name after --to says ${named}`);
  const status = new StatusLine();
  return withLibrary(configuration, async ({ folders, library }) => {
    const recording = await find(library, id);
    const timeZone = () => configuration.timeZone;
    const parts = { folders, ffmpeg: configuration.conversion.path, timeZone };
    const place = exportPlace(recording, names, timeZone());
    const folder = named === undefined ? join(target, place.folder, '/') : join(dirname(target), '/');
    const onProgress = (part: number) => status.show(() => `${basename(target)}: ${Math.floor(part * 100)} %`);
    const run = async (signal: AbortSignal) => {
      const progress = { signal, onProgress };
      if (named === undefined) {
        const made = await mkdir(folder, { recursive: true }).catch(unwritable(folder));
        const done = exportInto(folder, place, parts, recording, { format, isCut }, progress);
        const exported = await done.catch(async (error) => {
          if (made) await removeEmpty(made, resolve(folder));
          throw error;
        });
        if (place.show !== undefined) await writeShowFile(join(folder, '../'), place.show);
        return exported;
      }
      const name = basename(target);
      await exportRecording(parts, recording, { format: named, isCut }, { folder, name }, progress);
      return name;
    };
    const name = await interruptible(run, () => 'nothing was written').finally(() => status.clear());
    console.log(`exported: ${folder}${name}`);
  });
}

interface Opened {
  readonly folders: ReturnType<typeof recordingFolders>;
  readonly library: RecordingLibrary;
}

async function withLibrary(configuration: Configuration, use: (opened: Opened) => Promise<void>): Promise<void> {
  const settings = Settings.read(join(configuration.enigma2Dir, 'settings'));
  const folders = recordingFolders(configuration.locations, settings, configuration.locationRoots);
  const guide = await makeGuide(configuration, systemClock);
  const library = new RecordingLibrary(folders, (bytes) => guide.eventOfFile(bytes));
  await use({ folders, library }).finally(() => library.stop());
}

/** A recording by its path, or by the name of its file if only one has it. */
async function find(library: RecordingLibrary, id: string): Promise<Recording> {
  if (id.includes('/')) return library.find(id.startsWith('.') ? resolve(id) : id);
  const all = await library.all();
  const found = all.filter(({ path }) => basename(path) === id || basename(path, extname(path)) === id);
  const [first] = found;
  if (first === undefined) {
    const titled = all.find(({ title }) => title.toLowerCase() === id.toLowerCase());
    const example = titled && `; the newest with this title is ${titled.path}`;
    throw new ReceiverError(
      'not-found',
      `no recording file is named '${id}': give the path or the file name of a recording, as \`${ownCommand('recordings list')}\` shows them${example ?? ''}`,
    );
  }
  if (found.length > 1)
    throw new ReceiverError('parameter-invalid', `several recordings are named '${id}': give the path of one`);
  return first;
}

type Row = Pick<Recording, 'path' | 'title' | 'begin'> & { readonly length: number | null };

function lineOf({ path, title, begin, length }: Row, timeZone: string): string {
  const digits = localTime(timeZone).digits(begin);
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)} ${digits.slice(8, 10)}:${digits.slice(10, 12)}`;
  const minutes = length === null ? '' : `${Math.round(length / 60)} min`;
  return [day, minutes, title, path].map((text) => text.replace(/\p{Cc}/gu, ' ')).join('\t');
}

/** Removes empty folders: `last`, and those above it up to `first`. */
async function removeEmpty(first: string, last: string): Promise<void> {
  for (let at = last; at.startsWith(first); at = dirname(at)) await rmdir(at).catch(() => undefined);
}
