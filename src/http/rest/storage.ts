/** `/api/storage`: the free space of the recording folders, and how many hours of recording that is. */
import { setTimeout as wait } from 'node:timers/promises';
import * as Type from 'typebox';
import { withSlash } from '../../recordings/folders.ts';
import type { Recording } from '../../recordings/recording.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, nullable, record, sampled } from '../write/record.ts';
import { area, route } from './route.ts';

/** Bytes of an hour as long as there are no recordings to measure: HD at 9 Mbit/s. */
const assumedRate = 4_000_000_000;
/** How many of the last recordings are measured, and the seconds that each must have. */
const measured = 20;
const shortest = 60;
/** Milliseconds that a disk may take to respond. */
const patience = 1000;

const Folder = record({
  folder: '/media/hdd/movie/',
  isDefault: field(true, 'recordings go there unless they name another'),
  capacity: nullable(field(1000204886016, 'bytes of its disk; null if it does not respond or is not there')),
  free: nullable(field(657453056819, 'bytes that may still be written')),
  hours: nullable(field(164, 'hours of recording that these are')),
  missing: sampled(nullable(field('', 'why nothing can be recorded into it; null if it is there')), null),
});

const Storage = record(
  {
    result: true,
    folders: Type.Array(Folder),
    rate: field(assumedRate, 'bytes of an hour of recording'),
    isMeasured: field(false, 'the rate is that of the last recordings; otherwise it is assumed'),
  },
  { $id: 'Storage' },
);

const storage = route({
  path: '/api/storage',
  name: 'storage',
  summary: 'The free space of the recording folders, and how many hours of recording that is.',
  responses: { 200: { description: 'the folders, the default one first', schema: Storage } },
  async run(parts) {
    const { locations, device, recordings } = parts;
    const [disks, all, missing] = await Promise.all([
      device.disks(),
      recordings.all(),
      Promise.all(
        locations.all.map((folder) => Promise.race([locations.missing(folder), wait(patience, '', { ref: false })])),
      ),
    ]);
    const found = measuredRate(parts, all);
    const rate = found ?? assumedRate;
    const folders = locations.all.map((folder, at) => {
      const reason = missing[at] || null;
      const { capacity = null, free = null } = (reason === null && diskOf(folder, disks)) || {};
      const hours = free === null ? null : Math.floor(free / rate);
      return {
        folder: withSlash(folder),
        isDefault: folder === locations.default,
        capacity,
        free,
        hours,
        missing: reason,
      };
    });
    folders.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
    return { body: { result: true, folders, rate, isMeasured: found !== undefined } };
  },
});

export const storageRoutes = area('recordings', [storage], 'record');

/** Bytes of an hour of the last complete recordings; undefined if there are none. */
function measuredRate({ recorder }: ReceiverParts, all: readonly Recording[]): number | undefined {
  const running = new Set(recorder.active.map(({ path }) => path));
  let [bytes, seconds] = [0, 0];
  const last = all.filter(({ path, length = 0 }) => length >= shortest && !running.has(path)).slice(0, measured);
  for (const { size, length = 0 } of last) {
    bytes += size;
    seconds += length;
  }
  return bytes === 0 ? undefined : Math.ceil((bytes / seconds) * 3600);
}

/** The innermost file system that contains a folder. */
function diskOf<Disk extends { readonly mount: string }>(folder: string, disks: readonly Disk[]): Disk | undefined {
  return disks
    .filter(({ mount }) => withSlash(folder).startsWith(withSlash(mount)))
    .sort((a, b) => b.mount.length - a.mount.length)[0];
}
