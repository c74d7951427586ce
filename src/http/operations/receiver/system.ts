/** Settings, addresses, plug-ins and sessions, which clients request once at their start. */
import { randomUUID } from 'node:crypto';
import * as Type from 'typebox';
import { isSecretName, withoutSecrets } from '../../../base/secrets.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { recordSchema, sampled } from '../../write/record.ts';
import { each, element, leaf, leaves } from '../../write/xml.ts';

const Pair = Type.Unsafe<readonly [string, string]>({ type: 'array', items: { type: 'string' } });
const SettingList = recordSchema({
  result: true,
  settings: sampled(Type.Array(Pair, { description: 'pairs of key and stored text' }), [
    ['config.recording.margin_before', '3'],
    ['config.movielist.videodirs', "['/media/hdd/movie/']"],
  ]),
});

/** An e2settings: pairs of key and value. */
export const settingsView = element<{ readonly settings: Iterable<readonly [string, string]> }>(
  'e2settings',
  each(
    (list) => list.settings,
    element<readonly [string, string]>(
      'e2setting',
      leaf('e2settingname', ([key]) => key),
      leaf('e2settingvalue', ([, value]) => value),
    ),
  ),
);

const settings = operation({
  name: 'settings',
  summary: 'The stored settings, and those that clients rely on.',
  result: SettingList,
  xml: settingsView,
  run(parts) {
    const values = new Map<string, string>(parts.settings.stored);
    for (const [key, value] of expectedSettings(parts)) values.set(key, value);
    const shown = [...values].filter(([key, value]) => value !== '' && !isSecretName(key));
    return { result: true, settings: shown.map(([key, value]) => [key, withoutSecrets(value)] as const) };
  },
});

/** Settings that clients expect, with their effective values, whether or not they are stored. */
function expectedSettings({ settings, locations, config }: ReceiverParts): [key: string, value: string][] {
  const folders = locations.all.map((folder) => `'${folder.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
  return [
    ['config.recording.margin_before', String(settings.number('config.recording.margin_before'))],
    ['config.recording.margin_after', String(settings.number('config.recording.margin_after'))],
    ['config.usage.default_path', locations.default],
    ['config.movielist.videodirs', `[${folders.join(', ')}]`],
    ['config.OpenWebif.port', String(config.httpPort)],
    ['config.OpenWebif.streamport', String(config.streamPort)],
  ];
}

const Plugins = recordSchema({ plugins: sampled(Type.Array(Type.Array(Type.String())), []), result: true });

const external = operation({
  name: 'external',
  tag: 'system',
  summary: 'Web pages of plug-ins: always empty.',
  result: Plugins,
  xml: element('e2webifexternals'),
  run: () => ({ plugins: [], result: true }),
});

const PictureInPicture = recordSchema({ pip: 0, result: true });

const pipinfo = operation({
  name: 'pipinfo',
  summary: 'Whether picture-in-picture is shown: always no.',
  result: PictureInPicture,
  xml: leaves<Type.Static<typeof PictureInPicture>>({ e2pip: 'pip' }),
  run: () => ({ pip: 0, result: true }),
});

const getip = operation({
  name: 'getip',
  summary: 'The receiver’s IPv4 address, on one line.',
  contentType: 'text/html; charset=utf-8',
  example: 'My IP address is: 192.0.2.10\n',
  run: async ({ device }) => addressLine((await device.interfaces()).find(({ ipv4 }) => ipv4)?.ipv4?.address),
});

const getipv6 = operation({
  name: 'getipv6',
  summary: 'The receiver’s IPv6 address, on one line.',
  contentType: 'text/html; charset=utf-8',
  example: 'My IP address is: 2001:db8::10\n',
  run: async ({ device }) => addressLine((await device.interfaces()).flatMap(({ ipv6 }) => ipv6)[0]),
});

function addressLine(address = '') {
  return { body: `My IP address is: ${address}\n` };
}

const Session = recordSchema({ sessionid: '6f0e3a52-5a3c-4f0e-9a53-0d1c5b1f5b1e', result: true });

/** Sessions are not distinguished: all clients get the same id. */
const sessionId = randomUUID();

const session = operation({
  name: 'session',
  tag: 'system',
  summary: 'A session id, for clients that request one before they change anything. It is never required.',
  result: Session,
  xml: leaves<Type.Static<typeof Session>>({ e2sessionid: 'sessionid' }),
  run: () => ({ sessionid: sessionId, result: true }),
});

export const systemOperations = group('device', [settings, external, pipinfo, getip, getipv6, session]);
