/** The identity of the server on the network, kept across restarts in a small JSON file. */
import { randomUUID } from 'node:crypto';
import { readRegularFileSync, replaceFile } from '../base/files.ts';

export interface Identity {
  readonly uuid: string;
  /** Increases with each start. */
  readonly bootId: number;
  /** From 1; unique among the servers on the network. */
  readonly deviceId: number;
}

export class IdentityFile {
  readonly #path: string;
  #identity: Identity;

  /** If the file is missing or damaged, a new identity is created. */
  constructor(path: string) {
    this.#path = path;
    this.#identity = read(path) ?? { uuid: randomUUID(), bootId: 0, deviceId: 1 };
  }

  get current(): Identity {
    return this.#identity;
  }

  /**
   * Changes and saves it. @throws ReceiverError `file-unwritable`, `disk-full`; the change is in effect nevertheless
   */
  async change(part: Partial<Identity>): Promise<void> {
    this.#identity = { ...this.#identity, ...part };
    await replaceFile(this.#path, Buffer.from(`${JSON.stringify(this.#identity)}\n`));
  }
}

function read(path: string): Identity | undefined {
  try {
    const { uuid, bootId, deviceId } = JSON.parse(readRegularFileSync(path).toString()) as Partial<
      Record<string, unknown>
    >;
    if (typeof uuid !== 'string' || !/^[0-9a-f-]{36}$/.test(uuid)) return undefined;
    const number = (value: unknown, fallback: number) => (Number.isSafeInteger(value) ? Number(value) : fallback);
    return { uuid, bootId: number(bootId, 0), deviceId: number(deviceId, 1) };
  } catch {
    return undefined;
  }
}
