/** Messages to the viewer. Each stays until it is answered or closed, here or on another client, or times out. */
import type { Message } from '../../client/client.ts';
import { attempt } from '../shared/attempt.ts';
import { receiver } from '../shared/receiver.ts';
import { useResponse } from '../shared/use-response.ts';
import { words } from '../shared/words.ts';

export function Messages() {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/messages', {}, { signal, priority: 'low' }),
    [],
    ['message'],
  );
  const answer = async (id: number, answered: MessageAnswer) => {
    await attempt(() => receiver.post('/api/messages/{id}', { id, answer: answered }));
    // Another client may have answered first.
    await reload();
  };
  return (
    <section class="messages" aria-label={words.value.messages.messages} aria-live="assertive">
      {value?.messages.map((message) => (
        <MessageBox key={message.id} message={message} onAnswer={answer} />
      ))}
    </section>
  );
}

type MessageAnswer = 'yes' | 'no' | 'close';

interface MessageBoxProps {
  readonly message: Message;
  readonly onAnswer: (id: number, answer: MessageAnswer) => Promise<void>;
}

function MessageBox({ message: { id, kind, text }, onAnswer }: MessageBoxProps) {
  const { common, messages } = words.value;
  const answers: readonly (readonly [MessageAnswer, string])[] =
    kind === 'question'
      ? [
          ['yes', common.yes],
          ['no', common.no],
        ]
      : [['close', common.ok]];
  const title = `message-${id}`;
  return (
    <div class={`message ${kind}`} role="alertdialog" aria-labelledby={title} aria-describedby={`${title}-text`}>
      <h2 id={title}>{messages[kind]}</h2>
      <p id={`${title}-text`}>{text}</p>
      <div class="answers">
        {answers.map(([answer, label]) => (
          <button key={answer} type="button" class="button" onClick={() => void onAnswer(id, answer)}>
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}
