/**
 * The certificate of the HTTPS ports: given, or made at the first start and renewed before its end; read again when its
 * file changes.
 */
import { X509Certificate } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { type Clock, earliestTime, type UnixSeconds } from '../base/clock.ts';
import { fail, systemReason } from '../base/errors.ts';
import { exists, readRegularFile, replaceFile } from '../base/files.ts';
import { Listeners } from '../base/listeners.ts';
import { reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';
import { selfSigned, validity } from './self-signed.ts';

/** Bound in bytes of each file; a chain takes some thousand. */
const largest = 1 << 20;

/** Milliseconds without a change after which the files are read: those who renew them write one after the other. */
const settled = 1000;

/** Milliseconds after which they are read in any case: changes behind links, and on network disks, are not told. */
const atLatest = 3_600_000;

/** Seconds before its end at which the receiver's own certificate is renewed. */
const renewedBefore = 30 * 86_400;

/** Milliseconds between looks at whether it has to be: the clock of a box is often set only after the start. */
const pace = 60_000;

/** What the subject of the receiver's own certificates begins with. */
const ownSubject = 'receiverd on ';

/** PEM, as node:https takes it. */
export interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Options = Pick<Configuration, 'dataDir' | 'bind' | 'tls'>;

export interface CertificateParts {
  /** The time of the clients. */
  readonly clock: Clock;
  readonly log: Logger;
}

export class Certificate {
  readonly #options: Options;
  readonly #files: readonly [certificate: string, key: string];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #changed = new Listeners<[CertificateAndKey]>();
  /** Calls `listener` with each new certificate. */
  readonly onChange = this.#changed.add;
  #current: CertificateAndKey;
  #watchers: readonly FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hourly: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;

  private constructor(options: Options, current: CertificateAndKey, { clock, log }: CertificateParts) {
    this.#options = options;
    this.#files = filesOf(options);
    this.#current = current;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Reads the files that the configuration names; without any, those in the data folder, which are made if there are
   * none, and renewed if the certificate ends soon.
   * @throws ReceiverError `file-unreadable` if they are missing, or no certificate and its key
   */
  static async open(options: Options, parts: CertificateParts): Promise<Certificate> {
    const files = filesOf(options);
    if (options.tls.certificate === '' && !(await exists(files[0]))) await make(options, parts.clock);
    const certificate = new Certificate(options, await read(files), parts);
    await certificate.#renew();
    return certificate;
  }

  get current(): CertificateAndKey {
    return this.#current;
  }

  /** Watches the folders of the files: those who renew certificates replace links and files. */
  start(): void {
    this.#hourly = setInterval(() => void this.#readAgain(), atLatest).unref();
    this.#renewing = setInterval(() => void this.#renew(), pace).unref();
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
    clearInterval(this.#renewing);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  /** Renews the receiver's own certificate if it has to be. Its key stays, so that the two files always fit. */
  async #renew(): Promise<void> {
    if (this.#options.tls.certificate !== '' || !isDue(this.#current.cert, this.#clock)) return;
    try {
      await make(this.#options, this.#clock, this.#current.key.toString());
      await this.#readAgain();
    } catch (error) {
      this.#log.error(`the certificate is not renewed, the next try is in a minute: ${systemReason(error)}`);
    }
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

/** Whether a certificate is one of ours, and ends soon, begins later, or is valid for too long. */
function isDue(cert: Buffer, clock: Clock): boolean {
  const { subject, issuer, validFrom, validTo } = new X509Certificate(cert);
  if (!clock.synchronised || subject !== issuer || !subject.startsWith(`CN=${ownSubject}`)) return false;
  const [begin, end] = [validFrom, validTo].map((text) => Date.parse(text) / 1000) as [UnixSeconds, UnixSeconds];
  const now = clock.now();
  return now < begin || now > end - renewedBefore || end - begin > validity;
}

/** Makes a certificate, and its key unless that is given. One that is made before the time is known is renewed soon. */
async function make(options: Options, clock: Clock, given?: string): Promise<void> {
  const [certificatePath, keyPath] = filesOf(options);
  const name = hostname();
  const names = ['localhost', name, `${name}.local`, '127.0.0.1', '::1', ...reachableAddresses(options.bind)];
  const now = clock.synchronised ? clock.now() : earliestTime;
  const { certificate, key } = selfSigned(`${ownSubject}${name}`, [...new Set(names)], now, given);
  if (given === undefined) await replaceFile(keyPath, Buffer.from(key), 0o600);
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
