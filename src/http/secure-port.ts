/** HTTPS beside HTTP: another port with the same answers. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../access/certificate.ts';

export interface PortOptions {
  /** Milliseconds in which the head of a request, and the whole request, must have arrived. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** Bytes of request line and header fields. */
  readonly maxHeaderSize?: number;
}

export class SecurePort {
  readonly server: Server;
  readonly #forget: () => void;

  constructor(certificate: Certificate, options: PortOptions, answer: RequestListener) {
    this.server = createServer({ ...certificate.current, ...options, minVersion: 'TLSv1.2' }, answer);
    this.#forget = certificate.onChange((next) => this.server.setSecureContext(next));
  }

  /** The port that it listens on; 0 before. */
  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** @throws Error of the system if the port is in use */
  async start(bind: string, port: number): Promise<void> {
    this.server.listen(port, bind);
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.#forget();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
