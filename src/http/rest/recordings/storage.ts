/** `/api/storage`: the free space of the recording folders, in bytes and in hours of recording. */
import { setTimeout as wait } from 'node:timers/promises';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { withSlash } from '../../../recordings/library/folders.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, recordSchema, sampled } from '../../write/record.ts';

/** Used if there are no recordings to measure: HD at 9 Mbit/s. */
const defaultBytesPerHour = 4_000_000_000;
const maxMeasuredRecordings = 20;
/** Shorter recordings are not measured. */
const minSeconds = 60;
const diskTimeoutMs = 1000;

const Folder = recordSchema({
  folder: '/media/hdd/movie/',
  isDefault: field(true, 'whether this is the default folder'),
  capacity: nullable(
    field(1000204886016, 'size of its disk in bytes; null if the disk is missing or does not respond'),
  ),
  free: nullable(field(657453056819, 'bytes that can still be written')),
  hours: nullable(field(164, 'hours of recording that fit into the free space')),
  missing: sampled(nullable(field('', 'why nothing can be recorded into it; null if it is available')), null),
});

const Storage = recordSchema(
  {
    result: true,
    folders: Type.Array(Folder),
    rate: field(defaultBytesPerHour, 'bytes per hour of recording'),
    isMeasured: field(false, 'whether `rate` is measured from the last recordings; otherwise it is a default'),
  },
  { $id: 'Storage' },
);

const storage = route({
  path: '/api/storage',
  name: 'storage',
  summary: 'The free space of the recording folders, in bytes and in hours of recording.',
  responses: { 200: { description: 'the folders, the default one first', schema: Storage } },
  async run(parts) {
    const { locations, device, recordings } = parts;
    const [disks, all, missing] = await Promise.all([
      device.disks(),
      recordings.all(),
      Promise.all(
        locations.all.map((folder) =>
          Promise.race([locations.missingReason(folder), wait(diskTimeoutMs, '', { ref: false })]),
        ),
      ),
    ]);
    const found = measuredBytesPerHour(parts, all);
    const rate = found ?? defaultBytesPerHour;
    const folders = locations.all.map((folder, index) => {
      const reason = missing[index] || null;
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

const folders = route({
  path: '/api/locationfolders',
  name: 'locationfolders',
  summary: 'The folders that may become recording folders, level by level.',
  description: 'They are in a recording folder of the configuration, or in a folder of the setting `locationRoots`.',
  isPrivate: true,
  permission: 'admin',
  parameters: { folder: text('list the folders in this one; absent: the outermost ones', { example: '/media/' }) },
  responses: {
    200: {
      description: 'the folders',
      schema: recordSchema({ folders: field(['/media/hdd/'], 'absolute paths'), result: true }),
    },
  },
  failures: { 403: 'the folder is outside of these', 404: 'no such folder' },
  async run({ locationChanges }, { folder = '' }) {
    if (folder !== '' && !folder.startsWith('/')) throw fail('parameter-invalid', 'folder', 'must be an absolute path');
    return { body: { folders: [...(await locationChanges.foldersIn(folder))], result: true } };
  },
});

export const storageRoutes = group('recordings', [storage, folders], 'record');

/** The average of the last complete recordings; undefined if there are none. */
function measuredBytesPerHour({ recorder }: ReceiverParts, all: readonly Recording[]): number | undefined {
  const running = new Set(recorder.active.map(({ path }) => path));
  let [bytes, seconds] = [0, 0];
  const last = all
    .filter(({ path, length = 0 }) => length >= minSeconds && !running.has(path))
    .slice(0, maxMeasuredRecordings);
  for (const { size, length = 0 } of last) {
    bytes += size;
    seconds += length;
  }
  return bytes === 0 ? undefined : Math.ceil((bytes / seconds) * 3600);
}

/** The file system that contains a folder: of all mount points above it, the deepest. */
function diskOf<Disk extends { readonly mount: string }>(folder: string, disks: readonly Disk[]): Disk | undefined {
  return disks
    .filter(({ mount }) => withSlash(folder).startsWith(withSlash(mount)))
    .sort((a, b) => b.mount.length - a.mount.length)[0];
}
