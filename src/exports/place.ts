/** Where exports go: the folder and the name of each, by the rule that the user has chosen. */
import { basename, extname } from 'node:path';
import { exists, replaceFile } from '../base/files.ts';
import type { exportNames } from '../config/config.ts';
import type { Recording } from '../recordings/files/recording.ts';
import { freeName } from '../recordings/files/recording-files.ts';
import { mediaName } from '../recordings/library/media-names.ts';
import { type ExportOptions, type ExportParts, type ExportProgress, exportRecording } from './export.ts';

export type ExportNames = (typeof exportNames)[number];

export interface ExportPlace {
  /** Folders to create, each with a trailing slash; '' for none. */
  readonly folder: string;
  /** Name without extension and number. */
  readonly base: string;
  /** For media servers; undefined for none. */
  readonly nfo: string | undefined;
  /** Content of the file in the folder of its show, the first one in `folder`. */
  readonly show?: string | undefined;
}

export function exportPlace(recording: Recording, names: ExportNames, timeZone: string): ExportPlace {
  const { path } = recording;
  if (names === 'recording') return { folder: '', base: basename(path, extname(path)), nfo: undefined };
  const { folder, name: base, nfo, show } = mediaName(recording, timeZone);
  return { folder, base, nfo, show };
}

/** Writes an export into `folder`, under the first name that is free, and returns that. @throws like `exportRecording` */
export async function exportInto(
  folder: string,
  { base, nfo }: ExportPlace,
  parts: ExportParts,
  recording: Recording,
  options: ExportOptions,
  progress: ExportProgress,
): Promise<string> {
  const name = await freeName(folder, base, `.${options.format}`);
  await exportRecording(parts, recording, options, { folder, name }, progress);
  const beside = `${folder}${basename(name, extname(name))}.nfo`;
  if (nfo !== undefined && !(await exists(beside))) await replaceFile(beside, Buffer.from(nfo)).catch(() => undefined);
  return name;
}
