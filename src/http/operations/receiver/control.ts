/** Control of the receiver: volume, power and restart, the sleep timer, messages, the remote control. */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { type MessageKind, messageKinds } from '../../../device/messages.ts';
import type { PowerChange } from '../../../device/power.ts';
import { maxSleepMinutes } from '../../../device/sleep-timer.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, operation, type RequestContext, type SimpleResult } from '../../endpoint/operation.ts';
import { boolean, integer, Parameter, text } from '../../middleware/parameters.ts';
import { decodeAgain } from '../../middleware/query.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, oneOf, recordSchema } from '../../write/record.ts';
import { element, leaf, leaves } from '../../write/xml.ts';

const VolumeState = recordSchema({
  result: true,
  message: 'Status',
  current: field(55, { minimum: 0, maximum: 100 }),
  ismute: false,
});

const vol = operation({
  name: 'vol',
  summary: 'Shows or changes the volume.',
  parameters: {
    set: text('`up`, `down`, `mute` (toggles), `setNN` (0 to 100); absent or `state` = show', { example: 'set55' }),
  },
  changesState: ['set'],
  result: VolumeState,
  xml: element<Type.Static<typeof VolumeState>>(
    'e2volume',
    leaves({ e2result: 'result', e2resulttext: 'message', e2current: 'current', e2ismuted: 'ismute' }),
  ),
  run({ device: { volume } }, { set = 'state' }) {
    const [result, message] = changeVolume(volume, set);
    return { result, message, current: volume.level, ismute: volume.muted };
  },
});

function changeVolume(volume: ReceiverParts['device']['volume'], set: string): [result: boolean, message: string] {
  switch (set) {
    case '':
    case 'state':
      return [true, 'Status'];
    case 'up':
    case 'down':
      volume.step(set);
      return [true, 'Volume changed'];
    case 'mute':
      volume.toggleMute();
      return [true, 'Mute toggled'];
  }
  const level = /^set(-?\d{1,9})$/.exec(set)?.[1];
  if (level !== undefined) {
    volume.set(Number(level));
    return [true, `Volume set to ${volume.level}`];
  }
  return [
    false,
    set.startsWith('set') ? `Wrong parameter format 'set=${set}'. Use set=set15` : `Unknown Volume command ${set}`,
  ];
}

const PowerState = recordSchema({ result: true, instandby: false });

const powerstate = operation({
  name: 'powerstate',
  summary: 'Shows or changes whether the receiver is in standby.',
  description:
    'Shutdown and reboot (1, 2) are refused unless the configuration allows them: `result` is then false and the response shows the ' +
    'unchanged state. A restart (3) begins once the response has been sent. Reboot and restart need the permission `admin`, because ' +
    'they interrupt the streams and recordings of other users.',
  parameters: {
    newstate: integer(
      '0 = toggle standby, 1 = shut down, 2 = reboot, 3 = restart, 4 = wake up, 5 = standby; absent or any other number = show',
      { minimum: -1, maximum: 6, wrong: { text: 'fails', number: 'nearest' }, example: 0 },
    ),
    shift: boolean('wake up without waking the television; no effect, because this receiver never wakes it', {
      form: 'presence',
    }),
  },
  changesState: ['newstate'],
  result: PowerState,
  xml: element<Type.Static<typeof PowerState>>(
    'e2powerstate',
    leaf('e2instandby', ({ instandby }) => (instandby ? 'true' : 'false')),
  ),
  async run({ device: { power } }, { newstate = -1 }, { afterReply, need }) {
    const change = powerChanges[newstate];
    if (change === 'reboot' || change === 'restart') need('admin');
    if (change === 'restart') return { result: restartAfter(afterReply, power), instandby: power.standby };
    let result = true;
    try {
      if (change !== undefined) await power.change(change);
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      result = false;
    }
    return { result, instandby: power.standby };
  },
});

