/** The sleep timer operation. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReceiver, type TestReceiver } from '../receiver.ts';
import { api, leaves, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(async () => {
  receiver.parts.device.sleepTimer.stop();
  await receiver.close();
});

const off = { enabled: false, minutes: 30, action: 'standby', remaining: 0 };

it('shows that the sleep timer is off', async () => {
  expect(await api(receiver, 'sleeptimer')).toEqual({ ...off, message: 'Sleeptimer is disabled', result: true });
  expect(leaves(await web(receiver, 'sleeptimer', { cmd: 'get' }))).toEqual([
    ['e2enabled', 'False'],
    ['e2minutes', '30'],
    ['e2action', 'standby'],
    ['e2text', 'Sleeptimer is disabled'],
  ]);
});

it('is set, shown and switched off', async () => {
  const set = await web(receiver, 'sleeptimer', { cmd: 'set', time: 45, action: 'shutdown', enabled: 'True' });
  expect(set.name).toBe('e2sleeptimer');
  expect(leaves(set)).toEqual([
    ['e2enabled', 'True'],
    ['e2minutes', '45'],
    ['e2action', 'shutdown'],
    ['e2text', 'Sleeptimer set to 45 minutes'],
  ]);
  const on = { enabled: true, minutes: 45, action: 'shutdown', message: 'Sleeptimer is enabled', remaining: 45 };
  expect(await api(receiver, 'sleeptimer', { cmd: '' })).toEqual({ ...on, result: true });
  const ended = { enabled: false, minutes: 45, action: 'shutdown', message: 'Sleeptimer is disabled', remaining: 0 };
  expect(await api(receiver, 'sleeptimer', { cmd: 'set', enabled: 'false' })).toEqual({ ...ended, result: true });
});

it.each([
  [1000, 999],
  [-1, 0],
  ['30.7', 30],
])('reads time=%s as %d', async (time, minutes) => {
  const set = await api(receiver, 'sleeptimer', { cmd: 'set', time, action: 'nonsense', enabled: 'true' });
  expect(set).toMatchObject({ result: true, action: 'standby', message: `Sleeptimer set to ${minutes} minutes` });
  receiver.parts.device.sleepTimer.disable();
});

it.each([
  [{ cmd: 'start' }, "ERROR: The parameter 'cmd' must be get or set, not 'start'"],
  [{ cmd: 'set', time: 5 }, "ERROR: The parameter 'enabled' must be True or False, not ''"],
  [{ cmd: 'set', time: 5, enabled: 'maybe' }, "ERROR: The parameter 'enabled' must be True or False, not 'maybe'"],
  [{ cmd: 'set', enabled: 'True' }, "ERROR: The parameter 'time' must be a number of minutes"],
  [{ cmd: 'set', enabled: 'True', time: 'soon' }, "ERROR: The parameter 'time' must be a number of minutes"],
])('reports errors of %j', async (parameters, message) => {
  expect(await api(receiver, 'sleeptimer', parameters)).toMatchObject({ result: false, enabled: false, message });
});
