/** /api/NAME: the same operations as JSON. */
import type { FastifyInstance } from 'fastify';
import { registerFace } from './dispatch.ts';
import { contentTypes } from './failures.ts';
import { jsonDocument } from './json.ts';
import type { Operation } from './operation.ts';
import type { ReceiverParts } from './parts.ts';
import { sendPieces } from './replies.ts';

export function registerApi(app: FastifyInstance, parts: ReceiverParts, operations: readonly Operation[]): void {
  registerFace(
    app,
    {
      family: 'api',
      sendRecord: (reply, answer) => sendPieces(reply.type(contentTypes.json), jsonDocument(answer.json)),
    },
    parts,
    operations,
  );
}
