/** /web/NAME: the operations as XML. */
import type { FastifyInstance } from 'fastify';
import { registerFace } from './dispatch.ts';
import { contentTypes } from './failures.ts';
import type { Operation } from './operation.ts';
import type { ReceiverParts } from './parts.ts';
import { sendPieces } from './replies.ts';

export function registerWeb(app: FastifyInstance, parts: ReceiverParts, operations: readonly Operation[]): void {
  registerFace(
    app,
    {
      family: 'web',
      sendRecord: (reply, answer, { webType = contentTypes.xml }) => sendPieces(reply.type(webType), answer.web()),
    },
    parts,
    operations,
  );
}
