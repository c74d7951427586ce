/** The sleep timer. */
import type { Static } from 'typebox';
import { longestSleep } from '../../device/sleep-timer.ts';
import { area, operation } from '../faces/operation.ts';
import { integer, text } from '../gate/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, oneOf, record } from '../write/record.ts';
import { element, leaves } from '../write/xml.ts';

const SleepTimerState = record({
  enabled: true,
  minutes: field(30, 'minutes remaining; when off, the value it was last set to'),
  action: oneOf(['standby', 'shutdown']),
  message: 'Sleeptimer is enabled',
  remaining: field(30, 'minutes until it acts; 0 when off'),
  result: true,
});

const sleeptimer = operation({
  name: 'sleeptimer',
  summary: 'Shows or sets the sleep timer.',
  description:
    'The sleep timer survives a restart. If the configuration does not allow shutdown, the receiver goes into standby instead. A sleep timer set ' +
    'to standby is cancelled when the receiver goes into standby by other means.',
  parameters: {
    cmd: text('`get` or `set`; absent = get'),
    time: integer('minutes; required to turn it on', { minimum: 0, maximum: longestSleep }),
    action: text('`standby` or `shutdown`; anything else = standby'),
    enabled: text('`True` or `False`; required for set'),
  },
  changesState: ['enabled'],
  result: SleepTimerState,
  xml: element<Static<typeof SleepTimerState>>(
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

/** Errors are reported in the text, because clients read nothing else. */
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

export const sleepOperations = area('device', [sleeptimer]);
