/**
 * The `settings` file of an Enigma2 folder: lines `config.KEY=VALUE`, only for values that differ from the default. It
 * is read at the start and on request. Changes are written at once and atomically. Unsupported keys, and lines that are
 * not a setting, stay in the file.
 */
import { isUtf8 } from 'node:buffer';
import { fail } from '../base/errors.ts';
import { readRegularFile, readRegularFileSync, replaceFile, unwritable } from '../base/files.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { isDefault, isYes, type KnownSetting, knownSetting, plainKey, storedText } from './enigma2-setting-keys.ts';

/** The content of a settings file. */
interface Content {
  readonly stored: ReadonlyMap<string, string>;
  /** Comments and other lines that are not a setting, in the order of the file. */
  readonly others: readonly string[];
  /** Old files may have names in ISO 8859-1, which are written back as they were. */
  readonly encoding: 'utf8' | 'latin1';
}

const nothing: Content = { stored: new Map(), others: [], encoding: 'utf8' };

export class Settings {
  readonly #path: string | undefined;
  #content: Content;
  /** Serialises changes. */
  readonly #serially = serialQueue();

  private constructor(content: Content, path?: string) {
    this.#content = content;
    this.#path = path;
  }

  /** Reads the file; one that is missing or unreadable counts as empty. Lines that are not a setting are ignored. */
  static read(path: string): Settings {
    try {
      return new Settings(parsed(readRegularFileSync(path)), path);
    } catch {
      return new Settings(nothing, path);
    }
  }

  /** Parses settings that are not in a file. */
  static parse(text: string): Settings {
    return new Settings(parsed(Buffer.from(text)));
  }

  /** Rereads the file; a missing one counts as empty, one that cannot be read changes nothing. */
  async reload(): Promise<void> {
    if (this.#path === undefined) return;
    this.#content = await readContent(this.#path).catch(() => this.#content);
  }

  /** The stored value, else the default, else empty. */
  get(key: string): string {
    return this.#content.stored.get(key) ?? knownSetting(key)?.default ?? '';
  }

  /** Like `get`, as an integer; the default if the stored text is not a number. */
  number(key: string): number {
    const value = Number.parseInt(this.get(key), 10);
    return Number.isNaN(value) ? Number.parseInt(knownSetting(key)?.default ?? '0', 10) : value;
  }

  /** True for the values that Enigma2 accepts as yes: `1`, `enable`, `on`, `true`, `yes` in any case. */
  isOn(key: string): boolean {
    return isYes(this.get(key));
  }

  /** The value as a number, boolean or string, according to the kind of the setting. */
  value(key: string): unknown {
    const kind = knownSetting(key)?.kind;
    if (kind === 'yesNo') return this.isOn(key);
    return kind === 'integer' ? this.number(key) : this.get(key);
  }

  /** All stored settings, in the order of the file. */
  get stored(): Iterable<readonly [key: string, value: string]> {
    return this.#content.stored;
  }

  /**
   * Changes a setting at a client's request and writes the file; changes that other programs have made in the file are
   * kept. Returns the values after and before. @throws ReceiverError `setting-unknown`, `setting-refused`,
   * `parameter-empty`, `file-unreadable`, `file-unwritable`
   */
  async change(key: string, value: string): Promise<{ readonly value: string; readonly oldValue: string }> {
    const plain = plainKey(key);
    const setting = knownSetting(plain);
    if (setting === undefined) throw fail('setting-unknown', key);
    if (!setting.writable) throw fail('setting-refused', plain, 'cannot be changed over the network');
    return this.#store(plain, setting, storedText(plain, setting, value));
  }

  /**
   * Changes any setting on behalf of the receiver itself. `text`: the value in stored form.
   * @throws ReceiverError like `change`
   */
  async keep(key: string, text: string): Promise<void> {
    const setting = knownSetting(key);
    if (setting === undefined) throw fail('setting-unknown', key);
    await this.#store(key, setting, text);
  }

  /**
   * Replaces all settings by what `change` returns, on behalf of the receiver itself.
   * @throws ReceiverError like `change`
   */
  async rewrite(change: (stored: ReadonlyMap<string, string>) => ReadonlyMap<string, string>): Promise<void> {
    await this.#serially(async () => {
      const content = this.#path === undefined ? this.#content : await readContent(this.#path);
      const next = { ...content, stored: change(content.stored) };
      if (this.#path !== undefined) {
        const bytes = Buffer.from(settingsText(next.stored, content.others), content.encoding);
        await replaceFile(this.#path, bytes).catch(unwritable('settings'));
      }
      this.#content = next;
    });
  }

  async #store(
    key: string,
    setting: KnownSetting,
    text: string,
  ): Promise<{ readonly value: string; readonly oldValue: string }> {
    let oldValue = setting.default;
    await this.rewrite((before) => {
      oldValue = before.get(key) ?? setting.default;
      const stored = new Map(before);
      if (isDefault(setting, text)) stored.delete(key);
      else stored.set(key, text);
      return stored;
    });
    return { value: text, oldValue };
  }
}

/** Formats the file: comments first, then the settings in order of their names. */
export function settingsText(stored: ReadonlyMap<string, string>, others: readonly string[] = []): string {
  const lines = [...stored].sort(([a], [b]) => byName(a, b)).map(([key, value]) => `${key}=${value}`);
  return [...others, ...lines].map((line) => `${line}\n`).join('');
}

/** Compares keys as Enigma2 does: part by part, numbers by value, names case-insensitively. */
function byName(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = byPart(left[index] as string, right[index] as string);
    if (order !== 0) return order;
  }
  return left.length - right.length || (a < b ? -1 : 1);
}

function byPart(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return Number(a) - Number(b);
  if (left !== right) return left ? -1 : 1;
  const [low, high] = [a.toLowerCase(), b.toLowerCase()];
  return low === high ? 0 : low < high ? -1 : 1;
}

/** A missing file counts as empty. @throws ReceiverError `file-unreadable` */
async function readContent(path: string): Promise<Content> {
  try {
    return parsed(await readRegularFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw fail('file-unreadable', 'settings', (error as Error).message);
  }
}

function parsed(bytes: Buffer): Content {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const stored = new Map<string, string>();
  const others: string[] = [];
  for (const line of bytes.toString(encoding).split('\n')) {
    const equals = line.indexOf('=');
    const isSetting = equals >= 0 && !line.trimStart().startsWith('#');
    if (isSetting) stored.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
    else if (line.trim() !== '') others.push(line.trimEnd());
  }
  return { stored, others, encoding };
}
