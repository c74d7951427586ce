/** State that persists across restarts: volume, standby, current service, sleep timer, alarm. One small JSON file. */
import { existsSync } from 'node:fs';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { systemReason } from '../base/errors.ts';
import { FileRefused, readRegularFileSync, replaceFile } from '../base/files.ts';

const StateSchema = Type.Object({
  volume: Type.Integer({ minimum: 0, maximum: 100, default: 100 }),
  muted: Type.Boolean({ default: false }),
  standby: Type.Boolean({ default: false }),
  /** The machine shuts down once nothing needs it. */
  retiring: Type.Boolean({ default: false }),
  /** Service reference of the current service; '' if none was ever selected. */
  currentService: Type.String({ default: '' }),
  sleepTimer: Type.Object(
    {
      enabled: Type.Boolean({ default: false }),
      /** The last setting, 0 to 999. */
      minutes: Type.Integer({ minimum: 0, maximum: 999, default: 30 }),
      action: Type.Unsafe<'standby' | 'shutdown'>({
        type: 'string',
        enum: ['standby', 'shutdown'],
        default: 'standby',
      }),
      /** Unix seconds at which it acts. */
      end: Type.Integer({ default: 0 }),
    },
    { default: {} },
  ),
  /** The alarm set last. */
  wakeUp: Type.Object(
    {
      /** Unix seconds at which it goes off; 0 if none was set. */
      alarm: Type.Integer({ default: 0 }),
      /** Begin of the timer for which it was set, in Unix seconds. */
      begin: Type.Integer({ default: 0 }),
    },
    { default: {} },
  ),
});

export type State = Type.Static<typeof StateSchema>;

export class DeviceState {
  readonly #path: string;
  readonly #onError: (error: Error) => void;
  #state: State;
  /** Contents of the file; undefined if writing it has failed. */
  #stored: State | undefined;
  /** Set while the file is being written. */
  #writing: Promise<void> | undefined;

  /**
   * Reads `path`. The defaults apply if the file is missing or cannot be used; `onDamage` is called in the latter case
   * with the reason, which continues a sentence that begins with the name of the file.
   * `onError` is called if the file cannot be written; the state then stays in memory.
   */
  constructor(
    path: string,
    {
      onError = () => undefined,
      onDamage,
    }: { onError?: (error: Error) => void; onDamage?: (reason: string) => void } = {},
  ) {
    this.#path = path;
    this.#onError = onError;
    const stored = read(path);
    if (typeof stored === 'string') onDamage?.(stored);
    this.#state = typeof stored === 'object' ? stored : (Value.Default(StateSchema, {}) as State);
    this.#stored = this.#state;
  }

  get(): Readonly<State> {
    return this.#state;
  }

  /**
   * Changes some values. Returns whether anything has changed. The file is written in the background; changes made
   * during a write go together into the next one.
   */
  set(change: Partial<State>): boolean {
    const next = { ...this.#state, ...change };
    if (Value.Equal(next, this.#state)) return false;
    this.#state = next;
    this.#writing ??= this.#write();
    return true;
  }

  /** Resolves when all changes so far are on the disk; retries once if writing had failed. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#stored !== this.#state) await this.#write();
  }

  async #write(): Promise<void> {
    // All changes made in the same iteration of the event loop go into one write.
    await Promise.resolve();
    while (this.#stored !== this.#state) {
      const state = this.#state;
      try {
        await replaceFile(this.#path, Buffer.from(`${JSON.stringify(state, null, 2)}\n`));
        this.#stored = state;
      } catch (error) {
        this.#stored = undefined;
        this.#onError(error as Error);
        break;
      }
    }
    this.#writing = undefined;
  }
}

/** The state in a file, or the reason why it cannot be used; undefined if there is none. */
function read(path: string): State | string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const defaults = Value.Default(StateSchema, {}) as State;
    const stored = { ...defaults, ...(JSON.parse(readRegularFileSync(path).toString()) as object) };
    return Value.Check(StateSchema, stored) ? stored : 'is damaged';
  } catch (error) {
    if (error instanceof SyntaxError) return 'is damaged';
    return error instanceof FileRefused ? error.message : `cannot be read (${systemReason(error)})`;
  }
}
