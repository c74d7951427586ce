/** Recordings that have failed, or are failing, until somebody dismisses them. */
import { X } from 'lucide';
import { attempt } from './attempt.ts';
import { Icon } from './icon.tsx';
import { receiver } from './receiver.ts';
import { momentOf } from './time.ts';
import { useResponse } from './use-response.ts';
import { words } from './words.ts';

export function Failures() {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/notifications', {}, { signal, priority: 'low' }),
    [],
    ['notice', 'timers'],
  );
  const { common, timers: texts } = words.value;
  if (!value?.failures.length) return null;
  const dismiss = async (id: string) => {
    await attempt(() => receiver.post('/api/notifications/dismiss', { id }));
    await reload();
  };
  return (
    <section class="notice failures" role="status" aria-label={texts.failures}>
      <h2>{texts.failures}</h2>
      <ul>
        {value.failures.map(({ id, title, service, begin, problem, ongoing }) => (
          <li key={id}>
            <span>
              <strong>{title || common.untitled}</strong>{' '}
              <small>{[service, momentOf(begin)].filter(Boolean).join(' · ')}</small>
              <br />
              {[problem, ongoing && texts.stillTrying].filter(Boolean).join(' · ')}
            </span>
            <button
              type="button"
              class="bare"
              data-needs="record"
              aria-label={texts.dismissNamed(title)}
              onClick={() => void dismiss(id)}
            >
              <Icon of={X} size={18} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
