/** Actions on recordings: delete, move, rename, copy. */
import { ReceiverError } from '../../../base/errors.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, failure, operation, type SimpleResult } from '../../endpoint/operation.ts';
import { boolean, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { recordingOf } from './movies.ts';

const reference = serviceReference('the recording').alias('sref').required();

/** Maximum time that a response waits for a copy. */
const maxCopyWaitMs = 5000;

/** Failure reasons in the wording that clients know. */
const reasons: Readonly<Record<string, string>> = {
  'not-found': 'File not exist',
  'outside-locations': 'File not exist',
  'same-folder': 'Equal Source and Destination Path',
  'folder-not-found': 'Destination Path not exist',
  'file-exists': 'Destination File exist',
};

/**
 * Acts on a recording. `act` returns the message of success, `failed` the message of a failure, for the title or, without a
 * recording, the reference. `moreReasons` has texts for further error codes.
 */
async function actOnRecording(
  parts: ReceiverParts,
  sRef: string,
  act: (recording: Recording) => Promise<string>,
  failed: (title: string, reason: string) => string,
  moreReasons: Readonly<Record<string, string>> = {},
): Promise<SimpleResult> {
  let title = sRef;
  try {
    const recording = await recordingOf(parts, sRef);
    ({ title } = recording);
    return done(await act(recording));
  } catch (error) {
    if (!(error instanceof ReceiverError)) throw error;
    const { code, message } = error;
    return failure(error, failed(title, moreReasons[code] ?? reasons[code] ?? message));
  }
}

const moviedelete = operation({
  name: 'moviedelete',
  summary: 'Deletes a recording.',
  description:
    'If the setting `config.usage.movielist_trashcan` is on, the recording goes to `.Trash` of its location, and moviemove restores it. ' +
    'A recording that is already there is deleted for good. A running recording is stopped first.',
  parameters: { sRef: reference, force: boolean('do not use the trash', { form: 'presence' }) },
  exampleMessage: "The movie 'Ships' has been deleted successfully",
  run: (parts, { sRef, force }) =>
    actOnRecording(
      parts,
      sRef,
      async ({ path, title }) => {
        await parts.recordingActions.delete(path, { forGood: force });
        return `The movie '${title}' has been deleted successfully`;
      },
      (title, reason) => `Could not delete Movie '${title}' / ${reason}`,
    ),
});

/** The forms of a verb in messages. */
interface Verb {
  readonly name: string;
  readonly past: string;
}

/**
 * Acts on a recording and reports the result in the wording that clients know. An action that takes longer than
 * `maxCopyWaitMs` continues after the response.
 */
function runAction(
  parts: ReceiverParts,
  sRef: string,
  { name, past }: Verb,
  action: (recording: Recording) => Promise<unknown>,
  moreReasons?: Readonly<Record<string, string>>,
): Promise<SimpleResult> {
  const waitForAction = async (recording: Recording) => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), maxCopyWaitMs);
    });
    const running = action(recording);
    const state = await Promise.race([running, timeout]).finally(() => clearTimeout(timer));
    if (state !== 'timeout') return `The recording '${recording.title}' has been ${past} successfully`;
    running.catch((error) => parts.recordingActions.report(error));
    return `The recording '${recording.title}' is being ${past}`;
  };
  return actOnRecording(
    parts,
    sRef,
    waitForAction,
    (title, reason) => `Could not ${name} recording '${title}' Err: '${reason}'`,
    moreReasons,
  );
}

/** Waits for a move or copy and stores its target as the current location. */
async function chooseTarget({ locationChanges }: ReceiverParts, action: Promise<string>): Promise<void> {
  const path = await action;
  await locationChanges.choose(path);
}

const copyDescription =
  'If the folder is on another file system, the recording is copied, which takes time: the response comes after five seconds at the latest, and `/api/transfers` shows the progress and can cancel it.';

const moviemove = operation({
  name: 'moviemove',
  summary: 'Moves a recording to another folder, also out of the trash.',
  description: copyDescription,
  parameters: {
    sRef: reference,
    dirname: text('existing folder inside a location', { example: '/media/hdd/movie/' }).required(),
  },
  exampleMessage: "The recording 'Ships' has been moved successfully",
  run: (parts, { sRef, dirname }) =>
    runAction(parts, sRef, { name: 'move', past: 'moved' }, ({ path }) =>
      chooseTarget(parts, parts.recordingActions.move(path, dirname)),
    ),
});

const moviecopy = operation({
  name: 'moviecopy',
  summary: 'Copies a recording to another folder.',
  description: copyDescription,
  parameters: {
    sRef: reference,
    dirname: text('existing folder inside a location', { example: '/media/hdd/movie/' }).required(),
  },
  exampleMessage: "The recording 'Ships' has been copied successfully",
  run: (parts, { sRef, dirname }) =>
    runAction(parts, sRef, { name: 'copy', past: 'copied' }, ({ path }) =>
      chooseTarget(parts, parts.recordingActions.copy(path, dirname)),
    ),
});

const movierename = operation({
  name: 'movierename',
  summary: 'Renames a recording: its title and its files.',
  description: 'Folder, extension and tags stay the same.',
  parameters: {
    sRef: reference,
    newname: text('the title, also used as the file name', { example: 'Ships and harbours' }).required(),
  },
  exampleMessage: "The recording 'Ships' has been renamed successfully",
  run: (parts, { sRef, newname }) =>
    runAction(
      parts,
      sRef,
      { name: 'rename', past: 'renamed' },
      ({ path }) => parts.recordingActions.rename(path, newname),
      {
        'file-exists': 'New File exist',
      },
    ),
});

export const movieActionOperations = group('recordings', [moviedelete, moviemove, moviecopy, movierename]);
