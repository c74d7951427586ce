/** Volume, power and restart. */
import Type, { type Static } from 'typebox';
import type { PowerChange } from '../../device/power.ts';
import { ReceiverError } from '../../errors.ts';
import { type Caller, documentOperation, operation } from '../faces/operation.ts';
import { presence, strictInteger, text } from '../gate/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { element, leaf } from '../write/xml.ts';

const since = '0.1';
const tag = 'device';

const VolumeState = Type.Object({
  result: Type.Boolean(),
  message: Type.String(),
  current: Type.Integer({ minimum: 0, maximum: 100 }),
  ismute: Type.Boolean(),
});
type VolumeState = Static<typeof VolumeState>;

const vol = operation({
  name: 'vol',
  since,
  tag,
  summary: 'Shows or changes the volume.',
  parameters: { set: text('`up`, `down`, `mute` (toggles), `setNN` (0 to 100); absent or `state` = show') },
  changesState: ['set'],
  result: VolumeState,
  xml: element<VolumeState>(
    'e2volume',
    leaf('e2result', ({ result }) => result),
    leaf('e2resulttext', ({ message }) => message),
    leaf('e2current', ({ current }) => current),
    leaf('e2ismuted', ({ ismute }) => ismute),
  ),
  example: { result: true, message: 'Status', current: 55, ismute: false },
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
      volume.step('up');
      return [true, 'Volume changed'];
    case 'down':
      volume.step('down');
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

const PowerState = Type.Object({ result: Type.Boolean(), instandby: Type.Boolean() });

const powerstate = operation({
  name: 'powerstate',
  since,
  tag,
  summary: 'Shows or changes whether the receiver is in standby.',
  description:
    'Shutdown and reboot (1, 2) are refused unless the configuration allows them: `result` is then false and the response shows the ' +
    'unchanged state. A restart (3) begins once the response has been sent.',
  parameters: {
    newstate: strictInteger(
      '0 = toggle standby, 1 = shut down, 2 = reboot, 3 = restart, 4 = wake up, 5 = standby; absent or any other number = show',
      { minimum: -1, maximum: 6 },
      'nearest',
    ),
    shift: presence('wake up without waking the television; no effect, because this receiver never wakes it'),
  },
  changesState: ['newstate'],
  result: PowerState,
  xml: element<Static<typeof PowerState>>(
    'e2powerstate',
    leaf('e2instandby', ({ instandby }) => (instandby ? 'true' : 'false')),
  ),
  example: { result: true, instandby: false },
  async run({ device: { power } }, { newstate = -1 }, { afterReply }) {
    const change = powerChanges[newstate];
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

/** Restarts after the response is sent. Returns false if a restart is not possible. */
function restartAfter(afterReply: Caller['afterReply'], power: ReceiverParts['device']['power']): boolean {
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
  since,
  tag: 'system',
  summary: 'Restarts the receiver: rereads the configuration and reopens the ports.',
  description: 'The restart begins once the response, which is empty, has been sent. Streams end.',
  parameters: {},
  changesState: true,
  contentType: 'text/plain; charset=utf-8',
  example: '',
  run({ device: { power } }: ReceiverParts, _values: object, { afterReply }: Caller) {
    restartAfter(afterReply, power);
    return { contentType: 'text/plain; charset=utf-8', body: '' };
  },
} as const;

const restartserver = documentOperation({ ...restarting, name: 'restartserver' });
const restarttwisted = documentOperation({ ...restarting, name: 'restarttwisted', deprecated: 'use restartserver' });

export const controlOperations = [vol, powerstate, restartserver, restarttwisted];
