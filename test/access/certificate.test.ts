/** Self-signed certificates, and the certificate of the HTTPS ports. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import pino from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Certificate } from '../../src/access/certificate.ts';
import { createSelfSigned } from '../../src/access/self-signed.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type RequestHandling, SecurePorts } from '../../src/http/secure-ports.ts';
import { freePort } from '../fixtures/free-port.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { eventually } from '../fixtures/waits.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const tls = { port: 1, streamPort: 0, certificate: '', key: '', hsts: false };
const day = 86_400;
/** 2026-03-05: the day of the month has one digit. */
const now = Date.UTC(2026, 2, 5, 12) / 1000;
const limits = { headersTimeout: 60_000, requestTimeout: 60_000 };

describe('a self-signed certificate', () => {
  const names = ['localhost', 'box.local', '127.0.0.1', '::1', '2001:db8::5:6', 'fd00:1:2:3:4:5:6:7'];
  const { certificate, key } = createSelfSigned('receiverd on Küche', names, now);

  it('is valid for its names and addresses, and for no others', () => {
    const read = new X509Certificate(certificate);
    expect(read.subject).toBe('CN=receiverd on Küche');
    for (const name of ['localhost', 'box.local']) expect(read.checkHost(name)).toBe(name);
    for (const address of names.slice(2)) expect(read.checkIP(address)).toBeDefined();
    expect(read.checkHost('elsewhere.example')).toBeUndefined();
    expect(read.checkIP('127.0.0.2')).toBeUndefined();
    expect(read.ca).toBe(false);
    expect(read.verify(read.publicKey)).toBe(true);
  });

  it.each([
    ['1970', 0],
    ['2026', now],
    ['2049, whose end is another kind of time', Date.UTC(2049, 11, 1) / 1000],
  ])('is valid for 397 days, from a day before it was made, in %s', (_, made) => {
    const { validFrom, validTo } = new X509Certificate(createSelfSigned('x', ['a'], made).certificate);
    const [begin, end] = [validFrom, validTo].map((text) => Date.parse(text) / 1000);
    expect([begin, end]).toEqual([made - day, made + 396 * day - 1]);
  });

  it('is accepted by OpenSSL, with the key usages of a server', () => {
    const path = join(folder, 'certificate.pem');
    writeFileSync(path, certificate);
    writeFileSync(join(folder, 'key.pem'), key);
    const openssl = (...words: string[]) => execFileSync('openssl', words, { encoding: 'utf8' });
    expect(
      openssl(
        'verify',
        '-attime',
        String(now),
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-partial_chain',
        '-trusted',
        path,
        path,
      ),
    ).toContain('OK');
    const text = openssl('x509', '-in', path, '-noout', '-text');
    expect(text).toContain('TLS Web Server Authentication');
    expect(text).toContain('ecdsa-with-SHA256');
    expect(openssl('pkey', '-in', join(folder, 'key.pem'), '-pubout')).toBe(
      openssl('x509', '-in', path, '-noout', '-pubkey'),
    );
  });
});

