/** What the receiver remembers over a restart: volume, standby, the current service, the sleep timer, the alarm. One small JSON file. */
import { readFileSync } from 'node:fs';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { replaceFile } from '../files.ts';

const StateSchema = Type.Object({
  volume: Type.Integer({ minimum: 0, maximum: 100, default: 100 }),
  muted: Type.Boolean({ default: false }),
  standby: Type.Boolean({ default: false }),
  /** The machine goes down as soon as nothing needs it any more. */
  retiring: Type.Boolean({ default: false }),
  /** Service reference of the current service, '' when none was ever chosen. */
  currentService: Type.String({ default: '' }),
  sleepTimer: Type.Object(
    {
      enabled: Type.Boolean({ default: false }),
      /** As it was set last. */
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
  /** What the machine's alarm was set for last, in Unix seconds; 0 when it was not. */
  wakeUp: Type.Object(
    {
      alarm: Type.Integer({ default: 0 }),
      /** Begin of the timer that it is for. */
      begin: Type.Integer({ default: 0 }),
    },
    { default: {} },
  ),
});

export type State = Static<typeof StateSchema>;

export class DeviceState {
  readonly #path: string;
  readonly #onError: (error: Error) => void;
  #state: State;
  /** What is in the file; undefined when writing it has failed. */
  #stored: State | undefined;
  /** While the file is being written. */
  #writing: Promise<void> | undefined;

  /**
   * Reads `path`; a missing or damaged file gives the defaults (it holds nothing that cannot be set again). `onError` is told
   * when the file cannot be written; the receiver goes on with what it has in memory.
   */
  constructor(path: string, { onError = () => undefined }: { readonly onError?: (error: Error) => void } = {}) {
    this.#path = path;
    this.#onError = onError;
    this.#state = read(path);
    this.#stored = this.#state;
  }

  get(): Readonly<State> {
    return this.#state;
  }

  /**
   * Changes some values; gives whether anything is different then. The file follows in the background: what is changed while it
   * is being written goes into it together afterwards.
   */
  set(change: Partial<State>): boolean {
    const next = { ...this.#state, ...change };
    if (Value.Equal(next, this.#state)) return false;
    this.#state = next;
    this.#writing ??= this.#write();
    return true;
  }

  /** Resolves when everything that was changed so far is on the disk; what could not be written before is tried once more. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#stored !== this.#state) await this.#write();
  }

  async #write(): Promise<void> {
    // What the same turn of the event loop changes besides goes into the same file.
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

function read(path: string): State {
  const defaults = Value.Default(StateSchema, {}) as State;
  try {
    const stored = { ...defaults, ...(JSON.parse(readFileSync(path, 'utf8')) as object) };
    return Value.Check(StateSchema, stored) ? stored : defaults;
  } catch {
    return defaults;
  }
}
