/** The sleep timer. */
import Type, { type Static } from 'typebox';
import { longestSleep } from '../../device/sleep-timer.ts';
import { operation } from '../faces/operation.ts';
import { integer, text } from '../gate/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { element, leaf } from '../write/xml.ts';

const SleepTimerState = Type.Object({
  enabled: Type.Boolean(),
  minutes: Type.Integer({ description: 'minutes remaining; when off, the value it was last set to' }),
  action: Type.Unsafe<'standby' | 'shutdown'>({ type: 'string', enum: ['standby', 'shutdown'] }),
  message: Type.String(),
  remaining: Type.Integer({ description: 'minutes until it acts; 0 when off' }),
  result: Type.Boolean(),
});
type SleepTimerState = Static<typeof SleepTimerState>;

const sleeptimer = operation({
  name: 'sleeptimer',
  since: '0.1',
  tag: 'device',
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
  xml: element<SleepTimerState>(
    'e2sleeptimer',
    leaf('e2enabled', ({ enabled }) => enabled),
    leaf('e2minutes', ({ minutes }) => minutes),
    leaf('e2action', ({ action }) => action),
    leaf('e2text', ({ message }) => message),
  ),
  example: {
    enabled: true,
    minutes: 30,
    action: 'standby',
    message: 'Sleeptimer is enabled',
    remaining: 30,
    result: true,
  },
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

export const sleepOperations = [sleeptimer];
