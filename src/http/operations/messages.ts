/** Messages on the screen, and the answer to a question. */
import Type from 'typebox';
import { type MessageKind, messageKinds } from '../../device/messages.ts';
import { ReceiverError } from '../../errors.ts';
import { action, area, done } from '../faces/operation.ts';
import { integer, Parameter, text } from '../gate/parameters.ts';

const kind = new Parameter<MessageKind>(
  '0 question (yes or no), 1 information, 2 warning, 3 error; another number = 1',
  Type.Integer({ minimum: 0, maximum: 3 }),
  (given = '') => {
    const number = /^\s*([+-]?\d{1,15})\s*$/.exec(given)?.[1];
    // Clients know this text.
    if (number === undefined) throw new ReceiverError('parameter-invalid', `type ${given} is not a number`);
    return messageKinds[Number(number)] ?? 'information';
  },
).required();

const message = action({
  name: 'message',
  summary: 'Shows a message, or asks a question.',
  description:
    'The message appears on the video output, if there is one, on the web page, and on the event stream. messageanswer returns the ' +
    'answer to a question; a new question clears it.',
  parameters: {
    text: text('text to show').required(),
    type: kind,
    timeout: integer('seconds to show it; absent, 0 or -1 = until somebody closes it', {
      minimum: -1,
      maximum: 86_400,
    }),
  },
  says: 'Message sent successfully!',
  run({ device: { messages } }, { text, type, timeout }) {
    messages.show(type, text, timeout);
    return done('Message sent successfully!');
  },
});

const messageanswer = action({
  name: 'messageanswer',
  summary: 'The answer to the last question.',
  parameters: { getanswer: text('`now`, as clients send it; ignored') },
  changesState: false,
  says: 'Answer is YES!',
  run({ device: { messages } }) {
    const { answer } = messages;
    return answer === undefined
      ? { result: false, message: 'No answer in time' }
      : done(`Answer is ${answer.toUpperCase()}!`);
  },
});

export const messageOperations = area('device', [message, messageanswer]);
