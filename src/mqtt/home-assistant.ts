/**
 * Discovery messages for Home Assistant, which make the receiver appear there as a device without any configuration. A
 * retained message describes each entity (home-assistant.io/integrations/mqtt, "MQTT discovery").
 */
import type { DeviceIdentity } from '../device/identity.ts';
import type { TunerInUse } from './parts.ts';

export interface Announced {
  /** First part of the topics of states and commands. */
  readonly prefix: string;
  readonly identity: DeviceIdentity;
  readonly tuners: readonly TunerInUse[];
  /** Options of the channel select; its state is `PREFIX/choice`. */
  readonly channels: readonly string[];
}

type Entity = Readonly<Record<string, unknown>>;

/** The discovery messages by their topics below the discovery prefix. */
export function discoveryMessages({ prefix, identity, tuners, channels }: Announced): ReadonlyMap<string, string> {
  const node = prefix.replace(/[^A-Za-z0-9_-]+/g, '_');
  const device = {
    identifiers: [node],
    name: identity.model,
    manufacturer: identity.brand,
    model: identity.chipset,
    sw_version: identity.version,
  };
  const described = entities(prefix, tuners, channels);
  return new Map(
    described.map(({ kind, id, ...entity }) => [
      `${kind}/${node}/${id}/config`,
      JSON.stringify({
        ...entity,
        unique_id: `${node}_${id}`,
        object_id: `${node}_${id}`,
        availability_topic: `${prefix}/status`,
        device,
      }),
    ]),
  );
}

function entities(prefix: string, tuners: readonly TunerInUse[], channels: readonly string[]) {
  const state = (topic: string) => ({ state_topic: `${prefix}/${topic}` });
  const stateAndCommand = (topic: string) => ({ ...state(topic), command_topic: `${prefix}/${topic}/set` });
  const entity = (kind: string, id: string, name: string, icon: string, rest: Entity) => ({
    kind,
    id,
    name,
    icon: `mdi:${icon}`,
    ...rest,
  });
  return [
    entity('switch', 'power', 'Power', 'power', stateAndCommand('power')),
    entity('number', 'volume', 'Volume', 'volume-high', {
      ...stateAndCommand('volume'),
      ...{ min: 0, max: 100, step: 1, unit_of_measurement: '%' },
    }),
    entity('switch', 'mute', 'Mute', 'volume-off', stateAndCommand('mute')),
    entity('select', 'channel', 'Channel', 'television', {
      ...state('choice'),
      command_topic: `${prefix}/channel/set`,
      options: channels,
    }),
    entity('sensor', 'event', 'Event', 'television-guide', state('event')),
    entity('binary_sensor', 'recording', 'Recording', 'record-rec', state('recording')),
    entity('binary_sensor', 'problem', 'Recording problem', 'alert', {
      ...state('problem'),
      device_class: 'problem',
    }),
    entity('sensor', 'failure', 'Failed recording', 'alert-circle-outline', state('failure')),
    entity('sensor', 'timers', 'Timers', 'timer-outline', state('timers')),
    entity('notify', 'message', 'Message', 'message-text', { command_topic: `${prefix}/message/set` }),
    ...tuners.map(({ name }, number) =>
      entity('sensor', `tuner_${number}`, name, 'satellite-uplink', {
        ...state(`tuner/${number}/state`),
        entity_category: 'diagnostic',
      }),
    ),
  ];
}
