/** Volume, power, settings and other operations about the device. */
import { describe, expect, it } from 'vitest';
import { all, api, get, leaves, names, web } from '../reply.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('vol', () => {
  it.each([
    [{}, 'True', 'Status', 55, 'False'],
    [{ set: 'state' }, 'True', 'Status', 55, 'False'],
    [{ set: 'up' }, 'True', 'Volume changed', 60, 'False'],
    [{ set: 'down' }, 'True', 'Volume changed', 55, 'False'],
    [{ set: 'mute' }, 'True', 'Mute toggled', 55, 'True'],
    [{ set: 'mute' }, 'True', 'Mute toggled', 55, 'False'],
    [{ set: 'set130' }, 'True', 'Volume set to 100', 100, 'False'],
    [{ set: 'set55' }, 'True', 'Volume set to 55', 55, 'False'],
    [{ set: 'setloud' }, 'False', "Wrong parameter format 'set=setloud'. Use set=set15", 55, 'False'],
    [{ set: 'louder' }, 'False', 'Unknown Volume command louder', 55, 'False'],
  ])('%o', async (parameters, result, text, current, muted) => {
    const volume = await web(receiver, 'vol', parameters as Record<string, string>);
    expect(volume.name).toBe('e2volume');
    expect(leaves(volume)).toEqual([
      ['e2result', result],
      ['e2resulttext', text],
      ['e2current', String(current)],
      ['e2ismuted', muted],
    ]);
  });

  it('has numbers and booleans in JSON', async () => {
    expect(await api(receiver, 'vol')).toEqual({ result: true, message: 'Status', current: 55, ismute: false });
  });
});

describe('powerstate', () => {
  it.each([
    ['', true, 'false'],
    ['5', true, 'true'],
    ['4', true, 'false'],
    ['0', true, 'true'],
    ['0', true, 'false'],
    ['-1', true, 'false'],
    ['1', false, 'false'],
    ['2', false, 'false'],
    ['3', false, 'false'],
    ['99', true, 'false'],
  ])('newstate=%s', async (newstate, result, standby) => {
    const parameters: Record<string, string> = newstate === '' ? {} : { newstate };
    const state = await api<{ result: boolean; instandby: boolean }>(receiver, 'powerstate', parameters);
    expect(state).toEqual({ result, instandby: standby === 'true' });
    expect(leaves(await web(receiver, 'powerstate'))).toEqual([['e2instandby', standby]]);
  });

  it('refuses anything but a number', async () => {
    expect(await web(receiver, 'powerstate', { newstate: 'off' })).toMatchObject({ name: 'e2simplexmlresult' });
  });
});

describe('settings', () => {
  it('lists stored settings and those that clients rely on, but no secrets', async () => {
    const { settings } = await api<{ settings: [string, string][] }>(receiver, 'settings');
    expect(settings).toEqual([
      ['config.recording.margin_before', '7'],
      ['config.recording.margin_after', '5'],
      ['config.usage.default_path', `${receiver.folder}/movie/`],
      ['config.movielist.videodirs', `['${receiver.folder}/movie/']`],
      ['config.OpenWebif.port', '8080'],
      ['config.OpenWebif.streamport', '8001'],
    ]);
    const listed = all(await web(receiver, 'settings'), 'e2setting');
    expect(listed.map((one) => one.children.map(({ text }) => text))).toEqual(settings);
    expect(names(listed[0])).toEqual(['e2settingname', 'e2settingvalue']);
  });
});

describe('short responses about the device', () => {
  it('external is empty', async () => {
    expect(await web(receiver, 'external')).toMatchObject({ name: 'e2webifexternals', children: [], text: '' });
    expect(await api(receiver, 'external')).toEqual({ plugins: [], result: true });
  });

  it('getip is one line', async () => {
    expect(await get(receiver, '/web/getip')).toMatchObject({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: 'My IP address is: 192.0.2.10\n',
    });
    expect((await get(receiver, '/web/getipv6')).body).toBe('My IP address is: \n');
  });

  it('session returns the same id to all clients', async () => {
    const { sessionid } = await api(receiver, 'session');
    expect(await web(receiver, 'session')).toMatchObject({ name: 'e2sessionid', text: sessionid });
  });

  it('pipinfo is always 0', async () => {
    expect(await api(receiver, 'pipinfo')).toEqual({ pip: 0, result: true });
  });
});
