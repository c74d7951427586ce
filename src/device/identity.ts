/** How the receiver identifies itself to clients. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../base/package.ts';
import { contentOf } from './host.ts';

const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { readonly version: string };
/** The date of `version`. It changes together with package.json and the newest heading of CHANGELOG.md. */
const released = '2026-11-21';

/**
 * The texts are never empty, and short, because clients copy them into small buffers. `model`: the configured device
 * name.
 */
export function deviceIdentity(model: string) {
  return {
    brand: 'receiverd',
    model,
    chipset: os.arch(),
    /** The version of receiverd, `0.1.0`, and its date, `2026-11-21`. */
    version,
    released,
    /** The operating system, `Debian GNU/Linux 12 (bookworm)`, and the release of its kernel. */
    system: operatingSystem().slice(0, 60),
    kernel: os.release().slice(0, 40),
  };
}

export type DeviceIdentity = ReturnType<typeof deviceIdentity>;

function operatingSystem(): string {
  // Some set-top boxes do not have the file.
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(contentOf('/etc/os-release'))?.[1] ?? os.type();
}
