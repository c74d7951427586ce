/**
 * `/api/transfers`: recordings being moved to another file system or copied, their progress, and their cancellation.
 */
import Type from 'typebox';
import { fail } from '../../errors.ts';
import { segmentInteger } from './parameters.ts';
import { route } from './route.ts';

const Transfer = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Unsafe<'move' | 'copy'>({ type: 'string', enum: ['move', 'copy'] }),
    from: Type.String({ description: 'path of the recording' }),
    to: Type.String({ description: 'path of the copy' }),
    done: Type.Integer({ description: 'bytes copied so far' }),
    total: Type.Integer({ description: 'total bytes of all its files' }),
  },
  { $id: 'Transfer' },
);

const common = { tag: 'recordings', caching: 'no-store' } as const;

export const transfers = route({
  ...common,
  method: 'GET',
  path: '/api/transfers',
  name: 'transfers',
  summary: 'The recordings being copied, or moved to another file system.',
  responses: {
    200: {
      description: 'oldest first',
      schema: Type.Object({ result: Type.Boolean(), transfers: Type.Array(Transfer) }),
      example: {
        result: true,
        transfers: [
          {
            id: 1,
            kind: 'copy',
            from: '/media/hdd/movie/Ships.ts',
            to: '/media/hdd/movie/series/Ships.ts',
            done: 104857600,
            total: 286200000,
          },
        ],
      },
    },
  },
  run: ({ recordingActions }) => ({ body: { result: true, transfers: [...recordingActions.transfers] } }),
});

export const cancelTransfer = route({
  ...common,
  method: 'DELETE',
  path: '/api/transfers/{id}',
  name: 'cancelTransfer',
  summary: 'Cancels a transfer; nothing of the copy remains.',
  segments: { id: segmentInteger('number of the transfer') },
  responses: {
    200: {
      description: 'it is being cancelled',
      schema: Type.Object({ result: Type.Boolean(), id: Type.Integer() }),
      example: { result: true, id: 1 },
    },
  },
  failures: { 400: 'an invalid number', 404: 'no such transfer' },
  run({ recordingActions }, { id }) {
    if (!recordingActions.cancel(id)) throw fail('not-found', `transfer ${id}`);
    return { body: { result: true, id } };
  },
});
