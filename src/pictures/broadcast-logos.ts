/**
 * The logos that ISDB broadcasts (CDT, ARIB STD-B21): kept as picons in a folder of the data folder, which is searched after
 * those of the configuration.
 */
import { join } from 'node:path';
import { systemReason } from '../base/errors.ts';
import { replaceFile } from '../base/files.ts';
import type { BroadcastService, MultiplexInformation } from '../dvb/multiplex.ts';
import { namespaceSources, ServiceReference } from '../services/reference.ts';
import { pictureFormat } from './picture-format.ts';

export const broadcastLogosFolder = (dataDir: string) => join(dataDir, 'broadcast-logos');

/** Logos that are kept up to date. Japan has some 200 terrestrial services in a region. */
const maxLogos = 1000;

export class BroadcastLogos {
  readonly #folder: string;
  readonly #onProblem: (message: string) => void;
  /** As last written, by file name. */
  readonly #written = new Map<string, string>();
  #isWriting = false;

  constructor(dataDir: string, onProblem: (message: string) => void) {
    this.#folder = broadcastLogosFolder(dataDir);
    this.#onProblem = onProblem;
  }

  /** Writes the logos of a multiplex that have changed. While others are being written, they wait for the next call. */
  async keep({ services }: MultiplexInformation): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      for (const service of services) if (service.logo !== undefined) await this.#write(service);
    } finally {
      this.#isWriting = false;
    }
  }

  async #write(service: BroadcastService): Promise<void> {
    const name = `${piconNameOf(service)}.png`;
    const { logo = '' } = service;
    if (this.#written.get(name) === logo || (this.#written.size >= maxLogos && !this.#written.has(name))) return;
    this.#written.set(name, logo);
    const bytes = Buffer.from(logo, 'hex');
    if (pictureFormat(bytes)?.extension !== 'png') return;
    await replaceFile(join(this.#folder, name), bytes).catch((error: unknown) =>
      this.#onProblem(`the logo of ${service.name} could not be stored: ${systemReason(error)}`),
    );
  }
}

function piconNameOf({ serviceId, transportStreamId, originalNetworkId }: BroadcastService): string {
  const namespace = (namespaceSources.terrestrial << 16) >>> 0;
  return ServiceReference.of({ fields: [1, serviceId, transportStreamId, originalNetworkId, namespace, 0, 0, 0] })
    .piconName;
}
