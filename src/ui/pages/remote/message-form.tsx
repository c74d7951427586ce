/** Sends a message or a question to the screen, and shows the answer. */
import { attempt, showToast } from '../../shared/attempt.ts';
import { Options } from '../../shared/options.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

const kinds = ['question', 'information', 'warning', 'error'] as const;
/** Choices in seconds; 0: until it is closed. */
const timeouts = [10, 30, 60, 300, 0];

export function MessageForm() {
  const { value: answer } = useResponse(
    // Fails if there is no answer.
    (signal) =>
      receiver
        .get('/api/messageanswer', {}, { signal })
        .then(({ message }) => message)
        .catch(() => ''),
    [],
    ['message'],
  );
  const { common, messages, remote, time } = words.value;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const [text, type, timeout] = [String(given.get('text')), Number(given.get('type')), Number(given.get('timeout'))];
    const done = await attempt(() => receiver.post('/api/message', { text, type, timeout }));
    if (done === undefined) return;
    // Keeps the other fields, because the next message is likely to be similar, and one that is already being typed.
    const field = form.elements.namedItem('text');
    if (field instanceof HTMLTextAreaElement && field.value === text) field.value = '';
    showToast(remote.sent);
  };
  return (
    <section class="card" aria-labelledby="message">
      <h2 id="message">{remote.message}</h2>
      <form class="fields" onSubmit={(event) => void send(event)}>
        <label class="wide">
          {remote.text}
          <textarea name="text" required rows={2} maxLength={500} />
        </label>
        <label>
          {remote.kind}
          <select name="type">
            {kinds.map((kind, number) => (
              <option key={kind} value={number} selected={kind === 'information'}>
                {messages[kind]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {remote.showFor}
          <select name="timeout">
            <Options
              of={timeouts.map((seconds) => [
                seconds,
                seconds === 0
                  ? remote.untilClosed
                  : seconds < 60
                    ? remote.seconds(seconds)
                    : time.minutes(seconds / 60),
              ])}
            />
          </select>
        </label>
        <button type="submit" class="button">
          {remote.send}
        </button>
      </form>
      {answer && <p role="status">{remote.answered(answer.includes('YES') ? common.yes : common.no)}</p>}
    </section>
  );
}
