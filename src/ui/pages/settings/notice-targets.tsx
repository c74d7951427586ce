/** Where notices are sent, what has become of them, and a button that sends a test. */
import { useState } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { type Texts, useTexts } from './texts.ts';

export function NoticeTargets() {
  const texts = useTexts();
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/notifications/targets', {}, { signal }),
    [],
    ['notice'],
  );
  const [tested, setTested] = useState<ReadonlyMap<string, string> | 'running'>();
  if (texts === undefined) return null;
  const { page } = texts;
  const test = async () => {
    setTested('running');
    const done = await attempt(() => receiver.post('/api/notifications/test', {}));
    setTested(done && new Map(done.targets.map(({ name, problem }) => [name, problem])));
    await reload();
  };
  const results = tested === 'running' ? undefined : tested;
  // The settings may have been saved since the last look.
  const names = [...new Set([...(results?.keys() ?? []), ...(value?.targets ?? []).map(({ name }) => name)])];
  return (
    <>
      <p class="actions">
        <button type="button" class="button" disabled={tested === 'running'} onClick={() => void test()}>
          {tested === 'running' ? page.sending : page.test}
        </button>
      </p>
      <ul class="notice-targets" aria-live="polite">
        {results?.size === 0 && <li>{page.noTarget}</li>}
        {names.map((name) => {
          const state = value?.targets.find((one) => one.name === name);
          const problem = results?.get(name) ?? state?.problem ?? '';
          return (
            <li key={name} class={problem ? 'trouble' : ''}>
              <code>{name}</code>{' '}
              {[problem || (results?.has(name) && page.delivered), waitingText(page, state)]
                .filter(Boolean)
                .join(' · ')}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const waitingText = (page: Texts['page'], state: { readonly pending: number } | undefined) =>
  state !== undefined && state.pending > 0 ? page.waiting(state.pending) : '';
