/**
 * Leaves the secrets out of what is passed on. It takes away too much rather than too little: of an address, all but
 * scheme and host, since providers of IPTV put name and password into the path.
 */

/** Stands in the place of a secret. */
export const hidden = '…';

/** Names of settings, header fields, options and parameters whose values are secrets; in camel case or not. */
const secretName =
  /pass(?!thr|ive)|pwd|secret|token|cookie|credential|authori[sz]ation|hash|psk|kennwort|session|signature|licence|license|(access|api|auth|wpa|private|server)_?key|(^|[^a-z])(auth|pin|key|wpa)\d*$|[a-z](Auth|Pin|Key)$/;
/** As Enigma2 has them: `servicepin.0`, `pincode`. */
const pinName = /[a-z]pin(\.\d+)?$|pincode/;
/** Settings that may contain any. */
const secretSetting = /^(users?|accounts?|keys|userAgent)$/;

export const isSecretName = (name: string) =>
  [name, name.toLowerCase()].some((one) => secretName.test(one) || pinName.test(one));

/** Shorter texts occur everywhere. */
const shortest = 6;

/** With colon and slashes as they are, or as service references have them. */
const address = /(?<![a-z0-9+.-])([a-z0-9+.-]+)(?::|%3a)(?:\/\/|%2f%2f)([^\s"'<>|\\]*)/gi;
/** What ends host and port. */
const behindHost = /[/?#]|%2f|%3f|%23/i;

/** What stands before a value: `name=`, `name: `, `"name":`, and the last one inside of another text. */
const naming = /(?<![\w.-])([\w.-]+)\\?"?[ \t]*[=:][ \t]*/g;
/** A value: quoted, quoted inside of another text, or up to the end of the line, since some have blanks. */
const value = /"(?:[^"\\\n]|\\.)*"|\\"(?:[^"\\\n]|\\[^"])*\\"|[^"&\n;}\]]*/y;

/** A text without what looks like a secret, and without those that are known. */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const plain = withoutValues(text.replace(address, (_, scheme: string, rest: string) => withoutPath(scheme, rest)));
  const secrets = known.filter((secret) => secret.length >= shortest);
  return secrets.reduce((all, secret) => all.replaceAll(secret, hidden), plain);
}

function withoutPath(scheme: string, rest: string): string {
  const end = rest.search(behindHost);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const host = authority.replace(/^.*(?:@|%40)/i, '').replaceAll(/%3a/gi, ':');
  const isAll = end < 0 || rest.slice(end) === '/';
  return `${scheme}://${host}${isAll ? '' : `/${hidden}`}`;
}

function withoutValues(text: string): string {
  let result = '';
  let done = 0;
  for (const { index, 0: named, 1: name = '' } of text.matchAll(naming)) {
    if (index < done || !isSecretName(name)) continue;
    const begin = index + named.length;
    value.lastIndex = begin;
    const [secret = ''] = value.exec(text) ?? [];
    result += text.slice(done, begin) + (secret === '' ? '' : hidden);
    done = begin + secret.length;
  }
  return result + text.slice(done);
}

/** Settings without their secrets. The arguments of a command may be any. */
export function settingsWithoutSecrets(setting: unknown, name = ''): unknown {
  if (isSecretName(name) || secretSetting.test(name)) return isEmpty(setting) ? setting : hidden;
  if (typeof setting === 'string') return withoutSecrets(setting);
  if (Array.isArray(setting)) {
    const isCommand = name.endsWith('Command');
    return setting.map((part, index) => (isCommand && index > 0 ? hidden : settingsWithoutSecrets(part)));
  }
  if (typeof setting !== 'object' || setting === null) return setting;
  return Object.fromEntries(Object.entries(setting).map(([key, part]) => [key, settingsWithoutSecrets(part, key)]));
}

const isEmpty = (setting: unknown) => setting === '' || (Array.isArray(setting) && setting.length === 0);

/** Secrets that may also stand elsewhere: settings that are some, and passwords of the addresses in settings. */
export function knownSecrets(setting: unknown, isSecret = false): readonly string[] {
  if (typeof setting === 'string') return isSecret ? [setting] : passwordsIn(setting);
  if (typeof setting !== 'object' || setting === null) return [];
  return Object.entries(setting).flatMap(([key, part]) =>
    knownSecrets(part, isSecret || isSecretName(key) || secretSetting.test(key)),
  );
}

function passwordsIn(text: string): readonly string[] {
  const users = Array.from(text.matchAll(address), ([, , rest = '']) => /^([^/?#]*)@/.exec(rest)?.[1] ?? '');
  return users.flatMap((user) => user.split(':').slice(1));
}
