/** /api/NAME: the same operations as JSON. */
import type { FastifyInstance } from 'fastify';
import { contentTypes } from '../gate/failures.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { jsonDocument } from '../write/json.ts';
import type { PreparedAnswers } from '../write/prepared-answers.ts';
import { registerFace } from './dispatch.ts';
import type { Operation } from './operation.ts';

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
