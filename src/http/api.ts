/** /api/NAME: the same operations as JSON. */
import type { FastifyInstance } from 'fastify';
import { registerFace } from './dispatch.ts';
import { contentTypes } from './failures.ts';
import { jsonDocument } from './json.ts';
import type { Operation } from './operation.ts';
import type { ReceiverParts } from './parts.ts';
import type { PreparedAnswers } from './prepared-answers.ts';

export function registerApi(
  app: FastifyInstance,
  parts: ReceiverParts,
  operations: readonly Operation[],
  prepared: PreparedAnswers,
): void {
  const contentType = () => contentTypes.json;
  registerFace(
    app,
    { family: 'api', prepared, contentType, write: ({ json }) => jsonDocument(json) },
    parts,
    operations,
  );
}
