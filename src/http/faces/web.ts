/** /web/NAME: the operations as XML. */
import type { FastifyInstance } from 'fastify';
import { contentTypes } from '../gate/failures.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import type { PreparedAnswers } from '../write/prepared-answers.ts';
import { registerFace } from './dispatch.ts';
import type { Operation } from './operation.ts';

export function registerWeb(
  app: FastifyInstance,
  parts: ReceiverParts,
  operations: readonly Operation[],
  prepared: PreparedAnswers,
): void {
  const contentType = ({ webType = contentTypes.xml }: Operation) => webType;
  registerFace(app, { family: 'web', prepared, contentType, write: (answer) => answer.web() }, parts, operations);
}
