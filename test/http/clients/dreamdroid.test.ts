/** The requests of dreamDroid. */
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/http/operations/index.ts';
import { alpha, favourites } from '../receiver.ts';
import { all, at, get, type XmlElement } from '../reply.ts';
import { receiver, useReceiver, xml } from './fixture.ts';

useReceiver();

describe('dreamDroid', () => {
  const types = '(type == 1) || (type == 17) || (type == 195) || (type == 25)';

  it('connects', async () => {
    const info = await xml('/web/deviceinfo');
    expect(at(info, 'e2devicename').text).toBe('Living room');
  });

  it.each([
    `1:7:1:0:0:0:0:0:0:0:${types} FROM BOUQUET "bouquets.tv" ORDER BY bouquet`,
    '1:7:2:0:0:0:0:0:0:0:(type == 2)FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
    `1:7:1:0:0:0:0:0:0:0:${types} FROM PROVIDERS ORDER BY name`,
    `1:7:1:0:0:0:0:0:0:0:${types} ORDER BY name`,
    '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET \\"bouquets.tv\\" ORDER BY bouquet',
  ])('lists %s', async (sRef) => {
    expect(all(await xml('/web/getservices', { sRef }), 'e2service').length).toBeGreaterThan(0);
  });

  it('pairs the events of epgnownext two by two', async () => {
    const events = all(await xml('/web/epgnownext', { bRef: favourites }), 'e2event');
    expect(events.length % 2).toBe(0);
    for (let i = 0; i < events.length; i += 2) {
      const [running, next] = [events[i], events[i + 1]] as [XmlElement, XmlElement];
      expect(at(running, 'e2eventservicereference').text).toBe(at(next, 'e2eventservicereference').text);
    }
  });

  it('reads numbers or None, never anything else', async () => {
    for (const [path, parameters] of [
      ['/web/epgnow', { bRef: favourites }],
      ['/web/epgbouquet', { bRef: favourites, time: 1767293100 }],
      ['/web/epgmulti', { bRef: favourites }],
      ['/web/epgservice', { sRef: alpha }],
    ] as const) {
      for (const event of all(await xml(path, parameters), 'e2event')) {
        expect(at(event, 'e2eventstart').text).toMatch(/^(\d+|None)$/);
        expect(at(event, 'e2eventduration').text).toMatch(/^(\d+|None)$/);
      }
    }
  });

  it('compares True and False raw, without white space', async () => {
    const volume = await xml('/web/vol', { set: 'mute' });
    expect([at(volume, 'e2result').text, at(volume, 'e2ismuted').text]).toEqual(['True', 'True']);
    expect(at(await xml('/web/vol', { set: 'mute' }), 'e2ismuted').text).toBe('False');
    expect(at(await xml('/web/zap', { sRef: alpha }), 'e2state').text).toBe('True');
    expect(at(await xml('/web/powerstate', { newstate: 0 }), 'e2instandby').text).toBe('true');
    expect(at(await xml('/web/powerstate', { newstate: 0 }), 'e2instandby').text).toBe('false');
  });

  it('posts with the parameters in the URL and an empty body, and never gets 405 or 412', async () => {
    for (const { name } of operations) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const method of ['POST', 'GET', 'HEAD'] as const) {
        const { status } = await get(receiver, `/web/${name}`, { bRef: favourites }, { method, headers, payload: '' });
        expect([200, 400, 404], `${method} ${name}`).toContain(status);
      }
    }
  });

  it('takes screenshots with its own parameters', async () => {
    for (const mode of ['o', 'n', 'v', 'o=%20&v']) {
      const reply = await receiver.app.inject(`/grab?${mode}=%20&format=jpg&r=640&filename=/tmp/x`);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/jpeg']);
    }
  });

  it('sets the sleep timer, sends messages, long-presses keys', async () => {
    const set = { cmd: 'set', time: '30', action: 'standby', enabled: 'True' };
    expect(at(await xml('/web/sleeptimer', set), 'e2enabled').text).toBe('True');
    expect(at(await xml('/web/sleeptimer', { ...set, enabled: 'False' }), 'e2enabled').text).toBe('False');
    const message = await xml('/web/message', { text: 'Hello', type: '2', timeout: '5' });
    expect(at(message, 'e2state').text).toBe('True');
    const key = await xml('/web/remotecontrol', { command: '139', rcu: 'standard', type: 'long' });
    expect(at(key, 'e2result').text).toBe('True');
  });

  it('requests standby, shutdown, reboot and restart', async () => {
    for (const newstate of ['0', '1', '2', '3', '0']) {
      expect(at(await xml('/web/powerstate', { newstate }), 'e2instandby').text).toMatch(/^(true|false)$/);
    }
  });

  it('shows the current service, locations, tags and signal', async () => {
    for (const name of ['getcurrent', 'getlocations', 'gettags', 'movielist', 'signal', 'timerlist'])
      await xml(`/web/${name}`);
  });
});

describe('dreamDroid and the media player', () => {
  it('finds it empty', async () => {
    for (const [name, root] of [
      ['mediaplayerlist?path=&types=', 'e2filelist'],
      ['mediaplayercurrent', 'e2mediaplayercurrent'],
    ]) {
      expect(await xml(`/web/${name}`)).toMatchObject({ name: root, children: [] });
    }
    const reply = await xml('/web/mediaplayercmd?command=play');
    expect([at(reply, 'e2state').text, at(reply, 'e2statetext').text]).toEqual(['False', expect.stringMatching(/./)]);
  });
});
