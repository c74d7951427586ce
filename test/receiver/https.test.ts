/** The whole program by HTTPS, beside HTTP: pages, playlists and live streams, with the certificate that it has made. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, getCiphers } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { launchCommand, type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

describe('by HTTPS', () => {
  const folder = temporaryFolder();
  let program: Program;
  let web: number;
  let streams: number;

  beforeAll(async () => {
    [web, streams] = [await freePort(), await freePort()];
    const configuration = join(folder, 'receiverd.yaml');
    writeFileSync(
      configuration,
      `tls:\n  port: ${web}\n  streamPort: ${streams}\n  hsts: true\naccess:\n  localNetwork: []\n`,
    );
    program = await startProgram(folder, '--tuner', 'demo:speed=8', '--config', configuration);
    await eventually(
      async () => (await program.json<{ bouquets: readonly unknown[] }>('/api/bouquets')).bouquets[0],
      'a bouquet',
    );
  });
  afterAll(async () => {
    await program.stop();
    removeFolder(folder);
  });

  /** Trusts the certificate in the data folder, and nothing else. */
  const asked = async (url: string, { body, method = 'GET' }: { body?: string; method?: string } = {}) => {
    const ca = readFileSync(join(folder, 'tls', 'certificate.pem'));
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const asking = request(url, { ca, method, headers, agent: false });
    asking.end(body);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    return response;
  };

  it('is listed at the start and by the doctor', async () => {
    expect(program.printed).toContain(`Web interface by HTTPS https://127.0.0.1:${web}/`);
    expect(program.printed).toContain(`Live streams by HTTPS  https://127.0.0.1:${streams}/`);
    const { findings } = await program.json<{ findings: readonly { subject: string; ok: boolean }[] }>('/api/doctor');
    const ports = findings.filter(({ subject }) => subject.includes('by HTTPS'));
    expect(ports.map(({ subject, ok }) => [subject, ok])).toEqual([
      [`port ${web} for the web interface by HTTPS, in use by the running receiver`, true],
      [`port ${streams} for the live streams by HTTPS, in use by the running receiver`, true],
    ]);
  });

  it('is how the first password is to be set', () => {
    const [link] = program.printed.filter((line) => line.startsWith('Set a password'));
    expect(link).toContain(` https://127.0.0.1:${web}/#/setup?code=`);
  });

  it('answers as by HTTP, and says so to browsers', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const response = await asked(`https://${host}:${web}/api/vol`);
      expect(response.statusCode).toBe(200);
      expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(await text(response)).toBe(await (await program.get('/api/vol')).text());
    }
    expect((await program.get('/api/vol')).headers.get('strict-transport-security')).toBeNull();
  });

  it('offers no suite of TLS 1.2 without authenticated encryption, also after the certificate has changed', async () => {
    const suites = getCiphers().flatMap((suite) => (suite.startsWith('tls_') ? [] : suite.toUpperCase()));
    const isModern = (suite: string) => /GCM|POLY1305/.test(suite);
    /** The suite of a connection by TLS 1.2, or why there is none. */
    const agreed = async (port: number, ...ciphers: readonly string[]) => {
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.2' } as const;
      const socket = connect({ ...options, ciphers: `${ciphers.join(':')}:@SECLEVEL=0` });
      try {
        await once(socket, 'secureConnect');
        return socket.getCipher().name;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      } finally {
        socket.destroy();
      }
    };
    const check = async () => {
      for (const port of [web, streams]) {
        expect(await agreed(port, ...suites.filter((suite) => !isModern(suite)))).toMatch(/HANDSHAKE_FAILURE/);
        expect(await agreed(port, ...suites)).toMatch(/^ECDHE-.*-(GCM-|CHACHA20-)/);
      }
    };
    await check();
    const pem = join(folder, 'tls', 'certificate.pem');
    writeFileSync(pem, `${readFileSync(pem, 'latin1')}\n`);
    await untilTrue(() => program.log.some(({ msg = '' }) => msg.includes('was read again')));
    await check();
  });

  it('gives playlists whose streams are encrypted too', async () => {
    const playlist = await text(await asked(`https://localhost:${web}/web/services.m3u`));
    const [, url = ''] = /^(https:.*)$/m.exec(playlist) ?? [];
    expect(url).toContain(`https://localhost:${streams}/1:0:`);
    const stream = await asked(url);
    const [first] = (await once(stream, 'data')) as [Buffer];
    stream.destroy();
    expect([stream.statusCode, first[0]]).toEqual([200, 0x47]);
    expect(await (await program.get('/web/services.m3u')).text()).not.toContain('https:');
  });

  it('sets a cookie that stays with HTTPS', async () => {
    const { child, ended } = launchCommand('user', 'add', 'anna', '--data-dir', folder);
    child.stdin?.end('correct horse\n');
    await ended;
    await eventually(
      async () => ((await program.get('/api/vol')).status === 401 ? true : undefined),
      'the accounts count',
    );
    const body = JSON.stringify({ user: 'anna', password: 'correct horse' });
    const response = await asked(`https://localhost:${web}/login`, { method: 'POST', body });
    expect(response.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/);
  });
});
