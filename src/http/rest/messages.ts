/** `/api/messages`: the messages on display, and how clients answer or close them. */
import Type from 'typebox';
import { messageKinds } from '../../device/messages.ts';
import { fail } from '../../errors.ts';
import { word } from '../gate/parameters.ts';
import { segmentInteger } from './parameters.ts';
import { route } from './route.ts';

const MessageSchema = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Unsafe<string>({ type: 'string', enum: [...messageKinds] }),
    text: Type.String(),
    timeout: Type.Integer({ minimum: 0, description: 'seconds to show it; 0 = until somebody closes it' }),
    since: Type.Integer({ description: 'when it arrived, in Unix seconds' }),
  },
  { $id: 'Message' },
);

export const messages = route({
  method: 'GET',
  path: '/api/messages',
  name: 'messages',
  tag: 'device',
  summary: 'The messages being shown, oldest first.',
  caching: 'no-store',
  responses: {
    200: {
      description: 'the messages',
      schema: Type.Object({ result: Type.Boolean(), messages: Type.Array(MessageSchema) }, { $id: 'MessageList' }),
      example: {
        result: true,
        messages: [{ id: 1, kind: 'question', text: 'Record the film?', timeout: 60, since: 1767291000 }],
      },
    },
  },
  run({ device }) {
    const open = device.messages.open.map(({ id, kind, text, timeout = 0, since }) => ({
      id,
      kind,
      text,
      timeout,
      since,
    }));
    return { body: { result: true, messages: open } };
  },
});

export const messageAnswer = route({
  method: 'POST',
  path: '/api/messages/{id}',
  name: 'messageAnswer',
  tag: 'device',
  summary: 'Answers a question, or closes a message.',
  caching: 'no-store',
  segments: { id: segmentInteger('number of the message') },
  fields: {
    answer: word('`yes` or `no` to a question; `close` closes a message', ['close', 'yes', 'no']).or('close'),
  },
  responses: {
    200: {
      description: 'the message is answered or closed',
      schema: Type.Object({ result: Type.Boolean() }),
      example: { result: true },
    },
  },
  failures: {
    404: 'it is no longer shown: somebody else answered it, or its time was up',
  },
  run({ device }, { id, answer }) {
    if (!device.messages.close(id, answer === 'close' ? undefined : answer)) throw fail('not-found', `message ${id}`);
    return { body: { result: true } };
  },
});
