/** The recordings of a folder, and what can be done with one. */
import type { Recordings } from '../../../client/client.ts';
import { attempt, say } from '../../shared/attempt.ts';
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

/** The words that must all be in its texts; case and accents do not count. */
export function isFound(recording: Recording, asked: string): boolean {
  const { label, recording_servicename, meta, event } = recording;
  const texts = folded([label, recording_servicename, meta.Description, event?.longinfo].join(' '));
  return folded(asked)
    .split(/\s+/)
    .every((word) => texts.includes(word));
}

/** The folder that a file is in, with a slash at its end. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The folder that a folder is in; both have a slash at their ends. */
export function folderAbove(folder: string): string {
  return folderOf(folder.slice(0, -1));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Its length in words: of a very short one in seconds. Empty if it is not known. */
export function lengthText({ length }: Recording): string {
  if (length === null) return '';
  return length < 60 ? positionOf(length) : lengthOf(length);
}

export function isTrash(folder: string): boolean {
  return /\/(\.Trash|movie_trash)\/$/.test(folder);
}

/** See `resumeAt`. */
export function resumeOf({ meta, length }: Recording): number {
  return resumeAt(meta.marks?.watched ?? 0, length ?? 0);
}

/** Deletes it; in the trash for good. @throws Refused */
export function removed({ filename }: Recording) {
  return receiver.delete('/recordings/{path}', { path: nameOf(filename), folder: folderOf(filename), force: true });
}

/** Deletes it; in the trash for good. What went to the trash can be taken back. */
export async function removeRecording(recording: Recording): Promise<void> {
  const { filename, label } = recording;
  const done = await attempt(() => removed(recording));
  if (!done) return;
  const { common, recordings } = words.peek();
  const { trashed } = done;
  if (trashed === undefined) say(recordings.permanentlyDeleted(label));
  else say(recordings.deleted(label), { label: common.undo, run: () => moveRecording(trashed, folderOf(filename)) });
}

async function act(run: () => Promise<unknown>, said: string): Promise<boolean> {
  const done = await attempt(run);
  if (done !== undefined) say(said);
  return done !== undefined;
}

/** Moves it; the folder may be a new one. @throws Refused */
export async function moved(sRef: string, dirname: string): Promise<unknown> {
  await receiver.post('/recordings', { folder: dirname });
  return receiver.post('/api/moviemove', { sRef, dirname });
}

export function moveRecording(path: string, dirname: string): Promise<boolean> {
  const { restored, movedOne } = words.peek().recordings;
  const said = isTrash(folderOf(path)) ? restored : movedOne;
  return act(() => moved(path, dirname), said);
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
