/** Operations that plug-ins provide on a box. There are none here, so these return replies that clients understand. */
import Type, { type Static } from 'typebox';
import { done, type Operation, operation, SimpleResult, simpleResult } from '../faces/operation.ts';
import { text } from '../gate/parameters.ts';
import { element, part } from '../write/xml.ts';

const since = '0.1';

const pluginlistread = operation({
  name: 'pluginlistread',
  since,
  tag: 'system',
  summary: 'Rereads the list of plug-ins: there are none, so it always succeeds.',
  parameters: {},
  result: SimpleResult,
  xml: simpleResult,
  example: { result: true, message: 'List of Plugins has been read' },
  run: () => done('List of Plugins has been read'),
});

/** An operation with an always empty list; `root` is the root element of its XML. */
function emptyList(name: string, summary: string, root: string, list: string): Operation {
  const Empty = Type.Object({ result: Type.Boolean(), [list]: Type.Array(Type.Object({})) });
  const empty = { result: true, [list]: [] } as Static<typeof Empty>;
  return operation({
    name,
    since,
    tag: 'system',
    summary,
    parameters: {},
    result: Empty,
    xml: element(root),
    example: empty,
    run: () => empty,
  });
}

/** An operation that needs a plug-in and always fails. */
function unavailable(name: string, summary: string, parameter: string, what: string, message: string): Operation {
  return operation({
    name,
    since,
    tag: 'system',
    summary,
    parameters: { [parameter]: text(what).required() },
    result: SimpleResult,
    xml: simpleResult,
    example: { result: false, message },
    run: () => ({ result: false, message }),
  });
}

const noPlayer = 'MediaPlayer is not available';
const noVps = { result: false, message: 'VPS plugin not found' };

const vpschannels = operation({
  name: 'vpschannels',
  since,
  tag: 'timers',
  summary: 'The channels known to the VPS plug-in: there is no such plug-in, so it always fails.',
  parameters: {},
  result: SimpleResult,
  xml: simpleResult,
  example: noVps,
  run: () => noVps,
});

/** The JSON is a bare boolean: whether the receiver can wake up without waking the television. */
function powerUpWithoutTelevision(name: string, summary: string): Operation {
  return operation({
    name,
    since,
    tag: 'device',
    summary,
    parameters: {},
    result: Type.Boolean(),
    xml: part<boolean, SimpleResult>(
      (result) => ({ result, message: 'waking up without the television is not supported' }),
      simpleResult,
    ),
    example: false,
    run: () => false,
  });
}

export const pluginOperations = [
  pluginlistread,
  emptyList('mediaplayerlist', 'The files that the media player could play: always none.', 'e2filelist', 'files'),
  emptyList(
    'mediaplayercurrent',
    'What the media player is playing: always nothing.',
    'e2mediaplayercurrent',
    'tracks',
  ),
  emptyList('mediaplayerfindfile', 'Finds files for the media player by name: always none.', 'e2findfile', 'files'),
  unavailable(
    'mediaplayeradd',
    'Adds a file to the media player’s playlist: always fails.',
    'file',
    'the file',
    noPlayer,
  ),
  unavailable(
    'mediaplayerremove',
    'Removes a file from the media player’s playlist: always fails.',
    'file',
    'the file',
    noPlayer,
  ),
  unavailable('mediaplayerplay', 'Plays a file in the media player: always fails.', 'file', 'the file', noPlayer),
  unavailable(
    'mediaplayercmd',
    'Controls the media player: always fails.',
    'command',
    'play, pause, stop, next, previous, shuffle, clear, exit',
    noPlayer,
  ),
  unavailable(
    'mediaplayerload',
    'Loads a playlist into the media player: always fails.',
    'filename',
    'the playlist',
    noPlayer,
  ),
  unavailable(
    'mediaplayerwrite',
    'Saves the media player’s playlist: always fails.',
    'filename',
    'the playlist',
    noPlayer,
  ),
  vpschannels,
  powerUpWithoutTelevision(
    'supports_powerup_without_waking_tv',
    'Whether the receiver can wake up without waking the television: always no.',
  ),
  powerUpWithoutTelevision(
    'set_powerup_without_waking_tv',
    'Makes the next wake-up leave the television off: not supported.',
  ),
];
