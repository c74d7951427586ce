/** `/api/exports`: recordings as MKV and MP4 files. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { exportNames } from '../../../config/config.ts';
import { exportFormats } from '../../../exports/export.ts';
import { type Export, exportStates } from '../../../exports/exports.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { boolean, choice, text } from '../../middleware/parameters.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { segmentInteger } from '../segments.ts';

const ExportRecord = recordSchema(
  {
    id: 1,
    from: field('/media/hdd/movie/Ships.ts', 'path of the recording'),
    to: nullable(field('/media/hdd/movie/Exports/Ships.mkv', 'path of the export; null until it is done')),
    format: sampled(oneOf(exportFormats), 'mkv'),
    cut: field(true, 'whether the breaks of the recording are left out'),
    state: sampled(oneOf(exportStates), 'done'),
    progress: sampled(Type.Number({ description: 'the exported part, 0 to 1' }), 1),
    error: field('', 'why it has failed; empty if it has not'),
  },
  { $id: 'Export' },
);

const recordOf = ({ id, from, to, format, isCut: cut, state, progress, error }: Export) => ({
  ...{ id, from, to: to ?? null, format, cut, state, progress, error },
});

const describedNames = sampled(oneOf(exportNames), 'recording');

const list = route({
  path: '/api/exports',
  name: 'exports',
  summary: 'The exports of recordings: running, waiting, and the last ten that have ended.',
  responses: {
    200: {
      description: 'the exports, oldest first',
      schema: recordSchema({
        result: true,
        names: describedNames,
        exports: Type.Array(ExportRecord),
      }),
    },
  },
  run: ({ exports }) => ({ body: { result: true, names: exports.names, exports: exports.list.map(recordOf) } }),
});

const add = route({
  method: 'POST',
  path: '/api/exports',
  name: 'addExport',
  summary: 'Exports a recording as MKV or MP4, without encoding it again, into the folder Exports of its location.',
  description: 'Exports run one at a time. The new file is a recording like any other.',
  parameters: {
    file: text('path of the recording', { example: '/media/hdd/movie/Ships.ts' }).required(),
    format: choice('the kind of file', exportFormats).or('mkv'),
    cut: boolean('leave out the breaks of the recording').or(false),
    names: choice(
      'the name of the file: that of the recording, or one for Plex, Jellyfin and Kodi, in folders, with a `.nfo` file; default is the setting `exports.names`',
      exportNames,
    ),
  },
  responses: {
    200: {
      description: 'the export is running, or waiting for others',
      schema: recordSchema({ result: true, export: ExportRecord }),
    },
  },
  failures: {
    400: 'a parameter is missing or invalid',
    403: 'the path leads out of the recording folders',
    404: 'no such recording',
    409: 'it is still being recorded',
    503: 'too many exports are waiting',
  },
  async run({ exports, locations, accessControl }, { file, format, cut: isCut, names }, { raw }) {
    const client = accessControl.peers.clientOf(raw);
    const added = await exports.add(await locations.resolveExisting(file), { format, isCut, names, client });
    return { body: { result: true, export: recordOf(added) } };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/exports/{id}',
  name: 'removeExport',
  summary: 'Cancels an export, or removes one that has ended from the list. A finished file is kept.',
  parameters: { id: segmentInteger('id of the export') },
  responses: { 200: { description: 'the export is removed', schema: recordSchema({ result: true, id: 1 }) } },
  failures: { 400: 'an invalid number', 404: 'no such export' },
  run({ exports }, { id }) {
    if (!exports.remove(id)) throw fail('not-found', `export ${id}`);
    return { body: { result: true, id } };
  },
});

export const exportRoutes = group('recordings', [list, add, remove], 'record');