/** Restarts once the response is sent. Returns false if a restart is not possible. */
function restartAfter(afterReply: RequestContext['afterReply'], power: ReceiverParts['device']['power']): boolean {
  if (power.canRestart) afterReply(() => void power.change('restart'));
  return power.canRestart;
}

/** The meaning of the numbers in newstate. Others change nothing. */
const powerChanges: Readonly<Record<number, PowerChange>> = {
  0: 'toggle-standby',
  1: 'deep-standby',
  2: 'reboot',
  3: 'restart',
  4: 'wake',
  5: 'standby',
};

const restarting = {
  tag: 'system',
  summary: 'Restarts the receiver: rereads the configuration and reopens the ports.',
  description: 'The restart begins once the response, which is empty, has been sent. Streams end.',
  changesState: true,
  contentType: 'text/plain; charset=utf-8',
  example: '',
  run({ device: { power } }: ReceiverParts, _values: object, { afterReply }: RequestContext) {
    restartAfter(afterReply, power);
    return { body: '' };
  },
} as const;

const restartserver = operation({ ...restarting, name: 'restartserver' });
const restarttwisted = operation({ ...restarting, name: 'restarttwisted', deprecated: 'use restartserver' });

const SleepTimerState = recordSchema({
  enabled: true,
  minutes: field(30, 'minutes remaining; when off, the value it was last set to'),
  action: oneOf(['standby', 'shutdown']),
  message: 'Sleeptimer is enabled',
  remaining: field(30, 'minutes until it expires; 0 when off'),
  result: true,
});

const sleeptimer = operation({
  name: 'sleeptimer',
  summary: 'Shows or sets the sleep timer.',
  description:
    'The sleep timer survives a restart. If the configuration does not allow shutdown, the receiver goes into standby instead. A sleep timer set ' +
    'to standby is cancelled when the receiver goes into standby by other means.',
  parameters: {
    cmd: text('`get` or `set`; absent = get', { example: 'set' }),
    time: integer('minutes; required to turn it on', {
      minimum: 0,
      maximum: maxSleepMinutes,
      wrong: 'nearest',
      example: 30,
    }),
    action: text('`standby` or `shutdown`; anything else = standby', { example: 'standby' }),
    enabled: text('`True` or `False`; required for set', { example: 'True' }),
  },
  changesState: ['enabled'],
  result: SleepTimerState,
  xml: element<Type.Static<typeof SleepTimerState>>(
    'e2sleeptimer',
    leaves({ e2enabled: 'enabled', e2minutes: 'minutes', e2action: 'action', e2text: 'message' }),
  ),
  run({ device: { sleepTimer } }, values) {
    const [result, message] = runCommand(sleepTimer, values);
    const { enabled, minutes, action } = sleepTimer;
    return { enabled, minutes, action, message, remaining: enabled ? minutes : 0, result };
  },
});

interface Command {
  readonly cmd: string | undefined;
  readonly time: number | undefined;
  readonly action: string | undefined;
  readonly enabled: string | undefined;
}

/** Executes a command. Errors are reported in the message, because clients read nothing else. */
function runCommand(
  timer: ReceiverParts['device']['sleepTimer'],
  { cmd = '', time, action, enabled = '' }: Command,
): [result: boolean, message: string] {
  const state = () => (timer.enabled ? 'Sleeptimer is enabled' : 'Sleeptimer is disabled');
  if (cmd === '' || cmd === 'get') return [true, state()];
  if (cmd !== 'set') return [false, `ERROR: The parameter 'cmd' must be get or set, not '${cmd}'`];
  if (/^false$/i.test(enabled)) {
    timer.disable();
    return [true, state()];
  }
  if (!/^true$/i.test(enabled))
    return [false, `ERROR: The parameter 'enabled' must be True or False, not '${enabled}'`];
  if (time === undefined) return [false, "ERROR: The parameter 'time' must be a number of minutes"];
  timer.enable(time, action === 'shutdown' ? 'shutdown' : 'standby');
  return [true, `Sleeptimer set to ${time} minutes`];
}