describe('an HTTPS port', () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const open = (clock: Clock = systemClock) =>
    Certificate.open({ dataDir: folder, bind: '127.0.0.1', tls }, { clock, log });
  /** The certificate that a client receives, and the response. */
  const asked = (port: number) =>
    new Promise<{ fingerprint: string; text: string }>((resolve, reject) => {
      const asking = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }, (response) => {
        const fingerprint = (response.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? '';
        response.setEncoding('utf8').on('data', (text: string) => resolve({ fingerprint, text }));
      });
      asking.on('error', reject).end();
    });

  it('creates a certificate at the first start, keeps it, and uses a new one without a restart', async () => {
    const certificate = await open();
    expect(statSync(join(folder, 'tls', 'key.pem')).mode & 0o777).toBe(0o600);
    expect((await open()).current).toEqual(certificate.current);
    const own = { port: await freePort(), streamPort: await freePort() };
    const answering = (text: string): RequestHandling => ({
      limits,
      answer: (_request, response) => void response.end(text),
    });
    const ports = new SecurePorts(
      { dataDir: folder, bind: '127.0.0.1', tls: { ...tls, ...own } },
      { web: answering('yes'), streams: answering('stream') },
      { clock: systemClock, log },
    );
    await ports.start(() => undefined);
    expect({ port: ports.webPort, streamPort: ports.streamPort }).toEqual(own);
    const print = (pem: string | Buffer) => new X509Certificate(pem).fingerprint256;
    expect(await asked(own.port)).toEqual({ fingerprint: print(certificate.current.cert), text: 'yes' });
    expect(await asked(own.streamPort)).toEqual({ fingerprint: print(certificate.current.cert), text: 'stream' });

    const next = createSelfSigned('renewed', ['127.0.0.1'], now);
    writeFileSync(join(folder, 'tls', 'certificate.pem'), 'half of');
    writeFileSync(join(folder, 'tls', 'key.pem'), next.key);
    writeFileSync(join(folder, 'tls', 'certificate.pem'), next.certificate);
    const isNew = async () => ((await asked(own.port)).fingerprint === print(next.certificate) ? true : undefined);
    await eventually(isNew, 'the new certificate');

    const complaints = lines.length;
    writeFileSync(join(folder, 'tls', 'certificate.pem'), 'nonsense');
    await eventually(async () => lines.slice(complaints).find((line) => line.includes('stays in use')), 'a complaint');
    expect(await isNew()).toBe(true);
    await ports.stop();
  });

  it.each([
    ['30 days before its end', now, now + 367 * day],
    ['made before the time was known', undefined, now],
    ['made by a clock that was ahead', now + 1000 * day, now],
  ])('renews its own certificate %s, and not before', async (_, made, later) => {
    let time = made;
    const clock = {
      now: () => time ?? 0,
      get synchronised() {
        return time !== undefined;
      },
    };
    const certificate = await open(clock);
    const { cert, key } = certificate.current;
    const seen: Buffer[] = [];
    certificate.onChange((next) => seen.push(next.cert));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      certificate.start();
      if (time !== undefined) time += 365 * day;
      vi.advanceTimersByTime(60_000);
      expect((await open(clock)).current.cert.equals(cert)).toBe(true);
      time = later;
      vi.advanceTimersByTime(60_000);
      await eventually(async () => seen[0], 'the new certificate');
    } finally {
      certificate.stop();
      vi.useRealTimers();
    }
    expect(certificate.current.key.equals(key)).toBe(true);
    const { validFrom } = new X509Certificate(certificate.current.cert);
    expect(Date.parse(validFrom) / 1000).toBe(later - day);
    expect((await open(clock)).current).toEqual(certificate.current);
  });

  it('replaces its own certificate if it is valid for many years, but not a configured one', async () => {
    const files = [join(folder, 'tls', 'certificate.pem'), join(folder, 'tls', 'key.pem')] as const;
    mkdirSync(join(folder, 'tls'));
    const put = (subject: string) => {
      const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '9000'];
      execFileSync('openssl', [...words, '-subj', `/CN=${subject}`, '-out', files[0], '-keyout', files[1]], {
        stdio: 'ignore',
      });
      return { cert: readFileSync(files[0]), key: readFileSync(files[1]) };
    };
    const foreign = put('tv.example');
    expect((await open()).current).toEqual(foreign);
    const { cert, key } = put('receiverd on box');
    const { current } = await open();
    expect([current.cert.equals(cert), current.key.equals(key)]).toEqual([false, true]);
  });

  it('finds a new certificate behind a link within the hour', async () => {
    const first = createSelfSigned('first', ['127.0.0.1'], now);
    const elsewhere = join(folder, 'elsewhere');
    const [certificatePath, keyPath] = [join(folder, 'c.pem'), join(folder, 'k.pem')];
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'c.pem'), first.certificate);
    symlinkSync(join(elsewhere, 'c.pem'), certificatePath);
    writeFileSync(keyPath, first.key);
    const options = { dataDir: folder, bind: '127.0.0.1', tls: { ...tls, certificate: certificatePath, key: keyPath } };
    const certificate = await Certificate.open(options, { clock: systemClock, log });
    vi.useFakeTimers({ toFake: ['setInterval'] });
    certificate.start();
    const more = `${first.certificate}${createSelfSigned('of the chain', ['a'], now).certificate}`;
    writeFileSync(join(elsewhere, 'c.pem'), more);
    vi.advanceTimersByTime(3_600_000);
    vi.useRealTimers();
    await eventually(async () => certificate.current.cert.toString() === more || undefined, 'the new certificate');
    certificate.stop();
  });

  it('works with a folder that cannot be watched', async () => {
    const certificate = await open();
    rmSync(join(folder, 'tls'), { recursive: true });
    certificate.start();
    expect(lines.at(-1)).toContain('is not watched');
    certificate.stop();
  });

  it.each([
    ['no certificate', 'nonsense', 'nonsense'],
    ['another key', createSelfSigned('a', ['a'], now).certificate, createSelfSigned('b', ['b'], now).key],
  ])('refuses %s, naming the file', async (_, certificate, key) => {
    const [certificatePath, keyPath] = [join(folder, 'c.pem'), join(folder, 'k.pem')];
    writeFileSync(certificatePath, certificate);
    writeFileSync(keyPath, key);
    const opening = Certificate.open(
      { dataDir: folder, bind: '127.0.0.1', tls: { ...tls, certificate: certificatePath, key: keyPath } },
      { clock: systemClock, log: pino({ level: 'silent' }) },
    );
    await expect(opening).rejects.toMatchObject({ code: 'file-unreadable', message: expect.stringContaining('c.pem') });
  });
});
