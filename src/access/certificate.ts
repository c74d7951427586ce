/**
 * The certificate of the HTTPS ports: a configured one, or a self-signed one that the receiver creates and renews. It
 * is reread when its file changes.
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
import { createSelfSigned, validitySeconds } from './self-signed.ts';

/** Of each file. A certificate chain takes a few thousand bytes. */
const maxBytes = 1 << 20;

/**
 * Time without a change after which the files are reread. Programs that renew certificates write one file after the
 * other.
 */
const settleMs = 1000;

/** The files are also reread at this interval: watching does not report changes behind links and on network disks. */
const rereadIntervalMs = 3_600_000;

/** The receiver's own certificate is renewed this long before its end. */
const renewalLeadSeconds = 30 * 86_400;

/** How often it is checked whether to renew the certificate. The clock of a box is often set only after the start. */
const renewalCheckIntervalMs = 60_000;

/** Prefix of the subject of the receiver's own certificates. */
const ownSubjectPrefix = 'receiverd on ';

/** Certificate and private key in PEM, as node:https expects them. */
export interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Options = Pick<Configuration, 'dataDir' | 'bind' | 'tls'>;

export interface CertificateParts {
  /** The receiver's clock, which should agree with those of the clients. */
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
  #settleTimer: NodeJS.Timeout | undefined;
  #rereadTimer: NodeJS.Timeout | undefined;
  #renewalTimer: NodeJS.Timeout | undefined;

  private constructor(options: Options, current: CertificateAndKey, { clock, log }: CertificateParts) {
    this.#options = options;
    this.#files = filesOf(options);
    this.#current = current;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Reads the configured files. If none are configured, reads those in the data folder, and creates or renews them if
   * needed.
   * @throws ReceiverError `file-unreadable` if a file is missing, or the files are not a certificate and its key
   */
  static async open(options: Options, parts: CertificateParts): Promise<Certificate> {
    const files = filesOf(options);
    if (options.tls.certificate === '' && !(await exists(files[0]))) await createCertificate(options, parts.clock);
    const certificate = new Certificate(options, await read(files), parts);
    await certificate.#renew();
    return certificate;
  }

  get current(): CertificateAndKey {
    return this.#current;
  }

  /** Watches the folders of the files, because programs that renew certificates replace files and links. */
  start(): void {
    this.#rereadTimer = setInterval(() => void this.#reread(), rereadIntervalMs).unref();
    this.#renewalTimer = setInterval(() => void this.#renew(), renewalCheckIntervalMs).unref();
    const folders = new Set(this.#files.map((file) => dirname(file)));
    this.#watchers = [...folders].flatMap((folder) => this.#watch(folder));
  }

  /** Returns no watcher if the system has none left. */
  #watch(folder: string): FSWatcher[] {
    const warn = (error: Error) =>
      this.#log.warn(
        `${folder} is not watched, so a new certificate takes effect only within an hour: ${systemReason(error)}`,
      );
    const changed = () => {
      clearTimeout(this.#settleTimer);
      this.#settleTimer = setTimeout(() => void this.#reread(), settleMs).unref();
    };
    try {
      return [watch(folder, { persistent: false }, changed).on('error', warn)];
    } catch (error) {
      warn(error as Error);
      return [];
    }
  }

  stop(): void {
    clearTimeout(this.#settleTimer);
    clearInterval(this.#rereadTimer);
    clearInterval(this.#renewalTimer);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  /** Renews the receiver's own certificate if needed. The key stays the same, so that the two files always match. */
  async #renew(): Promise<void> {
    if (this.#options.tls.certificate !== '' || !needsRenewal(this.#current.cert, this.#clock)) return;
    try {
      await createCertificate(this.#options, this.#clock, this.#current.key.toString());
      await this.#reread();
    } catch (error) {
      this.#log.error(`the certificate could not be renewed, next attempt in a minute: ${systemReason(error)}`);
    }
  }

  async #reread(): Promise<void> {
    try {
      const next = await read(this.#files);
      if (next.cert.equals(this.#current.cert) && next.key.equals(this.#current.key)) return;
      this.#current = next;
      this.#changed.call(next);
      this.#log.info(`the certificate ${this.#files[0]} was read again`);
    } catch (error) {
      this.#log.error(`the previous certificate stays in use: ${(error as Error).message}`);
    }
  }
}

function filesOf({ dataDir, tls: { certificate, key } }: Options): readonly [string, string] {
  if (certificate !== '') return [certificate, key];
  const own = join(dataDir, 'tls');
  return [join(own, 'certificate.pem'), join(own, 'key.pem')];
}

/**
 * Whether a certificate is one of ours and has to be renewed: it ends soon, is not valid yet, or is valid for too long.
 */
function needsRenewal(cert: Buffer, clock: Clock): boolean {
  const { subject, issuer, validFrom, validTo } = new X509Certificate(cert);
  if (!clock.synchronised || subject !== issuer || !subject.startsWith(`CN=${ownSubjectPrefix}`)) return false;
  const [begin, end] = [validFrom, validTo].map((text) => Date.parse(text) / 1000) as [UnixSeconds, UnixSeconds];
  const now = clock.now();
  return now < begin || now > end - renewalLeadSeconds || end - begin > validitySeconds;
}

/**
 * Creates a certificate, and its key unless one is given. A certificate that is created before the time is known is
 * renewed soon.
 */
async function createCertificate(options: Options, clock: Clock, existingKey?: string): Promise<void> {
  const [certificatePath, keyPath] = filesOf(options);
  const name = hostname();
  const names = ['localhost', name, `${name}.local`, '127.0.0.1', '::1', ...reachableAddresses(options.bind)];
  const now = clock.synchronised ? clock.now() : earliestTime;
  const { certificate, key } = createSelfSigned(`${ownSubjectPrefix}${name}`, [...new Set(names)], now, existingKey);
  if (existingKey === undefined) await replaceFile(keyPath, Buffer.from(key), 0o600);
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
      `it and ${keyPath} are not a certificate and its key: ${(error as Error).message}`,
    );
  }
  return { cert, key };
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, maxBytes);
  } catch (error) {
    throw fail('file-unreadable', path, systemReason(error));
  }
}
