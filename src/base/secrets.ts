/**
 * Removes secrets from texts and settings before they are shown or logged. When in doubt, it removes too much: of a URL
 * it keeps only scheme and host, because IPTV providers put names and passwords into the path.
 */

/** Replaces a secret. */
export const redacted = '…';

/** Matches names of settings, header fields, options and parameters whose values are secrets. */
const secretName =
  /pass(?!thr|ive)|pwd|secret|token|cookie|credential|authori[sz]ation|hash|psk|kennwort|session(id|_id|$)|sessid|signature|licence|license|(access|api|auth|wpa|private|server|session|encryption|client|user)_?key|bearer|(^|[^a-z])(auth|key|wpa)\d*$|[a-z](Auth|Key)$/;
/** Matches names of options of mpv and ffmpeg whose values may hold header fields, logins or further options. */
const secretOption = /^-.*(header|user-agent|referrer|raw-options|script-opt|lavf-o|login|username)/;
/** Matches names of PINs: `pin`, and Enigma2's `servicepin.0`, `static_pin1`, `pincode`. */
const pinName = /(^|[^a-z])pins?\d*$|[a-z]pin(\.\d+)?$|pincode/;
/** Matches names of settings that hold several values, some of them secret. */
const secretSetting = /^(users?|accounts?|keys|userAgent)$/;

/** Matches names of settings that are commands: the program and its arguments. */
const commandSetting = /^command$|Command$|^(recording(Started|Ended|Failed)|timerAdded|conflict)$/;

const isPinName = (name: string) => [name, name.toLowerCase()].some((one) => pinName.test(one));

export const isSecretName = (name: string) =>
  isPinName(name) || secretOption.test(name) || [name, name.toLowerCase()].some((one) => secretName.test(one));

/** Shorter secrets are not searched for: as part of other words they would occur everywhere. */
const minSecretLength = 6;

/** A URL: scheme, and the rest. Colon and slashes may be percent-encoded, as in service references. */
const address = /(?<![a-z0-9+.-])([a-z0-9+.-]+)(?::|%3a)(?:\/\/|%2f%2f)([^\s"'<>|\\]*)/gi;
/** The character after host and port. */
const afterHost = /[/?#]|%2f|%3f|%23/i;

/** A name before its value: `name=`, `name: `, `"name":` and `\"name\":` (JSON inside a JSON string). */
const naming = /(?<![\w.-])([\w.-]+)\\?"?[ \t]*[=:][ \t]*/g;
/** A value: quoted, quoted inside a JSON string, or up to the end of the line, because some contain blanks. */
const value = /"(?:[^"\\\n]|\\.)*"|\\"(?:[^"\\\n]|\\[^"])*\\"|[^"&\n;}\]]*/y;

/** A text without anything that looks like a secret, and without the `known` secrets. */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const plain = withoutValues(text.replace(address, (_, scheme: string, rest: string) => withoutPath(scheme, rest)));
  const secrets = known.filter((secret) => secret.length >= minSecretLength);
  return secrets.reduce((all, secret) => all.replaceAll(secret, redacted), plain);
}

function withoutPath(scheme: string, rest: string): string {
  const end = rest.search(afterHost);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const host = authority.replace(/^.*(?:@|%40)/i, '').replaceAll(/%3a/gi, ':');
  const isAll = end < 0 || rest.slice(end) === '/';
  return `${scheme}://${host}${isAll ? '' : `/${redacted}`}`;
}

function withoutValues(text: string): string {
  let result = '';
  let done = 0;
  for (const { begin, secret } of secretValues(text)) {
    result += text.slice(done, begin) + (/^(\\?"){0,2}$/.test(secret) ? secret : redacted);
    done = begin + secret.length;
  }
  return result + text.slice(done);
}

/** The values whose name is that of a secret, and where they begin. */
function* secretValues(text: string): Generator<{ readonly begin: number; readonly secret: string }> {
  let done = 0;
  for (const { index, 0: named, 1: name = '' } of text.matchAll(naming)) {
    if (index < done || !isSecretName(name)) continue;
    const begin = index + named.length;
    value.lastIndex = begin;
    const [secret = ''] = value.exec(text) ?? [];
    yield { begin, secret };
    done = begin + secret.length;
  }
}

/**
 * A setting, or a tree of them, without secrets. All arguments of a command are removed: any of them may be one. Numbers
 * and switches are no secrets, except PINs.
 */
export function settingsWithoutSecrets(setting: unknown, name = ''): unknown {
  if (typeof setting === 'number' || typeof setting === 'boolean') return isPinName(name) ? redacted : setting;
  if (isSecretName(name) || secretSetting.test(name)) return isEmpty(setting) ? setting : redacted;
  if (typeof setting === 'string') return withoutSecrets(setting);
  if (Array.isArray(setting))
    return commandSetting.test(name) ? withoutArgumentsOf(setting) : withoutSecretParts(setting);
  if (typeof setting !== 'object' || setting === null) return setting;
  return Object.fromEntries(Object.entries(setting).map(([key, part]) => [key, settingsWithoutSecrets(part, key)]));
}

/** The program of a command, without the arguments of one that was written as one text. */
export const withoutArguments = (program: string) => program.replace(/\s.*/s, ` ${redacted}`);

const withoutArgumentsOf = ([program = '', ...others]: readonly unknown[]) => [
  withoutArguments(String(program)),
  ...others.map(() => redacted),
];

/** The parts of a list. A part may be the value of the option before it. */
const withoutSecretParts = (parts: readonly unknown[]) =>
  parts.map((part, index) => settingsWithoutSecrets(part, optionIn(parts[index - 1])));

/** The name of an option that is a part of its own: `-user-agent`. */
const optionIn = (part: unknown) => (typeof part === 'string' && /^-[^=\s]*$/.test(part) ? part : '');

const isEmpty = (setting: unknown) => setting === '' || (Array.isArray(setting) && setting.length === 0);

/** The secrets in the settings, to be searched for in other texts: values of secret settings, and those in texts. */
export function knownSecrets(setting: unknown, isSecret = false): readonly string[] {
  if (typeof setting === 'string') return isSecret ? [setting] : secretsIn(setting);
  if (Array.isArray(setting))
    return setting.flatMap((part, index) => knownSecrets(part, isSecret || isSecretName(optionIn(setting[index - 1]))));
  if (typeof setting !== 'object' || setting === null) return [];
  return Object.entries(setting).flatMap(([key, part]) =>
    knownSecrets(part, isSecret || isSecretName(key) || secretSetting.test(key)),
  );
}

/** Passwords in addresses, and values of secret options. */
function secretsIn(text: string): readonly string[] {
  const users = Array.from(text.matchAll(address), ([, , rest = '']) => /^([^/?#]*)@/.exec(rest)?.[1] ?? '');
  const values = Array.from(secretValues(text), ({ secret }) => secret);
  return [...users.flatMap((user) => user.split(':').slice(1)), ...values];
}
