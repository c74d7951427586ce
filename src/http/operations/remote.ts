/** The remote control. */
import { fail } from '../../errors.ts';
import { action, area, done, type SimpleResult } from '../faces/operation.ts';
import { text, wholeNumber } from '../gate/parameters.ts';
import { decodeAgain } from '../gate/query.ts';
import { element, leaves } from '../write/xml.ts';

const remotecontrol = action({
  name: 'remotecontrol',
  summary: 'Presses a key of the remote control.',
  description:
    'These keys act on the receiver: power (116), volume (113 to 115), channel up and down (402, 403), digits (2 to 11), the player keys for recordings and timeshift, audio and ' +
    'subtitles (392, 370), and ok and exit (352, 174) as the answer to a message. Every other key is accepted and has no effect here. With `remote.uinput` in the configuration, ' +
    'all keys are also pressed on this machine. A failure is reported in the same form.',
  parameters: {
    command: text('Linux key code; not needed with `text`'),
    type: text('`long` = held; `ascii` = `command` is a character; absent = pressed'),
    rcu: text('kind of remote control: `standard`, `advanced`, `keyboard`; no effect'),
    text: text('a text to type, percent-encoded a second time'),
  },
  xml: element<SimpleResult>('e2remotecontrol', leaves({ e2result: 'result', e2resulttext: 'message' })),
  says: "RC command '352' has been issued",
  failed: ({ message }) => ({ result: false, message }),
  run({ device: { remote } }, { command, type, text: typed }) {
    if (typed !== undefined && typed !== '') {
      remote.type(decodeAgain(typed));
      return done('RC text has been issued');
    }
    if (command === undefined) throw fail('parameter-missing', 'command');
    if (command === '') throw fail('parameter-empty', 'command');
    const code = wholeNumber(command, 'command', { minimum: 0, maximum: 0x10ffff });
    if (type === 'ascii') remote.type(characterOf(code));
    else remote.press(code, type === 'long');
    return done(`RC command '${code}' has been issued`);
  },
});

/** Empty for a control code. */
const characterOf = (code: number) => (code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '');

export const remoteOperations = area('device', [remotecontrol]);
