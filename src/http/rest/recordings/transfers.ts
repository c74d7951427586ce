/**
 * `/api/transfers`: the progress of recordings that are being moved to another file system or copied, and how to cancel it.
 */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { field, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { segmentInteger } from '../segments.ts';

const Transfer = recordSchema(
  {
    id: 1,
    kind: sampled(oneOf(['move', 'copy']), 'copy'),
    from: field('/media/hdd/movie/Ships.ts', 'path of the recording'),
    to: field('/media/hdd/movie/series/Ships.ts', 'path of the copy'),
    done: field(104857600, 'bytes copied so far'),
    total: field(286200000, 'bytes of all its files'),
  },
  { $id: 'Transfer' },
);

const transfers = route({
  path: '/api/transfers',
  name: 'transfers',
  summary: 'The recordings being copied, or moved to another file system.',
  responses: {
    200: {
      description: 'the transfers, oldest first',
      schema: recordSchema({ result: true, transfers: Type.Array(Transfer) }),
    },
  },
  run: ({ recordingActions }) => ({ body: { result: true, transfers: [...recordingActions.transfers] } }),
});

const cancelTransfer = route({
  method: 'DELETE',
  path: '/api/transfers/{id}',
  name: 'cancelTransfer',
  summary: 'Cancels a transfer, and deletes what has been copied.',
  parameters: { id: segmentInteger('id of the transfer') },
  responses: {
    200: { description: 'the transfer is being cancelled', schema: recordSchema({ result: true, id: 1 }) },
  },
  failures: { 400: 'an invalid number', 404: 'no such transfer' },
  run({ recordingActions }, { id }) {
    if (!recordingActions.cancel(id)) throw fail('not-found', `transfer ${id}`);
    return { body: { result: true, id } };
  },
});

export const transferRoutes = group('recordings', [transfers, cancelTransfer], 'record');