const kind = new Parameter<MessageKind>(
  '0 question (yes or no), 1 information, 2 warning, 3 error; another number = 1',
  Type.Integer({ minimum: 0, maximum: 3, examples: [1] }),
  (given = '') => {
    const number = /^\s*([+-]?\d{1,15})\s*$/.exec(given)?.[1];
    // Clients expect this text.
    if (number === undefined) throw new ReceiverError('parameter-invalid', `type ${given} is not a number`);
    return messageKinds[Number(number)] ?? 'information';
  },
).required();

const message = operation({
  name: 'message',
  summary: 'Shows a message, or asks a question.',
  description:
    'The message appears on the video output, if there is one, on the web page, and on the event stream. messageanswer returns the ' +
    'answer to a question; a new question clears it.',
  parameters: {
    text: text('text to show', { example: 'Dinner is ready' }).required(),
    type: kind,
    timeout: integer('seconds to show it; absent, 0 or -1 = until it is closed', {
      minimum: -1,
      maximum: 86_400,
      wrong: 'nearest',
      example: 30,
    }),
  },
  exampleMessage: 'Message sent successfully!',
  run({ device: { messages } }, { text, type, timeout }) {
    messages.show(type, text, timeout);
    return done('Message sent successfully!');
  },
});

const messageanswer = operation({
  name: 'messageanswer',
  summary: 'The answer to the last question.',
  parameters: { getanswer: text('`now`, as clients send it; ignored', { example: 'now' }) },
  changesState: false,
  exampleMessage: 'Answer is YES!',
  run({ device: { messages } }) {
    const { answer } = messages;
    if (answer === undefined) throw fail('no-answer');
    return done(`Answer is ${answer.toUpperCase()}!`);
  },
});

/** Required only without `text`. */
const keyCode = integer('', { minimum: 0, maximum: 0x10ffff, wrong: 'fails' }).required();

const remotecontrol = operation({
  name: 'remotecontrol',
  summary: 'Presses a key of the remote control.',
  description:
    'These keys act on the receiver: power (116), volume (113 to 115), channel up and down (402, 403), digits (2 to 11), the player keys for recordings and timeshift, audio and ' +
    'subtitles (392, 370), and ok and exit (352, 174) as the answer to a message. Every other key is accepted and has no effect here. With `remote.uinput` in the configuration, ' +
    'all keys are also pressed on this machine. A failure is reported in the same form.',
  parameters: {
    command: text('Linux key code; not needed with `text`', { example: '116' }),
    type: text('`long` = hold the key; `ascii` = `command` is a character; absent = press it briefly', {
      example: 'long',
    }),
    rcu: text('kind of remote control: `standard`, `advanced`, `keyboard`; no effect', { example: 'standard' }),
    text: text('a text to type, percent-encoded twice', { example: 'Dinner is ready' }),
  },
  xml: element<SimpleResult>('e2remotecontrol', leaves({ e2result: 'result', e2resulttext: 'message' })),
  exampleMessage: "RC command '352' has been issued",
  failed: ({ message }) => ({ result: false, message }),
  run({ device: { remote } }, { command, type, text: typed }) {
    if (typed !== undefined && typed !== '') {
      remote.type(decodeAgain(typed));
      return done('RC text has been issued');
    }
    const code = keyCode.from(command, 'command');
    if (type === 'ascii') remote.type(characterOf(code));
    else remote.press(code, type === 'long');
    return done(`RC command '${code}' has been issued`);
  },
});

/** The character with this code point; empty for a control code. */
const characterOf = (code: number) => (code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '');

export const controlOperations = group('device', [
  vol,
  powerstate,
  restartserver,
  restarttwisted,
  sleeptimer,
  message,
  messageanswer,
  remotecontrol,
]);
