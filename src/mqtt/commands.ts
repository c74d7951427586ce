/** The commands that the receiver accepts by MQTT: one function for each topic that ends in `/set`. */

import { excerpt, fail } from '../base/errors.ts';
import { type MessageKind, messageKinds } from '../device/messages.ts';
import { isLocked } from '../playback/parental-control.ts';
import { channelsOf, type MqttParts } from './parts.ts';

type Command = (parts: MqttParts, text: string) => unknown;

/** Commands by their topic below the prefix, without `/set`. */
export const commands: Readonly<Record<string, Command>> = {
  power({ device: { power } }, text) {
    if (isToggle(text)) return power.change('toggle-standby');
    return power.change(isOn('power', text) ? 'wake' : 'standby');
  },
  volume({ device: { volume } }, text) {
    const word = text.toLowerCase();
    if (word === 'up' || word === 'down') return volume.step(word);
    return volume.set(wholeNumber('volume', text, 100));
  },
  mute({ device: { volume } }, text) {
    if (isToggle(text) || isOn('mute', text) !== volume.muted) volume.toggleMute();
  },
  /** A service reference, or the name of a channel. */
  async channel(parts, text) {
    const reference = channelsOf(parts.services).get(text) ?? parts.services.resolve(text);
    if (await isLocked(parts, reference)) throw fail('blocked', text);
    await parts.playback.zap(reference);
  },
  message({ device: { messages } }, text) {
    const { kind = 'information', text: shown = text, timeout = 0 } = messageOf(text);
    if (shown.trim() === '') throw fail('parameter-empty', 'message');
    messages.show(kind, shown, timeout);
  },
  key({ device: { remote } }, text) {
    remote.press(wholeNumber('key', text, 0x2ff));
  },
};

const isToggle = (text: string) => text.toUpperCase() === 'TOGGLE';

function isOn(name: string, text: string): boolean {
  if (/^(on|1|true)$/i.test(text)) return true;
  if (/^(off|0|false)$/i.test(text)) return false;
  throw fail('parameter-invalid', name, `must be ON, OFF or TOGGLE, not '${excerpt(text, 40)}'`);
}

function wholeNumber(name: string, text: string, max: number): number {
  // Home Assistant sends numbers such as 40.0.
  const value = /^\d{1,3}(\.0*)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max))
    throw fail('parameter-invalid', name, `must be a number from 0 to ${max}, not '${excerpt(text, 40)}'`);
  return value;
}

interface GivenMessage {
  readonly kind?: MessageKind;
  readonly text?: string;
  /** Seconds. */
  readonly timeout?: number;
}

/** Parses a message in JSON. Returns an empty object if the payload is not JSON; it is then itself the text to show. */
function messageOf(given: string): GivenMessage {
  if (!given.startsWith('{')) return {};
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    return {};
  }
  const { kind, text, timeout } = value as Readonly<Record<string, unknown>>;
  const known = messageKinds.find((one) => one === kind);
  return {
    ...(known && { kind: known }),
    text: typeof text === 'string' ? text : '',
    ...(typeof timeout === 'number' && { timeout }),
  };
}
