/** saveconfig and the preferences of web pages. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alpha, beta, openReceiver, type TestReceiver } from '../receiver.ts';
import { api, at, get, leaves, parseXml, web } from '../reply.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const file = () => readFileSync(join(receiver.folder, 'settings'), 'utf8');
const before = [
  'config.osd.empty=',
  'config.ParentalControl.servicepin.0=1234',
  'config.recording.margin_before=7',
  '',
];

async function save(url: string, payload = '', type = 'application/x-www-form-urlencoded') {
  const { status, body } = await get(receiver, url, {}, { method: 'POST', headers: { 'content-type': type }, payload });
  expect(status).toBe(200);
  return body;
}

it('settings show no secret, nor the login of an address', async () => {
  const { folder } = receiver;
  const stored = [
    'config.weather.apikey=0123',
    'config.web.proxy=http://anna:horse@proxy:3128/x',
    'config.web.name=Box',
  ];
  appendFileSync(join(folder, 'settings'), `${stored.join('\n')}\n`);
  await receiver.parts.settings.reload();
  const { settings } = (await api(receiver, 'settings')) as { settings: [string, string][] };
  const shown = new Map(settings);
  expect(shown.get('config.web.proxy')).toBe('http://proxy:3128/…');
  expect(shown.get('config.web.name')).toBe('Box');
  expect(JSON.stringify(settings)).not.toMatch(/apikey|servicepin|horse/);
});

describe('saveconfig', () => {
  it('accepts Kodi’s requests: parameters in the URL, meaningless bytes in the body', async () => {
    const answer = await save('/api/saveconfig?key=config.recording.margin_before&value=5', '\0\x01rubbish');
    expect(answer).toContain('"result": true');
    expect(JSON.parse(answer)).toEqual({ result: true, value: '5', oldValue: '7' });
    expect(file()).toContain('config.recording.margin_before=5\n');
    const shown = await web(receiver, 'settings');
    expect(
      shown.children.map((one) =>
        leaves(one)
          .map(([, value]) => value)
          .join('='),
      ),
    ).toContain('config.recording.margin_before=5');
  });

  it.each([
    ['key=config.recording.margin_after&value=999', 'application/x-www-form-urlencoded'],
    ['{"key":"config.recording.margin_after","value":999}', 'application/json'],
    [
      '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\nconfig.recording.margin_after\r\n' +
        '--x\r\nContent-Disposition: form-data; name="value"\r\n\r\n999\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
  ])('accepts %j', async (payload, type) => {
    const answer = parseXml(await save('/web/saveconfig', payload, type));
    expect(leaves(answer)).toEqual([
      ['e2state', 'True'],
      ['e2statetext', 'saved: 120'],
    ]);
    expect(file().split('\n')).toEqual([
      ...before.slice(0, 2),
      'config.recording.margin_after=120',
      ...before.slice(2),
    ]);
  });

  it('never writes for a GET', async () => {
    const parameters = { key: 'config.recording.margin_before', value: 5 };
    expect(await api(receiver, 'saveconfig', parameters)).toMatchObject({ result: false });
    expect(at(await web(receiver, 'saveconfig', parameters), 'e2state').text).toBe('False');
    expect(file()).toContain('margin_before=7');
  });

  it.each([
    ['', "Missing mandatory parameter 'key'"],
    ['key=config.recording.margin_before', "Missing mandatory parameter 'value'"],
    ['key=config.recording.margin_before&value=', "The parameter 'value' can't be empty"],
    ['key=config.recording.margin_before&value=soon', 'config.recording.margin_before takes a whole number'],
    ['key=config.osd.empty&value=1', "this receiver has no setting 'config.osd.empty'"],
    ['key=config.__class__&value=1', "this receiver has no setting 'config.__class__'"],
    ['key=margin_before&value=1', "this receiver has no setting 'margin_before'"],
    ['key=config.usage.default_path&value=/etc/', 'config.usage.default_path cannot be changed over the network'],
    [
      'key=config.ParentalControl.servicepin.0&value=0',
      'config.ParentalControl.servicepin.0 cannot be changed over the network',
    ],
  ])('refuses %j with a message', async (payload, message) => {
    const was = file();
    expect(JSON.parse(await save('/api/saveconfig', payload))).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
    expect(leaves(parseXml(await save('/web/saveconfig', payload)))).toEqual([
      ['e2state', 'False'],
      ['e2statetext', message],
    ]);
    expect(file()).toBe(was);
  });

  it('refuses pages of another site', async () => {
    const url = '/api/saveconfig?key=config.recording.margin_before&value=5';
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await get(receiver, url, {}, { method: 'POST', headers })).status).toBe(403);
    expect(file()).toContain('margin_before=7');
  });
});

describe('preferences of web pages', () => {
  it('are stored among the settings', async () => {
    expect(await api(receiver, 'showchannelpicon', { checked: 'false' })).toEqual({ result: true });
    expect(await api(receiver, 'zapstream', { checked: 'true' })).toEqual({ result: true });
    expect(file()).toContain(
      'config.OpenWebif.webcache.showchannelpicon=False\nconfig.OpenWebif.webcache.zapstream=True\n',
    );
    expect(await api(receiver, 'setwebconfig', { showpicons: 'true', zapstream: 'no' })).toEqual({ result: true });
    expect(file()).not.toContain('webcache');
    expect(leaves(await web(receiver, 'zapstream', { checked: 'true' }))).toEqual([
      ['e2state', 'True'],
      ['e2statetext', 'saved'],
    ]);
  });

  it('report a missing parameter', async () => {
    const message = "Missing mandatory parameter 'checked'";
    expect(await api(receiver, 'zapstream')).toEqual({ result: false, message, error: expect.any(String) });
    expect(await api(receiver, 'showchannelpicon')).toEqual({ result: false, message, error: expect.any(String) });
    expect(await api(receiver, 'setwebconfig')).toEqual({ result: false });
  });

  it('make stream.m3u zap first', async () => {
    const current = () => receiver.playback.current?.reference.format();
    await get(receiver, '/web/stream.m3u', { ref: alpha });
    expect(current()).toBeUndefined();
    await api(receiver, 'zapstream', { checked: 'true' });
    await get(receiver, '/web/stream.m3u', { ref: beta });
    // The service that this world's parental lock allows.
    expect(current()).toBe(beta);
  });
});
