/** HTTPS in addition to HTTP: another port for each of the two interfaces, with the same responses. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Certificate, type CertificateParts } from '../access/certificate.ts';
import type { Configuration } from '../config/config.ts';

/** The handler of an HTTP port and its timeouts in milliseconds. */
export interface RequestHandling {
  readonly answer: RequestListener;
  readonly limits: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout'>;
}

interface Interfaces {
  readonly web: RequestHandling;
  readonly streams: RequestHandling;
}

/**
 * TLS 1.3, and TLS 1.2 with suites that have authenticated encryption and forward secrecy, as in Mozilla's "intermediate"
 * recommendation. Older players have to use HTTP.
 */
const tlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((suite) => [
      `ECDHE-ECDSA-${suite}`,
      `ECDHE-RSA-${suite}`,
    ]),
  ].join(':'),
} as const;

export class SecurePorts {
  readonly #configuration: Pick<Configuration, 'dataDir' | 'bind' | 'tls'>;
  readonly #interfaces: Interfaces;
  readonly #parts: CertificateParts;
  #certificate: Certificate | undefined;
  #web: Server | undefined;
  #streams: Server | undefined;

  constructor(
    configuration: Pick<Configuration, 'dataDir' | 'bind' | 'tls'>,
    interfaces: Interfaces,
    parts: CertificateParts,
  ) {
    this.#configuration = configuration;
    this.#interfaces = interfaces;
    this.#parts = parts;
  }

  /** The port of the web interface; 0: none. */
  get webPort(): number {
    return portOf(this.#web);
  }

  /** The port of the live streams; 0: none. */
  get streamPort(): number {
    return portOf(this.#streams);
  }

  /**
   * Listens on the configured ports. `onServer` is called with each server before it listens. Without a usable certificate,
   * logs an error and listens on none.
   * @throws Error of the system if a port is in use
   */
  async start(onServer: (server: Server) => void): Promise<void> {
    const { tls } = this.#configuration;
    if (tls.port === 0 && tls.streamPort === 0) return;
    try {
      this.#certificate = await Certificate.open(this.#configuration, this.#parts);
    } catch (error) {
      this.#parts.log.error(`there is no HTTPS: ${(error as Error).message}`);
      return;
    }
    const listen = async (port: number, { answer, limits }: RequestHandling) => {
      if (port === 0 || this.#certificate === undefined) return undefined;
      const server = createServer({ ...this.#certificate.current, ...limits, ...tlsOptions }, answer);
      // setSecureContext resets all options that it is not given.
      this.#certificate.onChange((next) => server.setSecureContext({ ...next, ...tlsOptions }));
      onServer(server);
      server.listen(port, this.#configuration.bind);
      await once(server, 'listening');
      return server;
    };
    this.#web = await listen(tls.port, this.#interfaces.web);
    this.#streams = await listen(tls.streamPort, this.#interfaces.streams);
    this.#certificate.start();
  }

  async stop(): Promise<void> {
    this.#certificate?.stop();
    await Promise.all([this.#web, this.#streams].map(closeServer));
  }
}

const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | null | undefined)?.port ?? 0;

async function closeServer(server: Server | undefined): Promise<void> {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
}
