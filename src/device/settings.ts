/**
 * The `settings` file of an Enigma2 folder: one `key=value` a line below `config`, only what differs from its default. Read at the
 * start and when it is asked for; unknown keys are kept.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Defaults of the keys that this receiver reads. */
const defaults: Readonly<Record<string, string>> = {
  'config.recording.margin_before': '3',
  'config.recording.margin_after': '5',
  'config.ParentalControl.age': '18',
};

export class Settings {
  readonly #path: string | undefined;
  #stored: ReadonlyMap<string, string>;

  private constructor(text: string, path?: string) {
    this.#stored = parsed(text);
    this.#path = path;
  }

  /** Reads the file; one that is not there holds nothing. Lines that are no setting are passed over. */
  static read(path: string): Settings {
    try {
      return new Settings(readFileSync(path, 'utf8'), path);
    } catch {
      return new Settings('', path);
    }
  }

  static parse(text: string): Settings {
    return new Settings(text);
  }

  /** Reads the file again; one that is not there any more holds nothing. */
  async reload(): Promise<void> {
    if (this.#path === undefined) return;
    this.#stored = parsed(await readFile(this.#path, 'utf8').catch(() => ''));
  }

  /** What is stored, else the default, else empty. */
  get(key: string): string {
    return this.#stored.get(key) ?? defaults[key] ?? '';
  }

  /** As `get`, as a whole number; the default where the stored text is none. */
  number(key: string): number {
    const value = Number.parseInt(this.get(key), 10);
    return Number.isNaN(value) ? Number.parseInt(defaults[key] ?? '0', 10) : value;
  }

  /** True for what Enigma2 takes for yes: `1`, `enable`, `on`, `true`, `yes` in any case. */
  isOn(key: string): boolean {
    return /^(?:1|enable|on|true|yes)$/i.test(this.get(key));
  }

  /** Everything stored, in the order of the file. */
  get stored(): Iterable<readonly [key: string, value: string]> {
    return this.#stored;
  }
}

function parsed(text: string): ReadonlyMap<string, string> {
  const stored = new Map<string, string>();
  for (const line of text.split('\n')) {
    const equals = line.indexOf('=');
    if (equals < 0 || line.trimStart().startsWith('#')) continue;
    stored.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return stored;
}
