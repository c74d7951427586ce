/** Removing secrets from texts and settings. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { isSecretName, knownSecrets, settingsWithoutSecrets, withoutSecrets } from '../../src/base/secrets.ts';
import { ConfigurationSchema, loadConfiguration, valueAt } from '../../src/config/config.ts';
import { type SettingSchema, settingNames } from '../../src/config/configuration-check.ts';

describe('a text without secrets', () => {
  it.each([
    ['http://alice:hunter22@tv.example:8080/live/alice/hunter22/7.ts?a=b', 'http://tv.example:8080/…'],
    ['see http://tv.example/get.php?username=bob&password=x and go', 'see http://tv.example/… and go'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['"https://[2001:db8::1]:443/a"', '"https://[2001:db8::1]:443/…"'],
    ['rtsp://u:p@ss@box', 'rtsp://box'],
    ['4097:0:1:0:0:0:0:0:0:0:http%3a//u%3ap%40box%3a80/x/y.ts:Name', '4097:0:1:0:0:0:0:0:0:0:http://box:80/…'],
    ['4097:0:1:0:0:0:0:0:0:0:HTTP%3A%2F%2Fbox%2Fx', '4097:0:1:0:0:0:0:0:0:0:HTTP://box/…'],
    ['http://h/a#User-Agent=X&Authorization=Basic abc', 'http://h/… abc'],
  ])('keeps only scheme and host of a URL: %s', (text, left) => {
    expect(withoutSecrets(text)).toBe(left);
  });

  it.each([
    ['Authorization: Basic YWJj ZGVm', 'Authorization: …'],
    ['a=1 password=hunter22', 'a=1 password=…'],
    ['a=1&token=abc&b=2', 'a=1&token=…&b=2'],
    ['config.ParentalControl.servicepin.0=1234', 'config.ParentalControl.servicepin.0=…'],
    ['{"level":30,"apiKey":"a\\"b","msg":"x"}', '{"level":30,"apiKey":…,"msg":"x"}'],
    ['{"msg":"got {\\"password\\":\\"abc\\"} there"}', '{"msg":"got {\\"password\\":…} there"}'],
    ['--http-header-fields=Cookie: sid=1', '--http-header-fields=…'],
    ['--http-header-fields-append=X-Me: abc', '--http-header-fields-append=…'],
    ['--user-agent=Agent 7', '--user-agent=…'],
    ['--ytdl-raw-options=username=me,netrc-cmd=abc', '--ytdl-raw-options=…'],
    ['--demuxer-lavf-o=headers=X: abc', '--demuxer-lavf-o=…'],
    ['pin: 1234\nname: x', 'pin: …\nname: x'],
    ['password=', 'password='],
    ['password: ""\nname: x', 'password: ""\nname: x'],
    ['{"msg":"{\\"password\\":\\"\\"}"}', '{"msg":"{\\"password\\":\\"\\"}"}'],
  ])('loses values whose name is that of a secret: %s', (text, left) => {
    expect(withoutSecrets(text)).toBe(left);
  });

  it.each([
    'receiverd_tuner_users{tuner="Tuner A"} 0',
    '{"tuners":[{"number":0,"users":[{"purpose":"stream","user":"192.0.2.7"}]}]}',
    'FAIL  tuner dvb:7/1: there is no such front end',
    '2026-11-25T14:00:00 box node[7]: guide collected',
  ])('is otherwise unchanged: %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  it('loses known secrets', () => {
    expect(withoutSecrets('of hunter22, 1234', ['hunter22', '1234'])).toBe('of …, 1234');
  });
});

it.each([
  ...['config.plugins.weather.apikey', 'config.x.credentials', 'config.x.pwd', 'config.x.hash', 'config.vpn.authkey'],
  ...[
    'config.ParentalControl.servicepin.0',
    'config.ParentalControl.setuppin',
    'config.x.pincode',
    'config.x.static_pin1',
  ],
  ...['config.wlan.psk', 'config.x.wpakey', 'config.x.privatekey', 'config.x.serverkey', 'config.x.sessionid'],
  ...[
    'config.x.PassWord',
    'config.x.api_key',
    'config.x.token',
    'config.x.accesskey',
    'config.x.licence',
    'config.wlan.wpa',
    'config.x.sessionkey',
    'config.x.encryptionkey',
    'config.x.clientkey',
    'config.x.userkey',
    'config.x.bearer',
    'config.x.pins',
  ],
])('%s is the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

it.each([
  ...['config.av.dtspassthrough', 'config.misc.pinned', 'config.usage.hotkeys', 'config.recording.margin_before'],
  ...['config.OpenWebif.port', 'config.usage.spinner', 'sessionDays', 'receiverd_satip_sessions'],
])('%s is not the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

it('settings keep their structure without secrets', () => {
  const settings = {
    name: 'Box',
    httpPort: 8080,
    iptv: { userAgent: 'Agent-7', allow: [] },
    mpv: { options: ['--vo=gpu', '--http-proxy=http://alice:hunter22@proxy:3128', '-user-agent', 'Agent 8', '-fs'] },
    power: { shutdown: true, shutdownCommand: ['curl', '-u', 'bob:swordfish'], rebootCommand: ['curl -u bob:trout'] },
    users: [{ name: 'carol', password: 'correct horse' }],
    tls: { key: '/etc/key.pem', certificate: '/etc/certificate.pem' },
    accessToken: '',
  };
  expect(settingsWithoutSecrets(settings)).toEqual({
    name: 'Box',
    httpPort: 8080,
    iptv: { userAgent: '…', allow: [] },
    mpv: { options: ['--vo=gpu', '--http-proxy=http://proxy:3128', '-user-agent', '…', '-fs'] },
    power: { shutdown: true, shutdownCommand: ['curl', '…', '…'], rebootCommand: ['curl …'] },
    users: '…',
    tls: { key: '…', certificate: '/etc/certificate.pem' },
    accessToken: '',
  });
  expect(knownSecrets(settings)).toEqual([
    'Agent-7',
    'hunter22',
    'Agent 8',
    'carol',
    'correct horse',
    '/etc/key.pem',
    '',
  ]);
});

describe('the settings of the configuration', () => {
  const settings = loadConfiguration({ environment: { HOME: '/home/box' } });
  const names = settingNames(ConfigurationSchema as unknown as SettingSchema);
  const leaves = names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));

  /** A value as users have it, where the default is empty. */
  const given = (name: string): unknown => {
    const value = valueAt(settings, name);
    if (value === '') return 'given';
    return Array.isArray(value) ? [...value, 'given'] : value;
  };

  it('are shown, except those that are or contain secrets', () => {
    const hidden = leaves.filter((name) => {
      const shown = settingsWithoutSecrets(given(name), name.split('.').at(-1));
      return JSON.stringify(shown) !== JSON.stringify(given(name));
    });
    expect(hidden).toEqual([
      'tls.key',
      'iptv.userAgent',
      'power.shutdownCommand',
      'power.rebootCommand',
      'mqtt.user',
      'mqtt.password',
      'notifications.token',
      'notifications.user',
    ]);
  });

  it('show a box of which the password is known', () => {
    const box = { host: '192.0.2.9', user: 'admin', password: 'hunter22' };
    const shown = settingsWithoutSecrets({ enigma2: { logins: [box] } });
    expect(shown).toEqual({ enigma2: { logins: [{ host: '192.0.2.9', user: '…', password: '…' }] } });
    expect(knownSecrets({ enigma2: { logins: [box] } })).toEqual(['admin', 'hunter22']);
  });

  it('are shown in a report with all their numbers and switches', () => {
    const report = withoutSecrets(stringify(settingsWithoutSecrets(settings)));
    for (const name of leaves) {
      const value = valueAt(settings, name);
      if (typeof value === 'number' || typeof value === 'boolean')
        expect(report).toMatch(new RegExp(`\\b${name.split('.').at(-1)}: ${value}$`, 'm'));
    }
  });

  it('that are PINs are hidden, even as numbers', () => {
    expect(settingsWithoutSecrets({ pin: 1234, servicePin: 1234, password: true, days: 3 })).toEqual({
      pin: '…',
      servicePin: '…',
      password: true,
      days: 3,
    });
  });
});
