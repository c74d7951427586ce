/** Paths of recordings, and the actions on one. */
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { lengthOf, positionOf } from '../../shared/time.ts';
import { cutsWith, playCounts, type Recording, watchedTag } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';

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

/** `MKV`: the kind of a file; empty for the receiver's own. */
export function formatOf(path: string): string {
  const ending = nameOf(path).split('.').at(-1)?.toLowerCase() ?? '';
  return ending === 'ts' ? '' : ending.toUpperCase();
}

/** Name of a folder for users; `locations` are all recording folders. */
export function folderName(folder: string, locations: readonly string[]): string {
  const { app, recordings } = words.value;
  if (isTrash(folder)) return recordings.trash;
  if (locations.length === 1 && locations[0] === folder) return app.recordings;
  const name = nameOf(folder.slice(0, -1));
  // Several disks often have a folder of the same name.
  return locations.includes(folder) &&
    locations.some((location) => location !== folder && location.endsWith(`/${name}/`))
    ? folder
    : name;
}

/** The length as text, with seconds if shorter than a minute; empty if unknown. */
export function lengthText({ length }: Recording): string {
  if (length === null) return '';
  return length < 60 ? positionOf(length) : lengthOf(length);
}

export function isTrash(folder: string): boolean {
  return /\/(\.Trash|movie_trash)\/$/.test(folder);
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

/** Marks a recording as watched or not, for all clients: with the position at its end or beginning, and Kodi's tag. */
export async function markWatched({ filename: sRef, tags, length }: Recording, watched: boolean): Promise<unknown> {
  const { cuts = [] } = await receiver.get('/api/movieinfo', { sRef, create: 1 });
  return receiver.post('/api/movieinfo', {
    sRef,
    create: 1,
    cuts: cutsWith(cuts, watched ? (length ?? 0) : 0),
    ...(watched ? { addtag: watchedTag } : { deltag: playCounts(tags).join() }),
  });
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
