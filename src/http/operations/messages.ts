/** Messages to whoever sits before the receiver, and the answer to a question. */
import Type from 'typebox';
import { type MessageKind, messageKinds } from '../../device/messages.ts';
import { ReceiverError } from '../../errors.ts';
import { done, operation, SimpleResult, simpleResult } from '../operation.ts';
import { integer, Parameter, text } from '../parameters.ts';

const common = { since: '0.1', tag: 'device', result: SimpleResult, xml: simpleResult } as const;

const kind = new Parameter<MessageKind>(
  '0 question (yes or no), 1 information, 2 warning, 3 error; another number = 1',
  Type.Integer({ minimum: 0, maximum: 3 }),
  (given = '') => {
    const number = /^\s*([+-]?\d{1,15})\s*$/.exec(given)?.[1];
    // A text that clients know.
    if (number === undefined) throw new ReceiverError('parameter-invalid', `type ${given} is not a number`);
    return messageKinds[Number(number)] ?? 'information';
  },
).required();

const message = operation({
  ...common,
  name: 'message',
  summary: 'Shows a message, or asks a question.',
  description:
    'It is shown on the video output if there is one, on the web page, and told on the event stream. The answer to a question is what ' +
    'messageanswer gives; a new question takes it away.',
  parameters: {
    text: text('what to show').required(),
    type: kind,
    timeout: integer('seconds it is shown; absent, 0 or -1 = until somebody closes it', {
      minimum: -1,
      maximum: 86_400,
    }),
  },
  changesState: true,
  example: { result: true, message: 'Message sent successfully!' },
  run({ device: { messages } }, { text, type, timeout }) {
    messages.show(type, text, timeout);
    return done('Message sent successfully!');
  },
});

const messageanswer = operation({
  ...common,
  name: 'messageanswer',
  summary: 'The answer to the last question.',
  parameters: { getanswer: text('`now`, as clients send it; it means nothing') },
  example: { result: true, message: 'Answer is YES!' },
  run({ device: { messages } }) {
    const { answer } = messages;
    return answer === undefined
      ? { result: false, message: 'No answer in time' }
      : done(`Answer is ${answer.toUpperCase()}!`);
  },
});

export const messageOperations = [message, messageanswer];
