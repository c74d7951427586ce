/**
 * The `settings` file of an Enigma2 folder: one `key=value` a line below `config`, only what differs from its default. Read at the
 * start; unknown keys are kept.
 */
import { readFileSync } from 'node:fs';

/** Defaults of the keys that this receiver reads. */
const defaults: Readonly<Record<string, string>> = {
  'config.recording.margin_before': '3',
  'config.recording.margin_after': '5',
};

export class Settings {
  readonly #stored: ReadonlyMap<string, string>;

  private constructor(stored: ReadonlyMap<string, string>) {
    this.#stored = stored;
  }

  /** Reads the file; one that is not there holds nothing. Lines that are no setting are passed over. */
  static read(path: string): Settings {
    try {
      return Settings.parse(readFileSync(path, 'utf8'));
    } catch {
      return Settings.parse('');
    }
  }

  static parse(text: string): Settings {
    const stored = new Map<string, string>();
    for (const line of text.split('\n')) {
      const equals = line.indexOf('=');
      if (equals < 0 || line.trimStart().startsWith('#')) continue;
      stored.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
    }
    return new Settings(stored);
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

  /** Everything stored, in the order of the file. */
  get stored(): Iterable<readonly [key: string, value: string]> {
    return this.#stored;
  }
}
