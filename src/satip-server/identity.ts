/** Who the server is on the network, across restarts: a small JSON file. */
import { randomUUID } from 'node:crypto';
import { readRegularFileSync, replaceFile } from '../base/files.ts';

export interface Identity {
  readonly uuid: string;
  /** Goes up with each start. */
  readonly bootId: number;
  /** From 1; other than that of every other server of the network. */
  readonly deviceId: number;
}

export class IdentityFile {
  readonly #path: string;
  #identity: Identity;

  /** A missing or damaged file gives a new identity. */
  constructor(path: string) {
    this.#path = path;
    this.#identity = read(path) ?? { uuid: randomUUID(), bootId: 0, deviceId: 1 };
  }

  get current(): Identity {
    return this.#identity;
  }

  /** @throws ReceiverError `file-unwritable`, `disk-full`; it counts nevertheless */
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
    const number = (value: unknown, otherwise: number) => (Number.isSafeInteger(value) ? Number(value) : otherwise);
    return { uuid, bootId: number(bootId, 0), deviceId: number(deviceId, 1) };
  } catch {
    return undefined;
  }
}
