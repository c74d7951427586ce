/** The recordings of a folder, and the actions on one. */
import type { Recordings } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { folded } from '../../shared/fold.ts';
import { receiver } from '../../shared/receiver.ts';
import { resumeAt } from '../../shared/resume.ts';
import { lengthOf, positionOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';

export type Recording = Recordings['items'][number];

export const sortings = ['newest', 'oldest', 'title', 'channel', 'length', 'size'] as const;
export type Sorting = (typeof sortings)[number];

const orders: Readonly<Record<Sorting, (a: Recording, b: Recording) => number>> = {
  newest: (a, b) => b.begin - a.begin,
  oldest: (a, b) => a.begin - b.begin,
  title: (a, b) => a.label.localeCompare(b.label) || b.begin - a.begin,
  channel: (a, b) => a.recording_servicename.localeCompare(b.recording_servicename) || b.begin - a.begin,
  length: (a, b) => (b.length ?? 0) - (a.length ?? 0),
  size: (a, b) => b.size - a.size,
};

export function sorted(all: readonly Recording[], by: string | undefined): readonly Recording[] {
  const sorting = sortings.find((one) => one === by) ?? 'newest';
  return [...all].sort(orders[sorting]);
}

/** Whether the recording's texts contain all words of the search; case and accents are ignored. */
export function isFound(recording: Recording, search: string): boolean {
  const { label, recording_servicename, meta, event } = recording;
  const texts = folded([label, recording_servicename, meta.Description, event?.longinfo].join(' '));
  return folded(search)
    .split(/\s+/)
    .every((word) => texts.includes(word));
}

/** The folder of a file, with a trailing slash. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The parent of a folder; both with a trailing slash. */
export function folderAbove(folder: string): string {
  return folderOf(folder.slice(0, -1));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The length as text, with seconds if shorter than a minute; empty if unknown. */
export function lengthText({ length }: Recording): string {
  if (length === null) return '';
  return length < 60 ? positionOf(length) : lengthOf(length);
}

export function isTrash(folder: string): boolean {
  return /\/(\.Trash|movie_trash)\/$/.test(folder);
}

/** The position in seconds at which to resume; see `resumeAt`. */
export function resumeOf({ meta, length }: Recording): number {
  return resumeAt(meta.marks?.watched ?? 0, length ?? 0);
}

/** Moves a recording to the trash; in the trash, deletes it permanently. @throws Refused */
export function deleteRecording({ filename }: Recording) {
  return receiver.delete('/recordings/{path}', { path: nameOf(filename), folder: folderOf(filename), force: true });
}

/** Like `deleteRecording`, with a toast that offers to undo a move to the trash. */
export async function removeRecording(recording: Recording): Promise<void> {
  const { filename, label } = recording;
  const done = await attempt(() => deleteRecording(recording));
  if (!done) return;
  const { common, recordings } = words.peek();
  const { trashed } = done;
  if (trashed === undefined) showToast(recordings.permanentlyDeleted(label));
  else
    showToast(recordings.deleted(label), { label: common.undo, run: () => moveRecording(trashed, folderOf(filename)) });
}

async function act(run: () => Promise<unknown>, message: string): Promise<boolean> {
  const done = await attempt(run);
  if (done !== undefined) showToast(message);
  return done !== undefined;
}

/** Moves a recording into a folder, which is created if it does not exist. @throws Refused */
export async function moveInto(sRef: string, dirname: string): Promise<unknown> {
  await receiver.post('/recordings', { folder: dirname });
  return receiver.post('/api/moviemove', { sRef, dirname });
}

export function moveRecording(path: string, dirname: string): Promise<boolean> {
  const { restored, movedOne } = words.peek().recordings;
  const message = isTrash(folderOf(path)) ? restored : movedOne;
  return act(() => moveInto(path, dirname), message);
}

export function copyRecording(path: string, dirname: string): Promise<boolean> {
  const copy = async () => {
    await receiver.post('/recordings', { folder: dirname });
    return receiver.post('/api/moviecopy', { sRef: path, dirname });
  };
  return act(copy, words.peek().recordings.copied);
}

export function renameRecording(path: string, newname: string): Promise<boolean> {
  return act(() => receiver.post('/api/movierename', { sRef: path, newname }), words.peek().recordings.renamed);
}
