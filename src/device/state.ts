/** What the receiver remembers over a restart: volume, standby, the current service. One small JSON file. */
import { readFileSync } from 'node:fs';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { writeFileAtomically } from '../files.ts';

const StateSchema = Type.Object({
  volume: Type.Integer({ minimum: 0, maximum: 100, default: 100 }),
  muted: Type.Boolean({ default: false }),
  standby: Type.Boolean({ default: false }),
  /** Service reference of the current service, '' when none was ever chosen. */
  currentService: Type.String({ default: '' }),
});

export type State = Static<typeof StateSchema>;

export class DeviceState {
  readonly #path: string;
  #state: State;

  /** Reads `path`; a missing or damaged file gives the defaults (it holds nothing that cannot be set again). */
  constructor(path: string) {
    this.#path = path;
    this.#state = read(path);
  }

  get(): Readonly<State> {
    return this.#state;
  }

  /** Changes some values and writes the file when anything differs. */
  set(change: Partial<State>): void {
    const next = { ...this.#state, ...change };
    if (Value.Equal(next, this.#state)) return;
    this.#state = next;
    writeFileAtomically(this.#path, `${JSON.stringify(next, null, 2)}\n`);
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
