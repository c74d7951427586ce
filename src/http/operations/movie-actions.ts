/** Actions on recordings: delete, move, rename, copy. */
import { ReceiverError } from '../../errors.ts';
import type { Recording } from '../../recordings/recording.ts';
import { done, operation, SimpleResult, simpleResult } from '../faces/operation.ts';
import { presence, serviceReference, text } from '../gate/parameters.ts';
import type { Parts } from '../parts/parts.ts';
import { recordingOf } from './movies.ts';

const common = {
  since: '0.1',
  tag: 'recordings',
  changesState: true,
  result: SimpleResult,
  xml: simpleResult,
} as const;

const reference = serviceReference('the recording').alias('sref').required();

/** Milliseconds that a response waits for a copy. */
const patience = 5000;

/** Failure reasons in the wording that clients know. */
const reasons: Readonly<Record<string, string>> = {
  'not-found': 'File not exist',
  'outside-locations': 'File not exist',
  'same-folder': 'Equal Source and Destination Path',
  'folder-not-found': 'Destination Path not exist',
  'file-exists': 'Destination File exist',
};

function reasonOf(error: unknown, words: Readonly<Record<string, string>> = {}): string {
  if (!(error instanceof ReceiverError)) throw error;
  return words[error.code] ?? reasons[error.code] ?? error.message;
}

/** The recording, or the error if there is none. */
async function found(parts: Parts<'recordings' | 'services'>, sRef: string): Promise<Recording | ReceiverError> {
  try {
    return await recordingOf(parts, sRef);
  } catch (error) {
    if (error instanceof ReceiverError) return error;
    throw error;
  }
}

const moviedelete = operation({
  ...common,
  name: 'moviedelete',
  summary: 'Deletes a recording.',
  description:
    'If the setting `config.usage.movielist_trashcan` is on, the recording goes to `.Trash` of its location, and moviemove restores it. ' +
    'A recording that is already there is deleted for good. A running recording is stopped first.',
  parameters: { sRef: reference, force: presence('do not use the trash') },
  example: { result: true, message: "The movie 'Ships' has been deleted successfully" },
  async run(parts, { sRef, force }) {
    const recording = await found(parts, sRef);
    if (recording instanceof ReceiverError)
      return { result: false, message: `Could not delete Movie '${sRef}' / ${reasonOf(recording)}` };
    const { path, title } = recording;
    try {
      await parts.recordingActions.delete(path, { forGood: force });
      return done(`The movie '${title}' has been deleted successfully`);
    } catch (error) {
      return { result: false, message: `Could not delete Movie '${title}' / ${reasonOf(error)}` };
    }
  },
});

/** The verb forms in the texts. */
interface Verb {
  readonly name: string;
  readonly past: string;
}

/** Acts on a recording and reports it in the wording that clients know. A slow action continues after the response. */
async function act(
  parts: Parts<'recordingActions' | 'recordings' | 'services'>,
  sRef: string,
  { name, past }: Verb,
  action: (recording: Recording) => Promise<unknown>,
  words: Readonly<Record<string, string>> = {},
): Promise<SimpleResult> {
  const recording = await found(parts, sRef);
  const failed = (title: string, error: unknown) => ({
    result: false,
    message: `Could not ${name} recording '${title}' Err: '${reasonOf(error, words)}'`,
  });
  if (recording instanceof ReceiverError) return failed(sRef, recording);
  const { title } = recording;
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<'waited'>((resolve) => {
    timer = setTimeout(() => resolve('waited'), patience);
  });
  const acted = action(recording);
  try {
    const state = await Promise.race([acted, waited]);
    if (state !== 'waited') return done(`The recording '${title}' has been ${past} successfully`);
    acted.catch((error) => parts.recordingActions.report(error));
    return done(`The recording '${title}' is being ${past}`);
  } catch (error) {
    return failed(title, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Remembers the target as the last chosen location. */
async function put({ locationChanges }: Parts<'locationChanges'>, action: Promise<string>): Promise<void> {
  const path = await action;
  await locationChanges.choose(path);
}

const elsewhere =
  'Into another file system it is copied: the answer comes after five seconds at the latest, `/api/transfers` shows how far it is and cancels it.';

const moviemove = operation({
  ...common,
  name: 'moviemove',
  summary: 'Moves a recording to another folder, also out of the trash.',
  description: elsewhere,
  parameters: { sRef: reference, dirname: text('existing folder inside a location').required() },
  example: { result: true, message: "The recording 'Ships' has been moved successfully" },
  run: (parts, { sRef, dirname }) =>
    act(parts, sRef, { name: 'move', past: 'moved' }, ({ path }) =>
      put(parts, parts.recordingActions.move(path, dirname)),
    ),
});

const moviecopy = operation({
  ...common,
  name: 'moviecopy',
  summary: 'Copies a recording to another folder.',
  description: elsewhere,
  parameters: { sRef: reference, dirname: text('existing folder inside a location').required() },
  example: { result: true, message: "The recording 'Ships' has been copied successfully" },
  run: (parts, { sRef, dirname }) =>
    act(parts, sRef, { name: 'copy', past: 'copied' }, ({ path }) =>
      put(parts, parts.recordingActions.copy(path, dirname)),
    ),
});

const movierename = operation({
  ...common,
  name: 'movierename',
  summary: 'Renames a recording: its title and its files.',
  description: 'Folder, extension and tags stay the same.',
  parameters: { sRef: reference, newname: text('the title, also used as the file name').required() },
  example: { result: true, message: "The recording 'Ships' has been renamed successfully" },
  run: (parts, { sRef, newname }) =>
    act(parts, sRef, { name: 'rename', past: 'renamed' }, ({ path }) => parts.recordingActions.rename(path, newname), {
      'file-exists': 'New File exist',
    }),
});

export const movieActionOperations = [moviedelete, moviemove, moviecopy, movierename];
