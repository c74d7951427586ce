/** Kodi with its Enigma2 client or another one, unmodified, with its own home and a virtual screen. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { eventually, until } from '../fixtures/waits.ts';
import type { Display } from './display.ts';
import { connectJsonRpc, type JsonRpc } from './json-rpc.ts';
import { isInstalled } from './run.ts';
import type { Sound } from './sound.ts';

export const kodiIsInstalled =
  isInstalled('kodi', '--version') &&
  isInstalled('Xvfb', '-help') &&
  isInstalled('pulseaudio', '--version') &&
  isInstalled('ffmpeg', '-version') &&
  existsSync('/usr/share/kodi/addons/pvr.vuplus');

export interface Kodi extends Pick<JsonRpc, 'call'> {
  /** Values of Kodi's own info labels. */
  labels<Name extends string>(...names: readonly Name[]): Promise<Record<Name, string>>;
  /** Lines of its log so far. */
  log(): readonly string[];
  /** Quits it like a user. */
  quit(): Promise<void>;
  /** Kills it. */
  end(): void;
}

interface Time {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** Properties of what its player plays, and the position in seconds. */
export async function player<T>(
  { call }: Pick<Kodi, 'call'>,
  ...properties: readonly string[]
): Promise<T & { readonly position: number }> {
  const asked = { playerid: 1, properties: ['time', ...properties] };
  const answer = await call<T & { readonly time: Time }>('Player.GetProperties', asked);
  const { hours, minutes, seconds } = answer.time;
  return { ...answer, position: (hours * 60 + minutes) * 60 + seconds };
}

/** Plays an item, and nothing else. */
export async function open({ call }: Pick<Kodi, 'call'>, item: object): Promise<void> {
  // A failed test may have left something on the screen.
  await call('Player.Stop', { playerid: 1 }).catch(() => undefined);
  await nothingPlays({ call });
  await call('Player.Open', { item });
}

export async function stop({ call }: Pick<Kodi, 'call'>): Promise<void> {
  await call('Player.Stop', { playerid: 1 });
  await nothingPlays({ call });
}

const nothingPlays = ({ call }: Pick<Kodi, 'call'>) =>
  until(async () => expect(await call('Player.GetActivePlayers')).toEqual([]));

/** Waits until it has played this many seconds at normal speed. */
export async function plays(kodi: Pick<Kodi, 'call'>, duration: number): Promise<void> {
  const start = await until(async () => {
    const { speed, position } = await player<{ speed: number }>(kodi, 'speed');
    expect(speed).toBe(1);
    return position;
  });
  await until(async () => expect((await player(kodi)).position).toBeGreaterThanOrEqual(start + duration));
}

/** Complaints of the add-on, except those it logs with every receiver, and failed requests. */
export function complaints({ log }: Pick<Kodi, 'log'>): string[] {
  // Files missing from Debian's package, and the lack of timers.
  const usual = /ffmpegdirect|provider mappings|LoadProviderMappingFile|Could not find <(e2timer|timer)> element/;
  return log().filter(
    (line) =>
      (/ (warning|error|fatal) <.*pvr\.vuplus/.test(line) && !usual.test(line)) ||
      /CCurlFile.* Failed with code/.test(line),
  );
}

export interface KodiOptions {
  readonly home: string;
  readonly display: Display;
  readonly sound: Sound;
  /** Base URLs of the receiver. */
  readonly http: string;
  readonly stream: string;
  /** Further settings of the Enigma2 client. */
  readonly addon?: Readonly<Record<string, string>>;
  /** Another client instead of the Enigma2 client, with its settings. */
  readonly client?: { readonly id: string; readonly settings: Readonly<Record<string, string>> };
}

/**
 * Starts Kodi; resolves when the add-on is enabled. If Kodi exits or hangs before it takes commands, it is restarted once,
 * and the report says so: its problem is then the screen, the sound or its own data, not the receiver.
 */
export async function startKodi(options: KodiOptions): Promise<Kodi> {
  try {
    return await startOnce(options);
  } catch (error) {
    console.log(`retried: the start of Kodi: ${error}`);
    return startOnce(options);
  }
}

async function startOnce({ home, display, sound, http, stream, addon, client }: KodiOptions): Promise<Kodi> {
  const userdata = join(home, '.kodi', 'userdata');
  const [port, eventPort] = await Promise.all([freePort(), freePort()]);
  const { hostname, port: webPort } = new URL(http);
  const connection = { host: hostname, webport: webPort, streamport: new URL(stream).port };
  const { id, settings } = client ?? { id: 'pvr.vuplus', settings: { ...connection, ...addon } };
  writeSettings(join(userdata, 'addon_data', id, 'settings.xml'), settings);
  writeSettings(join(userdata, 'guisettings.xml'), {
    // Events and JSON-RPC, for this machine only.
    'services.esenabled': 'true',
    'services.esport': `${eventPort}`,
    'services.zeroconf': 'false',
    'services.wsdiscovery': 'false',
    'general.addonupdates': '2',
    'audiooutput.guisoundmode': '0',
  });
  // Store positions, and count a recording as partly watched, from its first second on.
  writeFileSync(
    join(userdata, 'advancedsettings.xml'),
    `<advancedsettings version="1.0"><loglevel>1</loglevel><jsonrpc><tcpport>${port}</tcpport></jsonrpc>` +
      '<video><ignoresecondsatstart>1</ignoresecondsatstart></video></advancedsettings>\n',
  );
  const child = spawn('kodi', ['--windowing=x11', '--audio-backend=pulseaudio'], {
    env: {
      ...clock(),
      PATH: process.env.PATH,
      HOME: home,
      DISPLAY: display.name,
      PULSE_SERVER: sound.server,
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
    stdio: 'ignore',
    detached: true,
  });
  const exit = once(child, 'exit');
  const end = () => {
    try {
      // The program runs in a shell script: the group includes both.
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // It has exited already.
    }
  };
  const log = () => readFileSync(join(home, '.kodi', 'temp', 'kodi.log'), 'utf8').split('\n');
  let rpc: JsonRpc | undefined;
  /** Rejects at once when it has exited. */
  const whileItRuns = <T>(ask: () => Promise<T>) =>
    async function attempt() {
      if (child.exitCode !== null || child.signalCode)
        throw new Error(`it exited: ${child.exitCode ?? child.signalCode}`);
      return ask().catch(() => undefined);
    };
  try {
    const commands = await eventually(
      whileItRuns(() => connectJsonRpc(port)),
      'Kodi takes commands',
    );
    rpc = commands;
    await eventually(
      whileItRuns(() => enableAddon(commands, id)),
      'the add-on is on',
    );
    return {
      call: (method, parameters) => commands.call(method, parameters),
      labels: (...names) => commands.call('XBMC.GetInfoLabels', { labels: names }),
      log,
      async quit() {
        await commands.call('Application.Quit').catch(() => undefined);
        await exit;
        commands.close();
      },
      end,
    };
  } catch (error) {
    rpc?.close();
    end();
    await exit;
    const last = existsSync(join(home, '.kodi', 'temp', 'kodi.log'))
      ? log().slice(-20).join('\n')
      : 'it logged nothing';
    throw new Error(`${error instanceof Error ? error.message : error}\n${last}`);
  }
}

/** Of libfaketime, under which these tests may run: Kodi has to live at the same moment as the receiver. */
function clock(): NodeJS.ProcessEnv {
  const names = ['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC', 'TZ'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/**
 * At its first start Kodi asks on the screen whether a new add-on should be enabled, and waits for the reply. This
 * dismisses the question, then enables the add-on. True once it is enabled.
 */
async function enableAddon(rpc: JsonRpc, addonid: string): Promise<true | undefined> {
  const question = 'System.HasActiveModalDialog';
  const { [question]: asks } = await rpc.call<Record<string, boolean>>('XBMC.GetInfoBooleans', {
    booleans: [question],
  });
  if (asks) {
    await rpc.call('Input.Back');
    return undefined;
  }
  await rpc.call('Addons.SetAddonEnabled', { addonid, enabled: true });
  const { clients } = await rpc.call<{ clients: readonly object[] }>('PVR.GetClients');
  return clients.length > 0 || undefined;
}

function writeSettings(path: string, settings: Readonly<Record<string, string>>): void {
  mkdirSync(join(path, '..'), { recursive: true });
  const lines = Object.entries(settings).map(([id, value]) => `<setting id="${id}">${value}</setting>\n`);
  writeFileSync(path, `<settings version="2">\n${lines.join('')}</settings>\n`);
}
