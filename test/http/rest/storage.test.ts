/** `/api/storage`: the free space of the recording folders in hours. `/recordings?folder=`: the recordings in a folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeRecording } from '../../fixtures/recordings.ts';
import { ask, receiver, useReceiver } from './fixture.ts';

useReceiver();

const gigabyte = 1e9;

function record(folder: string, name: string, seconds: number, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, Buffer.alloc(bytes));
  const meta = ['', name, '', '1767280000', '', String(seconds * 90_000), String(bytes), ''];
  writeFileSync(`${path}.meta`, `1:0:19:2B66:3F3:1:C00000:0:0:0:${meta.join('\n')}`);
}

it('measures the rate of the last recordings, or uses a default if there are none', async () => {
  const { device, locations } = receiver.parts;
  device.disks = async () => [
    { model: 'System', mount: '/', capacity: gigabyte, free: gigabyte },
    { model: 'Disk', mount: locations.default.replace(/\/$/, ''), capacity: 900 * gigabyte, free: 401 * gigabyte },
  ];
  expect((await ask('GET', '/api/storage')).body).toMatchObject({
    folders: [{ folder: locations.default, isDefault: true, free: 401 * gigabyte, hours: 100 }],
    rate: 4 * gigabyte,
    isMeasured: false,
  });
  record(locations.default, 'Ships.ts', 3600, 1_000_000);
  record(locations.default, 'Brief.ts', 10, 5_000_000);
  expect((await ask('GET', '/api/storage')).body).toMatchObject({
    folders: [{ hours: 401_000 }],
    rate: 1_000_000,
    isMeasured: true,
  });
});

it('lists one folder with its sub-folders, and the trash', async () => {
  const { default: folder } = receiver.parts.locations;
  record(folder, 'Ships.ts', 60, 188);
  record(join(folder, 'series'), 'Films.ts', 60, 188);
  const listed = async (path: string, more = '') => {
    const { body, items } = await ask('GET', `/recordings?folder=${encodeURIComponent(path)}${more}`);
    return { folders: body?.folders, titles: items.map(({ label }) => label).sort() };
  };
  expect(await listed(folder, '&recursive=0')).toEqual({ folders: ['series'], titles: ['Ships.ts'] });
  expect(await listed(folder)).toEqual({ folders: ['series'], titles: ['Films.ts', 'Ships.ts'] });
  expect(await listed(join(folder, 'series'))).toEqual({ folders: [], titles: ['Films.ts'] });
  // Without `folder`, the response is as apps expect it.
  expect((await ask('DELETE', '/recordings/Ships.ts')).body?.trashed).toBeUndefined();
  expect(await listed(join(folder, '.Trash'))).toEqual({ folders: [], titles: ['Ships.ts'] });
  expect((await ask('GET', '/recordings?folder=/etc')).status).toBe(403);
  const named = `/recordings/Films.ts?folder=${encodeURIComponent(join(folder, 'series'))}`;
  expect((await ask('DELETE', named)).body?.trashed).toBe(join(folder, '.Trash/Films.ts'));
  expect((await ask('DELETE', '/recordings/lamedb?folder=/etc')).status).toBe(403);
});

it('returns the genre and the series of a recording to clients that request them', async () => {
  const { default: folder } = receiver.parts.locations;
  const event = { id: 7, start: 1_767_283_200, duration: 3600, title: 'Ships', genre: 0x23 };
  const crids = [
    { type: 1, crid: 'crid://a.example/ships/3' },
    { type: 2, crid: 'crid://a.example/ships' },
  ];
  writeRecording(join(folder, 'Ships.ts'), { event: { ...event, crids } });
  writeRecording(join(folder, 'Weather.ts'), { event: { id: 8, start: event.start, duration: 60, title: 'Weather' } });
  record(folder, 'Films.ts', 60, 188);
  const programmes = async (query: string) => {
    const { items } = await ask('GET', `/recordings${query}`);
    return Object.fromEntries(items.map(({ label, programme }) => [label, programme]));
  };
  expect(await programmes('?programme=1')).toEqual({
    Ships: { genre: 0x23, series: 'crid://a.example/ships' },
    Weather: {},
    'Films.ts': undefined,
  });
  expect(Object.values(await programmes(''))).toEqual([undefined, undefined, undefined]);
});

it('lists the folders that may become recording folders, without links', async () => {
  const { default: folder } = receiver.parts.locations;
  for (const name of ['b', 'a', '.hidden', 'a/deep']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('/etc', join(folder, 'link'));
  const inFolder = async (path: string) => {
    const { status, body } = await ask('GET', `/api/locationfolders?folder=${encodeURIComponent(path)}`);
    return status === 200 ? body?.folders : status;
  };
  expect(await inFolder('')).toEqual([folder]);
  expect(await inFolder(folder)).toEqual([join(folder, 'a/'), join(folder, 'b/')]);
  expect(await inFolder(join(folder, 'a'))).toEqual([join(folder, 'a/deep/')]);
  const outside = ['/', '/etc', join(folder, 'link'), join(folder, 'link/ssl'), `${folder}../..`];
  expect(await Promise.all(outside.map(inFolder))).toEqual(outside.map(() => 403));
  expect([await inFolder(join(folder, 'none')), await inFolder('a')]).toEqual([404, 400]);
});
