/** Lists the settings of the running receiver, with their sources, and changes them in the configuration file. */
import { constants, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fail, ReceiverError, systemReason } from '../base/errors.ts';
import { createFolder, isBelow, keepDamaged, replaceFile, unwritable } from '../base/files.ts';
import { settingsWithoutSecrets } from '../base/secrets.ts';
import {
  type Configuration,
  type ConfigurationPart,
  ConfigurationSchema,
  changedSettings,
  defaultFile,
  isLive,
  loadConfiguration,
  settingSource,
  valueAt,
} from '../config/config.ts';
import { describedSetting, type SettingSchema } from '../config/configuration-check.ts';
import { ConfigurationFile, previousFile, realPath } from '../config/configuration-file.ts';
import { namesEnigma2, parseEnigma2Spec } from '../config/enigma2-spec.ts';
import type { Login } from '../enigma2/box.ts';
import type { ListedSetting, SettingsEditor } from '../host/host.ts';
import { LocationMounts } from '../recordings/library/mounts.ts';

interface SettingsEditorParts {
  /** The configuration file given on the command line; undefined: the one in the data folder. */
  readonly config: string | undefined;
  readonly flags: ConfigurationPart;
  /** The settings in effect. */
  readonly running: () => Configuration;
  /** Applies changed settings that need no restart. */
  readonly reload: () => void;
}

/** A setting that is not a group, with its full name, such as `guide.history`. */
type Leaf = readonly [name: string, schema: SettingSchema];

const leaves: readonly Leaf[] = leavesOf(ConfigurationSchema as unknown as SettingSchema);

function leavesOf({ properties = {} }: SettingSchema, prefix = ''): readonly Leaf[] {
  return Object.entries(properties).flatMap(([last, schema]): readonly Leaf[] =>
    schema.properties ? leavesOf(schema, `${prefix}${last}.`) : [[prefix + last, schema]],
  );
}

export class SettingsInFile implements SettingsEditor {
  readonly file: string;
  readonly #parts: SettingsEditorParts;
  /** Serialises the changes: each reads the file before it writes it. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: SettingsEditorParts) {
    this.#parts = parts;
    this.file = resolve(parts.config ?? defaultFile({ flags: parts.flags }));
  }

  /** Why the next start cannot use the file; empty if it can. */
  get trouble(): string {
    try {
      const file = this.#read();
      this.#load(file);
      return file.trouble;
    } catch (error) {
      return (error as Error).message;
    }
  }

  list(): readonly ListedSetting[] {
    const file = this.#read();
    const configuration = this.#load(file);
    const running = this.#parts.running();
    return leaves.map(([name, schema]) => {
      const value = valueAt(configuration, name);
      const inUse = valueAt(running, name);
      const isSecret = hasSecret([name, schema], configuration);
      return {
        ...describedSetting(name, schema),
        value: isSecret ? undefined : value,
        isSecret,
        source: settingSource(name, { file, flags: this.#parts.flags }),
        guard: this.#guard([name, schema], file),
        needsRestart: !isLive(name),
        isPending: !isLive(name) && !isDeepStrictEqual(value, inUse),
        running: hasSecret([name, schema], running) ? undefined : inUse,
      };
    });
  }

  change(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return this.#afterOthers(() => this.#change(changes));
  }

  async setBoxLogin(tuner: string, login: Login, check: () => Promise<void>): Promise<void> {
    await this.#afterOthers(() => this.#setBoxLogin(tuner, login, check));
  }

  #afterOthers<Result>(change: () => Promise<Result>): Promise<Result> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #change(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const file = this.#read();
    const before = this.#load(file);
    for (const [name, value] of Object.entries(changes)) {
      const leaf = leaves.find(([known]) => known === name);
      if (leaf === undefined) throw fail('setting-unknown', name);
      const guard = this.#guard(leaf, file) || (name === 'locations' ? await locationRefusal(value, before) : '');
      if (guard !== '') throw fail('setting-refused', name, guard);
    }
    return this.#write(file, before, changes);
  }

  async #setBoxLogin(tuner: string, login: Login, check: () => Promise<void>): Promise<void> {
    const file = this.#read();
    const before = this.#load(file);
    const name = 'enigma2.logins';
    // Otherwise the password could be sent anywhere.
    if (!namesEnigma2(tuner) || !before.tuners.includes(tuner))
      throw fail('setting-refused', name, `is only for boxes that the setting tuners names; it does not name ${tuner}`);
    const fixed = this.#fixedBy(name, file);
    if (fixed !== '') throw fail('setting-refused', name, fixed);
    await check();
    const { host } = parseEnigma2Spec(tuner);
    const others = before.enigma2.logins.filter((one) => one.host !== host);
    await this.#write(file, before, { [name]: [...others, { host, ...login }] });
  }

