/**
 * Finds HDHomeRun devices by broadcast on UDP port 65001, and asks them what they are by TCP.
 *
 * A reply may only name its sender as the device, so that no host can make the receiver connect to another one.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { signalWithin } from '../../base/signal-within.ts';
import { urlOf } from '../../base/url.ts';
import { defaultHdhomerunPort } from '../../config/hdhomerun-spec.ts';
import { attempt, networkAddresses } from '../satip/ssdp.ts';
import { formatDeviceId, isValidDeviceId } from './device-id.ts';
import { formatPacket, numberOf, packetsOf, packetType, parsePacket, tag, textOf, textValue } from './packet.ts';

export interface FoundDevice {
  /** Eight hexadecimal digits. */
  readonly id: string;
  /** Numeric address. */
  readonly host: string;
  readonly tunerCount: number;
  /** Address of its `lineup.json` at `host`; empty if it names none. */
  readonly lineupUrl: string;
}

export interface DescribedDevice extends FoundDevice {
  /** `HDHR4-2DT` */
  readonly model: string;
  /** Of each tuner, as in FrontEndInformation. */
  readonly systems: readonly string[];
}

const tunerType = 1;
const any = 0xffffffff;
const broadcast = '255.255.255.255';
/** Milliseconds between requests, and their number: datagrams may get lost. */
const requestIntervalMs = 250;
const requestCount = 3;
/** Milliseconds for replies to the last request. */
const replyTimeoutMs = 750;
/** Milliseconds for a connection and all its replies. */
const controlTimeoutMs = 3000;
const maxDevices = 16;
const maxTuners = 16;

/**
 * Searches the local network, or asks one host. Resolves after 1.25 s, or with the first reply of the one host.
 * @throws AbortError after `signal`
 */
export async function searchDevices({
  host,
  port = defaultHdhomerunPort,
  signal,
}: {
  readonly host?: string;
  readonly port?: number;
  readonly signal?: AbortSignal;
} = {}): Promise<readonly FoundDevice[]> {
  const found = new Map<string, FoundDevice>();
  const request = formatPacket(packetType.discoverRequest, [
    [tag.deviceType, tunerType],
    [tag.deviceId, any],
  ]);
  const done = new AbortController();
  const sockets = (host === undefined ? networkAddresses() : ['0.0.0.0']).map((address) => {
    const socket = createSocket('udp4');
    socket.on('error', () => undefined);
    socket.on('message', (bytes, from) => {
      const device = host === undefined || from.address === host ? deviceOf(bytes, from.address) : undefined;
      if (device === undefined || found.size >= maxDevices) return;
      found.set(device.id, found.get(device.id) ?? device);
      if (host !== undefined) done.abort();
    });
    socket.bind({ address, port: 0 }, () => attempt(() => socket.setBroadcast(true)));
    return socket;
  });
  const over = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  const pause = (ms: number) => setTimeout(ms, undefined, { signal: over }).catch(() => undefined);
  try {
    for (let left = requestCount; left > 0 && !over.aborted; left--) {
      for (const socket of sockets) attempt(() => socket.send(request, port, host ?? broadcast, () => undefined));
      await pause(left > 1 ? requestIntervalMs : replyTimeoutMs);
    }
  } finally {
    for (const socket of sockets) attempt(() => socket.close());
  }
  signal?.throwIfAborted();
  return [...found.values()];
}

/** Undefined unless the packet is the reply of a device with tuners. */
function deviceOf(bytes: Buffer, host: string): FoundDevice | undefined {
  try {
    const { type, values } = parsePacket(bytes);
    const id = numberOf(values.get(tag.deviceId)) ?? 0;
    const isTuner = numberOf(values.get(tag.deviceType)) === tunerType && isValidDeviceId(id);
    if (type !== packetType.discoverReply || !isTuner) return undefined;
    const tunerCount = Math.min(values.get(tag.tunerCount)?.[0] ?? 0, maxTuners);
    const lineup = urlOf(textOf(values.get(tag.lineupUrl)) ?? '');
    const isOwn = lineup?.protocol === 'http:' && lineup.hostname === host;
    return { id: formatDeviceId(id), host, tunerCount, lineupUrl: isOwn ? lineup.href : '' };
  } catch {
    return undefined;
  }
}

/** Asks a device for its model. @throws Error with the reason as text for users if it has no control protocol */
export async function describeDevice(
  device: FoundDevice,
  port = defaultHdhomerunPort,
  signal?: AbortSignal,
): Promise<DescribedDevice> {
  const names = ['/sys/hwmodel', '/sys/model', '/sys/features'];
  const [model = '', firmware = '', features = ''] = await variables({ host: device.host, port }, names, signal);
  return { ...device, model: printable(model || firmware), systems: systemsOfModel(`${model} ${firmware}`, features) };
}

/** What a device says of itself goes into lists, the log and terminals. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 64);

/** Reads variables. A variable that the device does not have is empty. */
async function variables(
  at: { readonly host: string; readonly port: number },
  names: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const limit = signalWithin(controlTimeoutMs, signal);
  const socket = connect({ ...at, signal: limit });
  const values: string[] = [];
  try {
    await once(socket, 'connect');
    for (const name of names) socket.write(formatPacket(packetType.getSetRequest, [[tag.name, textValue(name)]]));
    for await (const reply of packetsOf(socket)) {
      values.push(textOf(reply.values.get(tag.value)) ?? '');
      if (values.length === names.length) return values;
    }
    throw new Error('it closes the connection');
  } catch (error) {
    signal?.throwIfAborted();
    throw limit.aborted ? new Error(`no answer on port ${at.port}`) : error;
  } finally {
    socket.destroy();
  }
}

/** Words in a device's list of modulations, and the system that each stands for. */
const modulations: readonly (readonly [word: RegExp, system: string])[] = [
  [/^(?:t\d*dvbt|t\d*qam\d+|dvbt|auto\dt)$/, 'DVB-T'],
  [/^(?:t\d*dvbt2|dvbt2)$/, 'DVB-T2'],
  [/^(?:a\d*qam\d+(?:-\d+)?|dvbc|auto\dc)$/, 'DVB-C'],
  [/^(?:8vsb|atsc)$/, 'ATSC'],
  [/^qam(?:64|256)$/, 'DVB-C annex B'],
];

/**
 * The delivery systems of a device's tuners: by its model (`HDHR4-2DT hdhomerun4_dvbt`), and by the modulations in its
 * `/sys/features`. Models for America end with US or CC, or have ATSC in their firmware's name.
 */
export function systemsOfModel(model: string, features: string): readonly string[] {
  const text = model.toLowerCase();
  const words = /^modulation:(.*)$/m.exec(features)?.[1]?.trim().split(/\s+/) ?? [];
  const systems = new Set(modulations.filter(([word]) => words.some((one) => word.test(one))).map(([, name]) => name));
  if (systems.size > 0) return [...systems];
  const isModel = (pattern: RegExp) => pattern.test(text);
  if (isModel(/dvbc|-\d?dc\b/)) return ['DVB-C'];
  if (isModel(/dvbt|-\d?dt\b|-eu\b/))
    return isModel(/hdhr3|hdhomerun3|-eu\b/) ? ['DVB-T'] : ['DVB-T', 'DVB-T2', 'DVB-C'];
  if (isModel(/cablecard|-\d?cc\b/)) return ['DVB-C annex B'];
  if (isModel(/atsc|-\d?us\b|-4k\b/)) return ['ATSC', 'DVB-C annex B'];
  return ['DVB-T', 'DVB-T2', 'DVB-C'];
}
