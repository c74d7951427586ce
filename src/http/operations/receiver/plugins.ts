/** Operations that plug-ins provide on a box. receiverd has no plug-ins, so these return responses that clients understand. */
import * as Type from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, failure, operation, SimpleResult, simpleResult } from '../../endpoint/operation.ts';
import { type Parameters, text } from '../../middleware/parameters.ts';
import { field } from '../../write/record.ts';
import { element, part } from '../../write/xml.ts';

const pluginlistread = operation({
  name: 'pluginlistread',
  summary: 'Rereads the list of plug-ins: there are none, so it always succeeds.',
  changesState: false,
  exampleMessage: 'List of Plugins has been read',
  run: () => done('List of Plugins has been read'),
});

/** An operation with an always empty list; `root` is the root element of its XML. */
function emptyList(name: string, summary: string, root: string, list: string) {
  const Empty = Type.Object({ result: Type.Boolean(), [list]: Type.Array(Type.Object({})) });
  const empty = { result: true, [list]: [] } as Type.Static<typeof Empty>;
  return operation({ name, summary, result: Empty, xml: element(root), example: empty, run: () => empty });
}

/** An operation that needs a plug-in and always fails. */
function failing(
  message: string,
  head: { readonly name: string; readonly summary: string; readonly tag?: 'timers'; readonly parameters?: Parameters },
) {
  const error = new ReceiverError('unsupported', message);
  const run = () => {
    throw error;
  };
  return operation({ ...head, result: SimpleResult, xml: simpleResult, example: failure(error), run });
}

const file = { file: text('the file', { example: '/media/hdd/movie/20260101 2000 - Alpha HD - Ships.ts' }).required() };
const filename = { filename: text('the playlist', { example: 'playlist.m3u' }).required() };
const commands = 'play, pause, stop, next, previous, shuffle, clear, exit';

function unavailable(name: string, summary: string, parameters: Parameters) {
  return failing('MediaPlayer is not available', { name, summary, parameters });
}

/** The JSON is a bare boolean: whether the receiver can wake up without waking the television. */
function powerUpWithoutTelevision(name: string, summary: string) {
  return operation({
    name,
    tag: 'device',
    summary,
    result: field(false),
    xml: part<boolean, SimpleResult>(
      (result) => ({ result, message: 'waking up without the television is not supported' }),
      simpleResult,
    ),
    run: () => false,
  });
}

export const pluginOperations = group('system', [
  pluginlistread,
  emptyList('mediaplayerlist', 'The files that the media player could play: always none.', 'e2filelist', 'files'),
  emptyList(
    'mediaplayercurrent',
    'What the media player is playing: always nothing.',
    'e2mediaplayercurrent',
    'tracks',
  ),
  emptyList('mediaplayerfindfile', 'Finds files for the media player by name: always none.', 'e2findfile', 'files'),
  unavailable('mediaplayeradd', 'Adds a file to the media player’s playlist: always fails.', file),
  unavailable('mediaplayerremove', 'Removes a file from the media player’s playlist: always fails.', file),
  unavailable('mediaplayerplay', 'Plays a file in the media player: always fails.', file),
  unavailable('mediaplayercmd', 'Controls the media player: always fails.', {
    command: text(commands, { example: '116' }).required(),
  }),
  unavailable('mediaplayerload', 'Loads a playlist into the media player: always fails.', filename),
  unavailable('mediaplayerwrite', 'Saves the media player’s playlist: always fails.', filename),
  failing('VPS plugin not found', {
    name: 'vpschannels',
    tag: 'timers',
    summary: 'The channels known to the VPS plug-in: there is no such plug-in, so it always fails.',
  }),
  powerUpWithoutTelevision(
    'supports_powerup_without_waking_tv',
    'Whether the receiver can wake up without waking the television: always no.',
  ),
  powerUpWithoutTelevision(
    'set_powerup_without_waking_tv',
    'Makes the next wake-up leave the television off: not supported.',
  ),
]);
