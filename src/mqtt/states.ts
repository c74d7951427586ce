/** The state of the receiver as MQTT publishes it: texts by topic. */
import { guideKey } from '../services/guide/guide-key.ts';
import { isActive } from '../timers/timer.ts';
import { type MqttParts, optionsOf } from './parts.ts';

/** Limit of Home Assistant for a state, in characters. */
const maxStateLength = 255;

export const onOff = (isOn: boolean) => (isOn ? 'ON' : 'OFF');

/** All states by their topics below the prefix. */
export async function statesOf(parts: MqttParts): Promise<ReadonlyMap<string, string>> {
  const { device, playback, recorder, timers, notifications } = parts;
  const [failure] = notifications.failures;
  const hasTrouble = recorder.active.some(({ trouble }) => trouble !== undefined);
  const { power, volume } = device;
  const { current } = playback;
  return new Map([
    ['power', onOff(!power.standby)],
    ['volume', String(volume.level)],
    ['mute', onOff(volume.muted)],
    ['channel', current?.name ?? ''],
    ['choice', choiceOf(parts)],
    ['service', current?.reference.format() ?? ''],
    ['event', await eventTitle(parts)],
    ['recording', onOff(recorder.active.length > 0)],
    ['recordings', String(recorder.active.length)],
    ['problem', onOff(hasTrouble || failure !== undefined)],
    ['failure', (failure?.message ?? '').slice(0, maxStateLength)],
    ['timers', String(timers.all.filter(isActive).length)],
    ...parts.tuners().flatMap(({ name, state, users }, number): [string, string][] => [
      [`tuner/${number}/state`, state],
      [`tuner/${number}/users`, String(users)],
      [`tuner/${number}/name`, name],
    ]),
  ]);
}

/**
 * The selected option of Home Assistant's channel select; `None` for a recording, or a service that is not an option.
 */
function choiceOf({ playback, services }: MqttParts): string {
  const { current } = playback;
  if (current === undefined || current.played) return 'None';
  for (const [name, reference] of optionsOf(services))
    if (reference.identity === current.reference.identity) return name;
  return 'None';
}

/** Title of the present event of the current service; empty if the guide has none. */
async function eventTitle({ playback, services, guide, clock }: MqttParts): Promise<string> {
  const key = playback.current && guideKey(services, playback.current.reference);
  return (key && (await guide.at(key, clock.now()))?.title) ?? '';
}
