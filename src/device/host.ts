/**
 * Facts about the machine: network interfaces, disks, memory, uptime. Read on demand, never polled.
 *
 * Nothing here may hang with a disk or start a program, as systeminformation does, which would add 736 KB.
 */
import { createHash } from 'node:crypto';
import { constants, existsSync, readFileSync, type StatsFs } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import os from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemReason } from '../base/errors.ts';

export interface NetworkInterface {
  readonly name: string;
  /** aa:bb:cc:dd:ee:ff */
  readonly mac: string;
  readonly ipv4:
    | { readonly address: string; readonly prefix: number; readonly gateway: string | undefined }
    | undefined;
  /** Addresses that are not link-local. */
  readonly ipv6: readonly string[];
  /** True if the address was leased. */
  readonly dhcp: boolean;
  /** Mbit/s; undefined if the driver does not report it. */
  readonly speed: number | undefined;
}

export interface Disk {
  /** Name of the disk: the file system's device, or its kind. */
  readonly model: string;
  readonly mount: string;
  /** Bytes. */
  readonly capacity: number;
  /** Bytes an ordinary user may still write. */
  readonly free: number;
}

/** Space on a file system, from `statfs`. */
type Room = Pick<StatsFs, 'blocks' | 'bsize' | 'bavail'>;

/** File system calls; each may hang as long as the disk does. */
export interface FileSystemCalls {
  access(path: string, mode?: number): Promise<void>;
  statfs(path: string): Promise<Room>;
}

/**
 * The interfaces that carry traffic, without loopback. Never empty and never without a MAC address: a container without
 * an interface gets one entry derived from the machine's id, because clients identify a receiver by it.
 */
export async function interfaces(): Promise<NetworkInterface[]> {
  const gateways = defaultGateways();
  const found: NetworkInterface[] = [];
  for (const [name, addresses = []] of Object.entries(os.networkInterfaces())) {
    const outside = addresses.filter((address) => !address.internal);
    const [first] = outside;
    if (first === undefined) continue;
    const ipv4 = outside.find((address) => address.family === 'IPv4');
    found.push({
      name,
      mac: first.mac === '00:00:00:00:00:00' ? machineMac() : first.mac,
      ipv4: ipv4 && {
        address: ipv4.address,
        prefix: Number(ipv4.cidr?.split('/')[1] ?? 32),
        gateway: gateways.get(name),
      },
      ipv6: outside.filter((one) => one.family === 'IPv6' && !one.address.startsWith('fe80')).map((one) => one.address),
      dhcp: leased(name),
      // Not a positive number for a link that is down.
      speed: Math.max(0, Number(contentOf(`/sys/class/net/${name}/speed`))) || undefined,
    });
  }
  if (found.length > 0) return found;
  const ipv4 = { address: '127.0.0.1', prefix: 8, gateway: undefined };
  return [{ name: 'lo', mac: machineMac(), ipv4, ipv6: [], dhcp: false, speed: undefined }];
}

/** Bytes. */
export const memory = () => ({ total: os.totalmem(), free: os.freemem() });

/** Seconds since the machine started. */
export const uptime = () => Math.floor(os.uptime());

/** The text of a file of the system; empty if it cannot be read. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The file systems that hold some folders. */
export class Disks {
  readonly #folders: readonly string[];
  readonly #calls: FileSystemCalls;
  readonly #patience: number;
  /** By folder: a disk that hangs is not queried a second time. */
  readonly #looks = new Map<string, Promise<Disk | undefined>>();

  /** The folders need not exist yet. `patience`: milliseconds that a disk may take to respond. */
  constructor(
    folders: readonly string[],
    {
      calls = { access, statfs },
      patience = 1000,
    }: { readonly calls?: FileSystemCalls; readonly patience?: number } = {},
  ) {
    this.#folders = folders;
    this.#calls = calls;
    this.#patience = patience;
  }

