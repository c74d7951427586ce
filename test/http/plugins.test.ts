/** What plug-ins would answer: enough that clients which ask for them stay quiet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceiver, type TestReceiver } from './receiver.ts';
import { all, api, at, get, leaves, parseXml, web } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const failed = (text: string) => [
  ['e2state', 'False'],
  ['e2statetext', text],
];

describe('AutoTimer', () => {
  it.each([
    ['/autotimer', '<autotimer version="8"></autotimer>'],
    ['/autotimer/edit?name=x&match=x', 'False'],
    ['/autotimer/remove?id=1', 'False'],
    ['/autotimer/set?add_name_to_tags=true&add_autotimer_to_tags=true', 'True'],
  ])('%s', async (path, content) => {
    for (const method of ['GET', 'POST', 'HEAD'] as const) {
      for (const url of [path, path.replace(/(\?|$)/, '/$1')]) {
        const reply = await get(receiver, url, {}, { method });
        expect(reply).toMatchObject({ status: 200, type: 'text/xml; charset=UTF-8' });
        if (method !== 'HEAD') expect(reply.body).toContain(content);
      }
    }
  });

  it('has both settings that Kodi reads, as it wants them, and no empty one', async () => {
    const settings = parseXml((await get(receiver, '/autotimer/get')).body);
    expect(settings.name).toBe('e2settings');
    expect(all(settings, 'e2setting').map((one) => leaves(one))).toEqual(
      ['add_autotimer_to_tags', 'add_name_to_tags'].map((name) => [
        ['e2settingname', `config.plugins.autotimer.${name}`],
        ['e2settingvalue', 'True'],
      ]),
    );
  });

  it('says what it does not do', async () => {
    const reply = parseXml((await get(receiver, '/autotimer/edit', { name: 'x' })).body);
    expect(leaves(reply)).toEqual(failed('AutoTimer is not available'));
  });
});

describe('the media player', () => {
  it.each([
    ['mediaplayerlist', 'e2filelist', 'files'],
    ['mediaplayercurrent', 'e2mediaplayercurrent', 'tracks'],
    ['mediaplayerfindfile', 'e2findfile', 'files'],
  ])('%s is an empty list', async (name, root, list) => {
    expect(await web(receiver, name, { path: '/media' })).toMatchObject({ name: root, children: [], text: '' });
    expect(await api(receiver, name)).toEqual({ result: true, [list]: [] });
  });

  it.each([
    ['mediaplayeradd', 'file'],
    ['mediaplayerremove', 'file'],
    ['mediaplayerplay', 'file'],
    ['mediaplayercmd', 'command'],
    ['mediaplayerload', 'filename'],
    ['mediaplayerwrite', 'filename'],
  ])('%s fails', async (name, parameter) => {
    expect(leaves(await web(receiver, name, { [parameter]: 'stop' }))).toEqual(failed('MediaPlayer is not available'));
    expect(await api(receiver, name, { [parameter]: 'stop' })).toMatchObject({ result: false });
    expect(await api(receiver, name)).toEqual({ result: false, message: `Missing mandatory parameter '${parameter}'` });
  });
});

describe('other plug-ins', () => {
  it('are read again, and there are none', async () => {
    expect(await api(receiver, 'pluginlistread')).toEqual({ result: true, message: 'List of Plugins has been read' });
    expect(at(await web(receiver, 'pluginlistread'), 'e2state').text).toBe('True');
  });

  it('VPS is not one of them', async () => {
    expect(await api(receiver, 'vpschannels')).toEqual({ result: false, message: 'VPS plugin not found' });
    expect(leaves(await web(receiver, 'vpschannels'))).toEqual(failed('VPS plugin not found'));
  });

  it.each(['supports_powerup_without_waking_tv', 'set_powerup_without_waking_tv'])(
    '%s is a bare word in JSON',
    async (name) => {
      expect(await get(receiver, `/api/${name}`)).toMatchObject({
        status: 200,
        type: 'application/json; charset=utf-8',
        body: 'false\n',
      });
      expect(at(await web(receiver, name), 'e2state').text).toBe('False');
    },
  );
});
