/** The device information in about and deviceinfo. */
import * as Type from 'typebox';
import { positionName } from '../../../base/orbital-position.ts';
import type { Disk, NetworkInterface } from '../../../device/host.ts';
import type { ReceiverParts, TunerState } from '../../parts/parts.ts';
import { exampleOf, field, nullable, recordSchema, sampled } from '../../write/record.ts';
import { streamClientsWithTitles } from '../guide/guide-entries.ts';

/**
 * The version of OpenWebif, from which clients derive the available features. They expect `OWIF` and three numbers; 2.4.0
 * enables all features.
 */
const interfaceVersion = 'OWIF 2.4.0';

const Tuner = recordSchema({ name: 'Tuner A', type: 'Demo (DVB-S2)', rec: '', live: '19.2° E / Alpha HD' });

const Interface = recordSchema({
  name: 'eth0',
  friendlynic: 'eth0',
  linkspeed: 'unknown',
  mac: '02:00:00:00:00:01',
  dhcp: true,
  ipv4method: 'DHCP',
  ip: '192.0.2.10',
  mask: '255.255.255.0',
  v4prefix: 24,
  gw: '192.0.2.1',
  ipv6: 'none/IPv4-only network',
  ipmethod: 'none',
  firstpublic: sampled(nullable(Type.String()), null),
});

const HardDisk = recordSchema({
  model: 'Demo Disk',
  capacity: '931.5 GB',
  labelled_capacity: '1 TB',
  free: '612.3 GB',
  mount: '/media/hdd',
  friendlycapacity: '612.3 GB free / 931.5 GB ("1 TB") total',
});

const Stream = recordSchema({
  ref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  name: 'Alpha HD',
  eventname: 'Ships & Harbours',
  ip: '192.0.2.20',
  type: field('S', 'S = as broadcast'),
});

export const Information = recordSchema({
  brand: 'receiverd',
  model: 'receiverd',
  boxtype: 'receiverd',
  machinebuild: 'receiverd',
  lcd: 0,
  grabpip: 0,
  chipset: 'x64',
  mem1: field('512000 kB', 'total memory, `512000 kB`'),
  mem2: field('203400 kB', 'free memory'),
  mem3: field('203400 kB free / 512000 kB total', 'both'),
  uptime: field('3d 4:05', '`3d 4:05`'),
  webifver: interfaceVersion,
  imagedistro: 'receiverd',
  friendlyimagedistro: 'receiverd',
  oever: 'Debian GNU/Linux 12 (bookworm)',
  imagever: '0.1.0',
  enigmaver: '2026-01-02',
  driverdate: '20260102',
  kernelver: '6.1.0',
  fp_version: sampled(nullable(Type.Integer()), null),
  friendlychipsetdescription: 'Chipset',
  friendlychipsettext: 'x64',
  tuners: Type.Array(Tuner),
  ifaces: Type.Array(Interface),
  hdd: Type.Array(HardDisk),
  shares: sampled(Type.Array(Type.Object({})), []),
  transcoding: false,
  EX: '',
  streams: Type.Array(Stream),
  timerpipzap: false,
  timerautoadjust: false,
  textinputsupport: false,
});
export type Information = Type.Static<typeof Information>;

export async function informationOf(parts: ReceiverParts): Promise<Information> {
  const { device } = parts;
  const { brand, model, chipset, version, released, system, kernel } = device.identity;
  const memory = device.memory();
  const [total, free] = [kilobytes(memory.total), kilobytes(memory.free)];
  return {
    // The remaining fields are constant.
    ...exampleOf(Information),
    brand,
    model,
    boxtype: model,
    machinebuild: model,
    chipset,
    mem1: total,
    mem2: free,
    mem3: `${free} free / ${total} total`,
    uptime: uptimeText(device.uptime()),
    imagedistro: brand,
    friendlyimagedistro: brand,
    oever: system,
    imagever: version,
    enigmaver: released,
    driverdate: released.replaceAll('-', ''),
    kernelver: kernel,
    friendlychipsettext: chipset,
    tuners: parts.tuners.list().map((tuner) => nim(parts, tuner)),
    ifaces: (await device.interfaces()).map(networkInterface),
    hdd: (await device.disks()).map(hardDisk),
    streams: await streamsOf(parts),
  };
}

function nim({ services }: ReceiverParts, { name, model, type, users }: TunerState): Type.Static<typeof Tuner> {
  const shown = (purposes: readonly string[]): string => {
    const service = users.find((user) => user.service && purposes.includes(user.purpose))?.service;
    if (service === undefined) return '';
    const position = positionName(service.source);
    return `${position === '' ? '' : `${position} / `}${services.nameOf(service)}`;
  };
  return { name, type: `${model} (${type})`, rec: shown(['recording', 'timer']), live: shown(['live', 'stream']) };
}

function networkInterface({ name, mac, ipv4, ipv6, dhcp, speed }: NetworkInterface): Type.Static<typeof Interface> {
  const [firstIpv6] = ipv6;
  return {
    name,
    friendlynic: name,
    linkspeed: speed === undefined ? 'unknown' : `${speed} MBit/s`,
    mac,
    dhcp,
    ipv4method: ipv4 === undefined ? 'none' : dhcp ? 'DHCP' : 'static',
    ip: ipv4?.address ?? '',
    mask: ipv4 === undefined ? '' : netmask(ipv4.prefix),
    v4prefix: ipv4?.prefix ?? 0,
    gw: ipv4?.gateway ?? '',
    ipv6: firstIpv6 ?? 'none/IPv4-only network',
    ipmethod: firstIpv6 === undefined ? 'none' : 'SLAAC',
    firstpublic: firstIpv6 ?? null,
  };
}

/** The netmask of a prefix length: 24 yields `255.255.255.0`. */
function netmask(prefix: number): string {
  const bits = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function hardDisk({ model, mount, capacity, free }: Disk): Type.Static<typeof HardDisk> {
  const [capacityText, freeText] = [byteSize(capacity), byteSize(free)];
  const labelled = labelledSize(capacity);
  return {
    model,
    capacity: capacityText,
    labelled_capacity: labelled,
    free: freeText,
    mount,
    friendlycapacity: `${freeText} free / ${capacityText} ("${labelled}") total`,
  };
}

async function streamsOf(parts: ReceiverParts): Promise<Type.Static<typeof Stream>[]> {
  return (await streamClientsWithTitles(parts)).map(({ client: { reference, address }, title }) => ({
    ref: reference.format(),
    name: parts.services.nameOf(reference),
    eventname: title,
    ip: address,
    type: 'S',
  }));
}

function kilobytes(bytes: number): string {
  return `${Math.floor(bytes / 1024)} kB`;
}

/** `3d 4:05` */
function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const clock = `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, '0')}`;
  return days === 0 ? clock : `${days}d ${clock}`;
}

/** `931.5 GB`, `512 MB`, `1.8 TB`: binary units under their short names, because clients add them up that way. */
function byteSize(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  if (megabytes < 1024) return `${Math.round(megabytes)} MB`;
  if (megabytes < 1024 ** 2) return `${(megabytes / 1024).toFixed(1)} GB`;
  return `${(megabytes / 1024 ** 2).toFixed(1)} TB`;
}

/** The size printed on the drive: in decimal units, rounded. */
function labelledSize(bytes: number): string {
  return bytes >= 1e12 ? `${Math.round(bytes / 1e11) / 10} TB` : `${Math.round(bytes / 1e9)} GB`;
}