  /** Each once; without those that do not respond in time. */
  async all(): Promise<Disk[]> {
    const end = new AbortController();
    const late = wait(this.#patience, undefined, { signal: end.signal }).catch(() => undefined);
    const found = await Promise.all(this.#folders.map((folder) => Promise.race([this.#look(folder), late])));
    end.abort();
    const disks = new Map<string, Disk>();
    for (const disk of found) if (disk && !disks.has(disk.mount)) disks.set(disk.mount, disk);
    return [...disks.values()];
  }

  /** The disk of a folder. Concurrent calls share one query. */
  #look(folder: string): Promise<Disk | undefined> {
    const there = this.#looks.get(folder);
    if (there) return there;
    const look = this.#diskOf(folder).finally(() => this.#looks.delete(folder));
    this.#looks.set(folder, look);
    return look;
  }

  async #diskOf(folder: string): Promise<Disk | undefined> {
    const place = await this.#nearestExisting(folder);
    const mount = mountPoints().find(
      (one) => place === one.folder || place.startsWith(`${one.folder.replace(/\/$/, '')}/`),
    );
    try {
      const size = await this.#calls.statfs(place);
      return {
        model: mount?.device ?? 'disk',
        mount: mount?.folder ?? '/',
        capacity: size.blocks * size.bsize,
        free: size.bavail * size.bsize,
      };
    } catch {
      // A disk that was just removed: leave it out.
      return undefined;
    }
  }

  async #nearestExisting(folder: string): Promise<string> {
    let place = folder.replace(/(.)\/$/, '$1');
    const isThere = (path: string) =>
      this.#calls.access(path).then(
        () => true,
        () => false,
      );
    while (place !== dirname(place) && !(await isThere(place))) place = dirname(place);
    return place;
  }
}

/** Whether folders can be written to; nothing is written for it. */
export class WritingCheck {
  readonly #calls: FileSystemCalls;
  readonly #patience: number;
  /** By folder: a disk that hangs is not asked a second time, which would take another of Node's few threads. */
  readonly #looks = new Map<string, Promise<string>>();

  /** `patience`: milliseconds that a disk may take to respond. */
  constructor({
    calls = { access, statfs },
    patience = 2000,
  }: { readonly calls?: FileSystemCalls; readonly patience?: number } = {}) {
    this.#calls = calls;
    this.#patience = patience;
  }

  /** Why a folder cannot be written to; empty if it can. */
  async trouble(folder: string): Promise<string> {
    const end = new AbortController();
    const late = wait(this.#patience, `${folder} does not respond`, { signal: end.signal }).catch(() => '');
    const trouble = await Promise.race([this.#look(folder), late]);
    end.abort();
    return trouble;
  }

  #look(folder: string): Promise<string> {
    const there = this.#looks.get(folder);
    if (there) return there;
    const look = this.#troubleOf(folder).finally(() => this.#looks.delete(folder));
    this.#looks.set(folder, look);
    return look;
  }

  async #troubleOf(folder: string): Promise<string> {
    try {
      await this.#calls.access(folder, constants.W_OK);
      return (await this.#calls.statfs(folder)).bavail > 0 ? '' : `no space is left in ${folder}`;
    } catch (error) {
      return `${folder}: ${systemReason(error)}`;
    }
  }
}

/** A stable, locally administered MAC address (02:...) derived from the machine's id. */
function machineMac(): string {
  // Without systemd, the host name has to do.
  const id = contentOf('/etc/machine-id') || os.hostname();
  const digest = createHash('sha256').update(`receiverd ${id}`).digest('hex');
  return `02:${(digest.slice(0, 10).match(/../g) ?? []).join(':')}`;
}

/** True if one of the usual DHCP clients holds a lease for the interface. */
function leased(name: string): boolean {
  // Empty if it is not a real interface (a container without /sys): only the lease files named after it can tell.
  const index = contentOf(`/sys/class/net/${name}/ifindex`).trim();
  return [
    `/run/systemd/netif/leases/${index}`,
    `/var/lib/dhcp/dhclient.${name}.leases`,
    `/var/lib/dhcpcd/${name}.lease`,
    `/run/udhcpc.${name}.pid`,
  ].some((file) => !file.endsWith('/') && existsSync(file));
}

/** Default gateway of each interface, from the kernel's IPv4 routing table. */
function defaultGateways(): Map<string, string> {
  const gateways = new Map<string, string>();
  for (const line of contentOf('/proc/net/route').split('\n').slice(1)) {
    const [name, destination, gateway] = line.split('\t');
    if (name === undefined || destination !== '00000000' || gateway === undefined) continue;
    // Little endian on every machine that matters: the last byte comes first.
    const bytes = gateway.match(/../g) ?? [];
    gateways.set(
      name,
      bytes
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.'),
    );
  }
  return gateways;
}

/** Mount points, deepest first. */
function mountPoints(): { folder: string; device: string }[] {
  return contentOf('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([device, folder]) => device !== undefined && folder?.startsWith('/'))
    .map(([device = '', folder = '']) => ({ device, folder: unescapeMount(folder) }))
    .sort((a, b) => b.folder.length - a.folder.length);
}

/** Decodes a path of /proc/mounts or /etc/fstab, which write blanks and the like as three octal digits. */
export function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
