/** The guide sources: when each was read, with what result, and when it is read next. */
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Options } from '../../shared/options.tsx';
import { receiver } from '../../shared/receiver.ts';
import { importTimeoutMs } from '../../shared/source-form.tsx';
import { momentOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { sentence, words } from '../../shared/words.ts';
import { setupWords } from './texts.ts';

type Source = Result<'get', '/api/guidesources'>['sources'][number];

/** `version`: changes when a source was added. */
export function GuideSources({ version, onChange }: { readonly version: unknown; readonly onChange: () => unknown }) {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/guidesources', {}, { signal }),
    [version],
    ['guide'],
  );
  const setup = setupWords();
  if (value === undefined || value.sources.length === 0) return null;
  const report = async (request: Promise<unknown>, text: string) => {
    if ((await attempt(() => request)) !== undefined) showToast(text);
    await Promise.all([reload(), onChange()]);
  };
  const refresh = ({ id }: Source) =>
    report(receiver.post('/api/guidesources/{id}/refresh', { id }, { timeoutMs: importTimeoutMs }), setup.sourceRead);
  const setPriority = ({ id }: Source, priority: number) =>
    report(receiver.post('/api/guidesources/{id}/priority', { id, priority }), setup.readAgainSoon);
  const remove = ({ id }: Source) => report(receiver.delete('/api/guidesources/{id}', { id }), setup.sourceRemoved);
  return (
    <section class="card" aria-labelledby="guide-sources">
      <h2 id="guide-sources">{setup.sources}</h2>
      <p class="hint">{setup.sourcesAbout}</p>
      <ul class="matches guide-sources">
        {value.sources.map((source) => (
          <li key={source.id}>
            <span>
              {source.name} <small>{resultOf(source)}</small> <small class="trouble">{troubleOf(source)}</small>
              {source.channels.length > 0 && (
                <details class="more">
                  <summary>{setup.unmatchedChannels}</summary>
                  <ul>
                    {source.channels.map(({ id, name }) => (
                      <li key={id}>
                        {name || id} <small>{name && id}</small>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </span>
            <span class="actions">
              <select
                aria-label={`${setup.priority}: ${source.name}`}
                value={source.priority}
                disabled={source.fixed}
                onChange={({ currentTarget }) => void setPriority(source, Number(currentTarget.value))}
              >
                <Options
                  of={prioritiesOf(source).map((priority) => [
                    priority,
                    priority > 0 ? setup.overBroadcast : priority < 0 ? setup.onlyGaps : setup.lastWins,
                  ])}
                />
              </select>
              <button
                type="button"
                class="button"
                aria-label={`${setup.readNow}: ${source.name}`}
                onClick={() => void refresh(source)}
              >
                {setup.readNow}
              </button>
              {!source.fixed && (
                <button
                  type="button"
                  class="button"
                  aria-label={`${words.value.common.delete}: ${source.name}`}
                  onClick={() => void remove(source)}
                >
                  {words.value.common.delete}
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function resultOf({ checked, imported, next, failures, programmes, unmatched }: Source): string {
  const setup = setupWords();
  const isUnchanged = failures === 0 && checked !== null && imported !== null && checked > imported;
  return [
    imported === null ? setup.neverRead : setup.lastRead(momentOf(imported), programmes, unmatched),
    isUnchanged && setup.checked(momentOf(checked)),
    next !== null && sentence(setup.nextReading(momentOf(next))),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Above, equal to and below the broadcast; the source's own value stands for its kind. */
const prioritiesOf = ({ priority: own }: Source): readonly number[] =>
  [5, 0, -5].map((one) => (Math.sign(one) === Math.sign(own) ? own : one));

/** The last failure, or what is wrong with the guide that was imported. */
const troubleOf = ({ checked, failures, problem }: Source): string =>
  failures > 0 && checked !== null ? setupWords().readingFailed(momentOf(checked), problem ?? '') : (problem ?? '');
