/**
 * The logos that ISDB broadcasts (CDT, ARIB STD-B21): kept as picons in a folder of the data folder, which is searched after
 * those of the configuration.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemReason } from '../base/errors.ts';
import { replaceFile } from '../base/files.ts';
import type { BroadcastService, MultiplexInformation } from '../dvb/multiplex.ts';
import { namespaceSources, ServiceReference } from '../services/reference.ts';
import { pictureFormatOf } from './picture-format.ts';
import { pngChunk } from './png-chunk.ts';

export const broadcastLogosFolder = (dataDir: string) => join(dataDir, 'broadcast-logos');

/** Files. Japan has some 200 terrestrial services in a region. */
const maxLogos = 1000;

export class BroadcastLogos {
  readonly #folder: string;
  readonly #onProblem: (message: string) => void;
  /** As last written, by file name. */
  readonly #written = new Map<string, string>();
  /** Files of earlier runs, the oldest first. */
  #older: Set<string> | undefined;
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
    if (pictureFormatOf(bytes)?.extension !== 'png') return;
    try {
      await replaceFile(join(this.#folder, name), withPalette(bytes));
      await this.#removeExcess(name);
    } catch (error) {
      this.#onProblem(`the logo of ${service.name} could not be stored: ${systemReason(error)}`);
    }
  }

  /** Removes the oldest files of earlier runs if there are too many with the one that was written. */
  async #removeExcess(written: string): Promise<void> {
    this.#older ??= await this.#filesByAge();
    this.#older.delete(written);
    for (const name of this.#older) {
      if (this.#written.size + this.#older.size <= maxLogos) return;
      this.#older.delete(name);
      await rm(join(this.#folder, name), { force: true });
    }
  }

  async #filesByAge(): Promise<Set<string>> {
    const names = (await readdir(this.#folder)).filter((name) => ownName.test(name));
    const ages = new Map<string, number>();
    for (const name of names) ages.set(name, (await stat(join(this.#folder, name))).mtimeMs);
    return new Set(names.sort((one, other) => (ages.get(one) ?? 0) - (ages.get(other) ?? 0)));
  }
}

const ownName = /^1_0_1_[0-9A-F_]{1,40}\.png$/;

/** Signature and IHDR. */
const headerSize = 33;

/** A picture with the palette that is not sent, since it is the same for all. */
function withPalette(png: Buffer): Buffer {
  if (png.toString('latin1', headerSize + 4, headerSize + 8) === 'PLTE') return png;
  const all = palette();
  const colours = Buffer.from(all.flatMap(({ levels }) => levels.map((level) => level * 85)));
  const opacities = Buffer.from(all.map(({ opacity }) => opacity));
  const chunks = [pngChunk('PLTE', colours), pngChunk('tRNS', opacities)];
  return Buffer.concat([png.subarray(0, headerSize), ...chunks, png.subarray(headerSize)]);
}

/**
 * The fixed colours (STD-B24 volume 1, part 2, annex 5): the eight basic ones, none, the seven at two thirds, those that mix
 * levels; then the same, half transparent.
 */
function palette() {
  const basic = (level: number) =>
    Array.from({ length: 8 }, (_, bits) => [bits & 1, (bits >> 1) & 1, bits >> 2].map((bit) => bit * level));
  const mixed = Array.from({ length: 64 }, (_, bits) => [bits >> 4, (bits >> 2) & 3, bits & 3]).filter(
    (levels) => ![2, 3].some((only) => levels.every((level) => level === 0 || level === only)),
  );
  const colours = (opacity: number, afterBasic: readonly (typeof transparent)[]) => [
    ...basic(3).map((levels) => ({ levels, opacity })),
    ...afterBasic,
    ...[...basic(2).slice(1), ...mixed].map((levels) => ({ levels, opacity })),
  ];
  const transparent = { levels: [0, 0, 0], opacity: 0 };
  return [...colours(255, [transparent]), ...colours(128, [])].slice(0, 128);
}

const piconNameOf = (service: BroadcastService) =>
  ServiceReference.service(1, service, namespaceSources.terrestrial << 16).piconName;
