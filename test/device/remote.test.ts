/** Remote control keys and their actions. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Messages } from '../../src/device/messages.ts';
import { Power } from '../../src/device/power.ts';
import { RemoteControl } from '../../src/device/remote.ts';
import { DeviceState } from '../../src/device/state.ts';
import { Volume } from '../../src/device/volume.ts';
import { until } from '../fixtures/waits.ts';

const clock = { now: () => 1_767_300_000, synchronised: true };
const [up, down, mute, power, ok, exit, next, previous] = [115, 114, 113, 116, 352, 174, 402, 403];

let volume: Volume;
let standby: Power;
let messages: Messages;
let went: unknown[];
let failed: string[];
let keys: unknown[];
let remote: RemoteControl;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const state = new DeviceState(join(mkdtempSync(join(tmpdir(), 'receiverd-remote-')), 'state.json'));
  volume = new Volume(state);
  volume.set(50);
  standby = new Power(state);
  messages = new Messages(clock);
  [went, failed, keys] = [[], [], []];
  remote = new RemoteControl({
    volume,
    power: standby,
    messages,
    channels: {
      step: async (by) => void went.push(by > 0 ? 'up' : 'down'),
      async choose(number) {
        if (number === '404') throw new Error('no signal');
        went.push(number);
      },
    },
    player: {
      pause: (paused) => went.push(paused === undefined ? 'other' : paused ? 'pause' : 'play'),
      seekBy: (seconds) => went.push(seconds),
      stop: async () => void went.push('stop'),
    },
    keys: {
      press: (code, held) => keys.push(held ? [code, 'held'] : code),
      type: (text) => keys.push(text),
    },
    onError: ({ message }) => failed.push(message),
  });
});
afterEach(() => void vi.useRealTimers());

const press = (...codes: number[]) => {
  for (const code of codes) remote.press(code);
};

it('changes the volume, twice as far if held', () => {
  press(up, down, down);
  expect(volume.level).toBe(45);
  remote.press(up, true);
  expect(volume.level).toBe(55);
  press(mute);
  expect(volume.muted).toBe(true);
});

it('changes channels', () => {
  press(next, next, previous);
  expect(went).toEqual(['up', 'up', 'down']);
});

it('enters and leaves standby, in which only the sound keys work', () => {
  press(power);
  expect(standby.standby).toBe(true);
  press(next, 2, ok, up);
  vi.runAllTimers();
  expect([went, volume.level]).toEqual([[], 55]);
  press(power);
  expect(standby.standby).toBe(false);
  remote.press(power, true);
  expect(standby.standby).toBe(false);
});

it('controls the player', () => {
  press(119, 207, 164, 128, 159, 163, 208, 165, 168);
  expect(went).toEqual(['pause', 'play', 'other', 'stop', 30, 30, 30, -30, -30]);
});

describe('a channel number', () => {
  it('is complete two seconds after its last digit', () => {
    press(2, 11);
    vi.advanceTimersByTime(1999);
    press(10);
    vi.advanceTimersByTime(1999);
    expect(went).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(went).toEqual(['109']);
  });

  it('is complete with OK or its last possible digit, and discarded with EXIT', () => {
    press(3, ok);
    press(4, exit, ok);
    press(2, 2, 2, 2, 2);
    press(11, ok);
    vi.runAllTimers();
    expect(went).toEqual(['2', '11111']);
  });

  it('may have a minor part, after a dot or a minus', () => {
    press(2, 11, 52, 52, 2, ok);
    press(2, 11, 12, 2, 2, 2);
    press(52, 3, 52, ok);
    expect(went).toEqual(['10.1', '10.111', '2']);
  });
});

it('answers the latest message', () => {
  messages.show('question', 'Tea?');
  press(ok);
  expect(messages.answer).toBe('yes');
  messages.show('information', 'Dinner is ready');
  messages.show('question', 'Coffee?');
  press(2, exit);
  expect(messages.answer).toBe('no');
  press(exit);
  expect(messages.open).toEqual([]);
  press(ok);
  expect(went).toEqual(['1']);
});

it('reports the error of a key', async () => {
  press(5, 11, 5, ok);
  await until(() => expect(failed).toEqual(['no signal']));
});

it('passes every key and text to this machine', () => {
  press(next, 399);
  remote.press(139, true);
  remote.type('Täg');
  expect(keys).toEqual([next, 399, [139, 'held'], 'Täg']);
});
