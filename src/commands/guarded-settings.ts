/**
 * Settings that reach beyond the receiver, and who may change them over the network. Without accounts, whoever is at home
 * may do everything with the receiver; that must not become the rights of its process over the machine.
 */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** What is run as a program: nobody. */
const programs: ReadonlySet<string> = new Set([
  'power.shutdownCommand',
  'power.rebootCommand',
  'mpv.path',
  'mpv.options',
  'conversion.path',
]);

/** Texts that reach no further than the receiver. Any other may name a folder, a host or who may in. */
const harmlessTexts: ReadonlySet<string> = new Set([
  'locations',
  'tuners',
  'name',
  'timeZone',
  'languages',
  'satip.server.satellites',
  'iptv.interface',
  'iptv.userAgent',
  'cleaning.keepTag',
]);

/** Numbers, words and switches that open a door. */
const doors = /^(evil|access\..*|tls\..*|power\.shutdown|remote\.uinput)$/;

const needsUser = 'can be changed by those who have logged in only: set a password first';

interface GuardedSetting {
  readonly name: string;
  /** Or a list of texts. */
  readonly isText: boolean;
}

/** Why nobody with these rights may change a setting over the network, to whatever value; empty if they may. */
export function guardOf({ name, isText }: GuardedSetting, hasLoggedIn: boolean): string {
  if (programs.has(name)) return 'names a program to run, which only the file itself can change';
  return !hasLoggedIn && (isText ? !harmlessTexts.has(name) : doors.test(name)) ? needsUser : '';
}

/** Why they may not change a setting that they may change to this value; empty if they may. `before`: its present value. */
export function guardOfValue(name: string, value: unknown, before: unknown, hasLoggedIn: boolean): string {
  if (hasLoggedIn) return '';
  const known = new Set(Array.isArray(before) ? before.map(String) : []);
  const added = (Array.isArray(value) ? value : []).map(String).filter((one) => !known.has(one));
  if (name === 'tuners' && added.some((tuner) => tuner.startsWith('file:'))) return `(a file) ${needsUser}`;
  if (name !== 'locations') return '';
  const full = added.find((folder) => !known.has(`${resolve(folder)}/`) && !isNewOrEmpty(folder));
  return full === undefined ? '' : `(${full}) must be a new or empty folder; another one ${needsUser}`;
}

/** What is in a folder of recordings can be read by everybody. */
function isNewOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
