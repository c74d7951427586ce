/**
 * Facts about the machine: network interfaces, disks, memory, uptime. Read on demand, never polled.
 *
 * Nothing here may block while a disk hangs, or start a program. The package systeminformation does, and has 736 KB.
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
  /** Addresses without the link-local ones. */
  readonly ipv6: readonly string[];
  /** Whether the address was leased by DHCP. */
  readonly dhcp: boolean;
  /** Mbit/s; undefined if the driver does not report it. */
  readonly speed: number | undefined;
}

export interface Disk {
  /** The device of the file system, or its type if it has no device. */
  readonly model: string;
  readonly mount: string;
  /** Bytes. */
  readonly capacity: number;
  /** Bytes that an ordinary user may still write. */
  readonly free: number;
}

/** Space on a file system, from `statfs`. */
type FileSystemSpace = Pick<StatsFs, 'blocks' | 'bsize' | 'bavail'>;

/** File system calls. Each may hang for as long as the disk does. */
export interface FileSystemCalls {
  access(path: string, mode?: number): Promise<void>;
  statfs(path: string): Promise<FileSystemSpace>;
}

/**
 * The network interfaces without loopback. Never empty and never without a MAC address, by which clients identify a
 * receiver: a container without an interface gets an entry with an address derived from the machine's id.
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
      dhcp: hasLease(name),
      // The file has no positive number while the link is down.
      speed: Math.max(0, Number(contentOf(`/sys/class/net/${name}/speed`))) || undefined,
    });
  }
  if (found.length > 0) return found;
  const ipv4 = { address: '127.0.0.1', prefix: 8, gateway: undefined };
  return [{ name: 'lo', mac: machineMac(), ipv4, ipv6: [], dhcp: false, speed: undefined }];
}

/** Bytes of memory. */
export const memory = () => ({ total: os.totalmem(), free: os.freemem() });

/** Seconds since the machine started. */
export const uptime = () => Math.floor(os.uptime());

/** The text of a system file; '' if it cannot be read. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Finds the file systems that hold the given folders. */
export class Disks {
  readonly #folders: readonly string[];
  readonly #calls: FileSystemCalls;
  readonly #timeoutMs: number;
  /** Queries in progress, by folder: a disk that hangs is not queried a second time. */
  readonly #queries = new Map<string, Promise<Disk | undefined>>();

  /** The folders need not exist yet. `timeoutMs`: milliseconds within which a disk must respond. */
  constructor(
    folders: readonly string[],
    {
      calls = { access, statfs },
      timeoutMs = 1000,
    }: { readonly calls?: FileSystemCalls; readonly timeoutMs?: number } = {},
  ) {
    this.#folders = folders;
    this.#calls = calls;
    this.#timeoutMs = timeoutMs;
  }

  /** Each file system once, without those that do not respond in time. */
  async all(): Promise<Disk[]> {
    const end = new AbortController();
    const late = wait(this.#timeoutMs, undefined, { signal: end.signal }).catch(() => undefined);
    const found = await Promise.all(this.#folders.map((folder) => Promise.race([this.#query(folder), late])));
    end.abort();
    const disks = new Map<string, Disk>();
    for (const disk of found) if (disk && !disks.has(disk.mount)) disks.set(disk.mount, disk);
    return [...disks.values()];
  }

  /** The disk of a folder. Concurrent calls share one query. */
  #query(folder: string): Promise<Disk | undefined> {
    const pending = this.#queries.get(folder);
    if (pending) return pending;
    const query = this.#diskOf(folder).finally(() => this.#queries.delete(folder));
    this.#queries.set(folder, query);
    return query;
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
      // A disk that was just removed is left out.
      return undefined;
    }
  }

  async #nearestExisting(folder: string): Promise<string> {
    let path = folder.replace(/(.)\/$/, '$1');
    const doesExist = (one: string) =>
      this.#calls.access(one).then(
        () => true,
        () => false,
      );
    while (path !== dirname(path) && !(await doesExist(path))) path = dirname(path);
    return path;
  }
}

/** Checks whether folders can be written to, without writing. */
export class WriteCheck {
  readonly #calls: FileSystemCalls;
  readonly #timeoutMs: number;
  /** Queries in progress, by folder: a second query of a disk that hangs would block another of Node's few threads. */
  readonly #queries = new Map<string, Promise<string>>();

  /** `timeoutMs`: milliseconds within which a disk must respond. */
  constructor({
    calls = { access, statfs },
    timeoutMs = 2000,
  }: { readonly calls?: FileSystemCalls; readonly timeoutMs?: number } = {}) {
    this.#calls = calls;
    this.#timeoutMs = timeoutMs;
  }

  /** The reason why a folder cannot be written to; '' if it can. */
  async trouble(folder: string): Promise<string> {
    const end = new AbortController();
    const late = wait(this.#timeoutMs, `${folder} does not respond`, { signal: end.signal }).catch(() => '');
    const trouble = await Promise.race([this.#query(folder), late]);
    end.abort();
    return trouble;
  }

  #query(folder: string): Promise<string> {
    const pending = this.#queries.get(folder);
    if (pending) return pending;
    const query = this.#troubleOf(folder).finally(() => this.#queries.delete(folder));
    this.#queries.set(folder, query);
    return query;
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
  // Without systemd, the host name is used.
  const id = contentOf('/etc/machine-id') || os.hostname();
  const digest = createHash('sha256').update(`receiverd ${id}`).digest('hex');
  return `02:${(digest.slice(0, 10).match(/../g) ?? []).join(':')}`;
}

/** Whether one of the usual DHCP clients holds a lease for the interface. */
function hasLease(name: string): boolean {
  // Empty in a container without /sys: then only the lease files named after the interface count.
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
    // Little endian on all supported machines: the last byte comes first.
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