  /** Checks the file with changed settings, and writes it. Returns the names of those that take effect after a restart. */
  async #write(
    file: ConfigurationFile,
    before: Configuration,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<readonly string[]> {
    const text = file.changed(Object.entries(changes).map(([name, value]) => ({ path: name.split('.'), value })));
    const bytes = Buffer.from(text);
    const next = this.#checked(bytes.toString());
    for (const { name, server, addressOf, secrets } of keyedAddresses) {
      const kept = secrets.filter((secret) => valueAt(next, secret) !== '' && !(secret in changes));
      if (kept.length > 0 && addressOf(next) !== '' && addressOf(next) !== addressOf(before))
        throw fail('setting-refused', name, `names another ${server}, which needs ${kept.join(' and ')} once more`);
    }
    const mounts = new LocationMounts(next.dataDir);
    for (const folder of next.locations) if (!before.locations.includes(folder)) await prepareLocation(folder, mounts);
    await this.#replace(file, bytes, next).catch(unwritable(this.file));
    const { later } = changedSettings(this.#parts.running(), next);
    this.#parts.reload();
    return later;
  }

  /**
   * Replaces the file, after keeping a backup copy for a start that cannot read the new one.
   * @throws the system's error
   */
  async #replace(before: ConfigurationFile, bytes: Buffer, next: Configuration): Promise<void> {
    const target = realPath(this.file);
    const isPrivate = leaves.some((leaf) => hasSecret(leaf, next));
    const mode = modeOf(target) & (isPrivate ? 0o770 : 0o777);
    if (before.trouble !== '') await keepDamaged(target);
    else if (!isMissing(target)) await replaceFile(previousFile(target), Buffer.from(before.text), mode);
    await replaceFile(target, bytes, mode);
  }

  /** Why a setting cannot be changed; empty if it can. */
  #guard([name, { fileOnly }]: Leaf, file: ConfigurationFile): string {
    const fixed = this.#fixedBy(name, file);
    return fixed || fileOnly === undefined ? fixed : `${fileOnly}, which only the file itself can change`;
  }

  #fixedBy(name: string, file: ConfigurationFile): string {
    const source = settingSource(name, { file, flags: this.#parts.flags });
    if (source === 'flag') return 'is given on the command line, which the file cannot change';
    if (source === 'environment') return 'is given by the environment, which the file cannot change';
    return '';
  }

  /** Reads the file; a missing one counts as empty. */
  #read(): ConfigurationFile {
    return isMissing(this.file) ? new ConfigurationFile(this.file, '') : ConfigurationFile.open(this.file);
  }

  #load(file: ConfigurationFile): Configuration {
    return loadConfiguration({ file, flags: this.#parts.flags });
  }

  /** Loads the configuration from a text. @throws ReceiverError `setting-invalid` with a line for each problem */
  #checked(text: string): Configuration {
    try {
      return this.#load(new ConfigurationFile(this.file, text));
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      const places = error.message.split('\n').map((line) => line.replace(`${this.file}:`, '').replace(/^\d+: /, ''));
      throw fail('setting-invalid', places.join('\n'));
    }
  }
}

/**
 * Why these recording folders are not allowed; empty if they are. Every client can read the files in a recording
 * folder.
 */
async function locationRefusal(value: unknown, { locations, locationRoots }: Configuration): Promise<string> {
  const roots = [...locations, ...locationRoots];
  for (const folder of Array.isArray(value) ? value : []) {
    // Other types are refused later, as invalid values.
    if (typeof folder !== 'string') continue;
    if (!locations.includes(`${resolve(folder)}/`) && !(await isBelow(folder, roots)))
      return `(${folder}) must be below a recording folder, or below a folder that locationRoots names in the file`;
  }
  return '';
}

/** Creates a recording folder if needed. @throws ReceiverError `setting-invalid` if it cannot be created or written */
async function prepareLocation(folder: string, mounts: LocationMounts): Promise<void> {
  const mount = await mounts.missingMountAbove(folder);
  if (mount !== undefined)
    throw fail('setting-invalid', `locations: ${folder} cannot be used: ${mount} is not mounted`);
  try {
    await createFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw fail('setting-invalid', `locations: ${folder} cannot be used: ${systemReason(error)}`);
  }
}

/** Whether a setting is, or contains, a secret. */
function hasSecret([name, schema]: Leaf, configuration: Configuration): boolean {
  const value = valueAt(configuration, name);
  const shown = settingsWithoutSecrets(value, name.split('.').at(-1));
  return !isDeepStrictEqual(value, schema.default) && !isDeepStrictEqual(shown, value);
}

/** Addresses of servers, empty if there is none, and the secrets that they get. */
const keyedAddresses: readonly {
  readonly name: string;
  readonly server: string;
  readonly addressOf: (configuration: Configuration) => string;
  readonly secrets: readonly string[];
}[] = [
  {
    name: 'mqtt.url',
    server: 'broker',
    addressOf: ({ mqtt: { url } }) => url.replace(/\/$/, ''),
    secrets: ['mqtt.password'],
  },
  {
    name: 'notifications.url',
    server: 'server',
    addressOf: ({ notifications: { service, url } }) => (service === 'none' ? '' : `${service} ${url}`),
    secrets: ['notifications.token', 'notifications.user'],
  },
];

function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

/** The permissions of a file; of a new one only for its owner, because a setting may be a secret. */
const modeOf = (path: string) => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
