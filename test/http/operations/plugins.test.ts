/** Operations of plug-ins that do not exist here: their responses keep clients from reporting errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceiver, type TestReceiver } from '../receiver.ts';
import { api, at, get, leaves, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const failed = (text: string) => [
  ['e2state', 'False'],
  ['e2statetext', text],
];

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
    expect(await api(receiver, name)).toEqual({
      result: false,
      message: `Missing mandatory parameter '${parameter}'`,
      error: expect.any(String),
    });
  });
});

describe('other plug-ins', () => {
  it('are reloaded, but there are none', async () => {
    expect(await api(receiver, 'pluginlistread')).toEqual({ result: true, message: 'List of Plugins has been read' });
    expect(at(await web(receiver, 'pluginlistread'), 'e2state').text).toBe('True');
  });

  it('do not include VPS', async () => {
    expect(await api(receiver, 'vpschannels')).toEqual({
      result: false,
      message: 'VPS plugin not found',
      error: expect.any(String),
    });
    expect(leaves(await web(receiver, 'vpschannels'))).toEqual(failed('VPS plugin not found'));
  });

  it.each(['supports_powerup_without_waking_tv', 'set_powerup_without_waking_tv'])(
    '%s is a bare boolean in JSON',
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
