/** /web/NAME: the operations as XML. */
import type { FastifyInstance } from 'fastify';
import { registerFace } from './dispatch.ts';
import { contentTypes } from './failures.ts';
import type { Operation } from './operation.ts';
import type { ReceiverParts } from './parts.ts';
import type { PreparedAnswers } from './prepared-answers.ts';

export function registerWeb(
  app: FastifyInstance,
  parts: ReceiverParts,
  operations: readonly Operation[],
  prepared: PreparedAnswers,
): void {
  const contentType = ({ webType = contentTypes.xml }: Operation) => webType;
  registerFace(app, { family: 'web', prepared, contentType, write: (answer) => answer.web() }, parts, operations);
}
