/** Volume, power and restart. */
import type { Static } from 'typebox';
import type { PowerChange } from '../../device/power.ts';
import { ReceiverError } from '../../errors.ts';
import { area, type Caller, documentOperation, operation } from '../faces/operation.ts';
import { presence, strictInteger, text } from '../gate/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, record } from '../write/record.ts';
import { element, leaf, leaves } from '../write/xml.ts';

const VolumeState = record({
  result: true,
  message: 'Status',
  current: field(55, { minimum: 0, maximum: 100 }),
  ismute: false,
});

const vol = operation({
  name: 'vol',
  summary: 'Shows or changes the volume.',
  parameters: { set: text('`up`, `down`, `mute` (toggles), `setNN` (0 to 100); absent or `state` = show') },
  changesState: ['set'],
  result: VolumeState,
  xml: element<Static<typeof VolumeState>>(
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

const PowerState = record({ result: true, instandby: false });

const powerstate = operation({
  name: 'powerstate',
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
  tag: 'system',
  summary: 'Restarts the receiver: rereads the configuration and reopens the ports.',
  description: 'The restart begins once the response, which is empty, has been sent. Streams end.',
  changesState: true,
  contentType: 'text/plain; charset=utf-8',
  example: '',
  run({ device: { power } }: ReceiverParts, _values: object, { afterReply }: Caller) {
    restartAfter(afterReply, power);
    return { body: '' };
  },
} as const;

const restartserver = documentOperation({ ...restarting, name: 'restartserver' });
const restarttwisted = documentOperation({ ...restarting, name: 'restarttwisted', deprecated: 'use restartserver' });

export const controlOperations = area('device', [vol, powerstate, restartserver, restarttwisted]);
