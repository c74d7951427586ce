/** The identity that the receiver reports. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../package.ts';

export interface DeviceIdentity {
  readonly brand: string;
  readonly model: string;
  readonly chipset: string;
  /** The release of receiverd, `0.1.0`. */
  readonly version: string;
  /** Date of that release, `2026-11-21`. */
  readonly released: string;
  /** Operating system, `Debian GNU/Linux 12 (bookworm)`, and its kernel's release. */
  readonly system: string;
  readonly kernel: string;
}

const release = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly released: string;
};

/**
 * None of the texts is empty, and together they stay short: clients copy them into small buffers. `model` is the
 * configured device name.
 */
export function deviceIdentity(model: string): DeviceIdentity {
  return {
    brand: 'receiverd',
    model,
    chipset: os.arch(),
    version: release.version,
    released: release.released,
    system: operatingSystem().slice(0, 60),
    kernel: os.release().slice(0, 40),
  };
}

function operatingSystem(): string {
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    if (name) return name;
  } catch {
    // Not every set-top box has the file.
  }
  return os.type();
}
