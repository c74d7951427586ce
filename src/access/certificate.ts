/** The certificate of the HTTPS ports: given, or made at the first start; read again when its file changes. */
import { type FSWatcher, watch } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { Configuration } from '../config.ts';
import { reachableAddresses } from '../discovery/network.ts';
import { fail, systemReason } from '../errors.ts';
import { exists, readRegularFile, replaceFile } from '../files.ts';
import { Listeners } from '../listeners.ts';
import { selfSigned } from './self-signed.ts';

/** Bound in bytes of each file; a chain takes some thousand. */
const largest = 1 << 20;

/** Milliseconds without a change after which the files are read: those who renew them write one after the other. */
const settled = 1000;

/** Milliseconds after which they are read in any case: changes behind links, and on network disks, are not told. */
const atLatest = 3_600_000;

/** PEM, as node:https takes it. */
export interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Options = Pick<Configuration, 'dataDir' | 'bind' | 'tls'>;

export class Certificate {
  readonly #files: readonly [certificate: string, key: string];
  readonly #log: Logger;
  readonly #changed = new Listeners<[CertificateAndKey]>();
  /** Calls `listener` with each new certificate. */
  readonly onChange = this.#changed.add;
  #current: CertificateAndKey;
  #watchers: readonly FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hourly: NodeJS.Timeout | undefined;

  private constructor(files: readonly [string, string], current: CertificateAndKey, log: Logger) {
    this.#files = files;
    this.#current = current;
    this.#log = log;
  }

  /**
   * Reads the files that the configuration names; without any, those in the data folder, which are made if there are
   * none.
   * @throws ReceiverError `file-unreadable` if they are missing, or no certificate and its key
   */
  static async open(options: Options, log: Logger): Promise<Certificate> {
    const files = filesOf(options);
    if (options.tls.certificate === '' && !(await exists(files[0]))) await make(files, options.bind);
    return new Certificate(files, await read(files), log);
  }

  get current(): CertificateAndKey {
    return this.#current;
  }

  /** Watches the folders of the files: those who renew certificates replace links and files. */
  start(): void {
    this.#hourly = setInterval(() => void this.#readAgain(), atLatest).unref();
    const folders = new Set(this.#files.map((file) => dirname(file)));
    this.#watchers = [...folders].flatMap((folder) => this.#watch(folder));
  }

  /** None if the system has no more of them. */
  #watch(folder: string): FSWatcher[] {
    const complain = (error: Error) => this.#log.warn(`${folder} is not watched: ${systemReason(error)}`);
    const changed = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#readAgain(), settled).unref();
    };
    try {
      return [watch(folder, { persistent: false }, changed).on('error', complain)];
    } catch (error) {
      complain(error as Error);
      return [];
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#hourly);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  async #readAgain(): Promise<void> {
    try {
      const next = await read(this.#files);
      if (next.cert.equals(this.#current.cert) && next.key.equals(this.#current.key)) return;
      this.#current = next;
      this.#changed.call(next);
      this.#log.info(`the certificate ${this.#files[0]} was read again`);
    } catch (error) {
      this.#log.error(`the certificate is as before: ${(error as Error).message}`);
    }
  }
}

function filesOf({ dataDir, tls: { certificate, key } }: Options): readonly [string, string] {
  if (certificate !== '') return [certificate, key];
  const own = join(dataDir, 'tls');
  return [join(own, 'certificate.pem'), join(own, 'key.pem')];
}

async function make([certificatePath, keyPath]: readonly [string, string], bind: string): Promise<void> {
  const name = hostname();
  const addresses = [...new Set(['127.0.0.1', '::1', ...reachableAddresses(bind)])];
  const { certificate, key } = selfSigned(`receiverd on ${name}`, ['localhost', name, `${name}.local`, ...addresses]);
  await replaceFile(keyPath, Buffer.from(key), 0o600);
  await replaceFile(certificatePath, Buffer.from(certificate));
}

async function read([certificatePath, keyPath]: readonly [string, string]): Promise<CertificateAndKey> {
  const [cert, key] = await Promise.all([contentOf(certificatePath), contentOf(keyPath)]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw fail(
      'file-unreadable',
      certificatePath,
      `it is no certificate with the key ${keyPath}: ${(error as Error).message}`,
    );
  }
  return { cert, key };
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, largest);
  } catch (error) {
    throw fail('file-unreadable', path, systemReason(error));
  }
}
