/** Facts about the machine that clients ask for: network interfaces, disks, memory, uptime. Read when asked, never polled. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { dirname } from 'node:path';

export interface NetworkInterface {
  readonly name: string;
  /** aa:bb:cc:dd:ee:ff */
  readonly mac: string;
  /** IPv4 address, '' when it has none. */
  readonly address: string;
  readonly netmask: string;
  /** Prefix length of the IPv4 network, 0 when there is no address. */
  readonly prefix: number;
  readonly gateway: string;
  /** First IPv6 address that is not link-local, or ''. */
  readonly address6: string;
}

export interface Disk {
  /** What the disk is called: the file system's device, or its kind. */
  readonly model: string;
  readonly mount: string;
  /** Bytes. */
  readonly capacity: number;
  /** Bytes an ordinary user may still write. */
  readonly free: number;
}

export interface Memory {
  /** Bytes. */
  readonly total: number;
  readonly free: number;
}

export class Host {
  readonly #folders: readonly string[];

  /** `folders`: the places whose disks are shown (recording locations). They need not exist yet. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /**
   * The interfaces that carry traffic, loopback left out. Never empty and never without a MAC address: in a container
   * without an interface one entry is made from the machine's id, because clients identify a receiver by it.
   */
  interfaces(): NetworkInterface[] {
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
        address: ipv4?.address ?? '',
        netmask: ipv4?.netmask ?? '',
        prefix: Number(ipv4?.cidr?.split('/')[1] ?? 0),
        gateway: gateways.get(name) ?? '',
        address6: outside.find((one) => one.family === 'IPv6' && !one.address.startsWith('fe80'))?.address ?? '',
      });
    }
    if (found.length > 0) return found;
    return [
      { name: 'lo', mac: machineMac(), address: '127.0.0.1', netmask: '255.0.0.0', prefix: 8, gateway: '', address6: '' },
    ];
  }

  /** The file systems that hold the folders, each once. */
  async disks(): Promise<Disk[]> {
    const mounts = mountPoints();
    const disks = new Map<string, Disk>();
    for (const folder of this.#folders) {
      const place = nearestExisting(folder);
      const mount = mounts.find((one) => place === one.folder || place.startsWith(`${one.folder.replace(/\/$/, '')}/`));
      const folderOfMount = mount?.folder ?? '/';
      if (disks.has(folderOfMount)) continue;
      try {
        const size = await statfs(place);
        disks.set(folderOfMount, {
          model: mount?.device ?? 'disk',
          mount: folderOfMount,
          capacity: size.blocks * size.bsize,
          free: size.bavail * size.bsize,
        });
      } catch {
        // A disk that was just taken away is not there: leave it out.
      }
    }
    return [...disks.values()];
  }

  memory(): Memory {
    return { total: os.totalmem(), free: os.freemem() };
  }

  /** Seconds since the machine started. */
  uptime(): number {
    return Math.floor(os.uptime());
  }

  get kernel(): string {
    return os.release();
  }

  get architecture(): string {
    return os.arch();
  }

  get hostname(): string {
    return os.hostname();
  }
}

/** A stable, locally administered MAC address (02:...) made from the machine's id. */
function machineMac(): string {
  let id = os.hostname();
  try {
    id = readFileSync('/etc/machine-id', 'utf8');
  } catch {
    // No systemd: the host's name has to do.
  }
  const digest = createHash('sha256').update(`receiverd ${id}`).digest('hex');
  return `02:${(digest.slice(0, 10).match(/../g) ?? []).join(':')}`;
}

/** Default gateway of each interface, from the kernel's IPv4 routing table. */
function defaultGateways(): Map<string, string> {
  const gateways = new Map<string, string>();
  let table: string;
  try {
    table = readFileSync('/proc/net/route', 'utf8');
  } catch {
    return gateways;
  }
  for (const line of table.split('\n').slice(1)) {
    const [name, destination, gateway] = line.split('\t');
    if (name === undefined || destination !== '00000000' || gateway === undefined) continue;
    // Little endian on every machine that matters: the last byte comes first.
    const bytes = gateway.match(/../g) ?? [];
    gateways.set(name, bytes.reverse().map((byte) => Number.parseInt(byte, 16)).join('.'));
  }
  return gateways;
}

/** Mount points, deepest first. */
function mountPoints(): { folder: string; device: string }[] {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([device, folder]) => device !== undefined && folder?.startsWith('/'))
      .map(([device = '', folder = '']) => ({ device, folder: unescapeMount(folder) }))
      .sort((a, b) => b.folder.length - a.folder.length);
  } catch {
    return [];
  }
}

/** /proc/mounts writes blanks and the like as three octal digits. */
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function nearestExisting(folder: string): string {
  let place = folder.replace(/(.)\/$/, '$1');
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}
