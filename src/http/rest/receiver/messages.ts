/** `/api/messages`: lists the messages on display, and answers or closes them. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { messageKinds } from '../../../device/messages.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { choice } from '../../middleware/parameters.ts';
import { field, oneOf, recordSchema } from '../../write/record.ts';
import { segmentInteger } from '../segments.ts';

const Message = recordSchema(
  {
    id: 1,
    kind: oneOf(messageKinds),
    text: 'Record the film?',
    timeout: field(60, {
      minimum: 0,
      description: 'seconds for which the message is shown; 0 = until it is closed',
    }),
    since: field(1767291000, 'Unix seconds at which the message arrived'),
  },
  { $id: 'Message' },
);

const messages = route({
  path: '/api/messages',
  name: 'messages',
  summary: 'The messages on display, oldest first.',
  responses: {
    200: {
      description: 'the messages',
      schema: recordSchema({ result: true, messages: Type.Array(Message) }, { $id: 'MessageList' }),
    },
  },
  run({ device }) {
    const open = device.messages.open.map(({ id, kind, text, timeout = 0, since }) => {
      return { id, kind, text, timeout, since };
    });
    return { body: { result: true, messages: open } };
  },
});

const messageAnswer = route({
  method: 'POST',
  path: '/api/messages/{id}',
  name: 'messageAnswer',
  summary: 'Answers a question, or closes a message.',
  parameters: {
    id: segmentInteger('id of the message'),
    answer: choice('`yes` or `no` answers a question; `close` closes a message', ['close', 'yes', 'no']).or('close'),
  },
  responses: {
    200: { description: 'the message is answered or closed', schema: recordSchema({ result: true }) },
  },
  failures: { 404: 'the message is no longer shown: it was answered, closed, or its time is over' },
  run({ device }, { id, answer }) {
    if (!device.messages.close(id, answer === 'close' ? undefined : answer)) throw fail('not-found', `message ${id}`);
    return { body: { result: true } };
  },
});

export const messageRoutes = group('device', [messages, messageAnswer], 'control');
