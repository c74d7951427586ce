/** Exports with their progress, and those that have ended. */
import type { Result } from '../../../client/client.ts';
import { attempt } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { nameOf } from './library.ts';

const pollDelayMs = 1000;

export function Exports() {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/exports', {}, { signal }),
    [],
    ['recordings'],
    ({ exports }) =>
      exports.some(({ state }) => state === 'running' || state === 'waiting') ? pollDelayMs : undefined,
  );
  const all = value?.exports ?? [];
  if (all.length === 0) return null;
  const { common, recordings: texts } = words.value;
  const remove = async (id: number) => {
    await attempt(() => receiver.delete('/api/exports/{id}', { id }));
    await reload();
  };
  return (
    <section class="day running-now">
      <h2 class="day-head">{texts.exports}</h2>
      <ol>
        {all.map(({ id, from, to, format, cut, state, progress, error }) => (
          <li key={id} class="row">
            <span class="what">
              <strong>{to === null ? `${nameOf(from)} → ${format.toUpperCase()}` : nameOf(to)}</strong>
              <Note {...{ cut, state, error }} />
              {state === 'running' && (
                <span class="run">
                  <progress max={1} value={progress} aria-label={texts.progress(nameOf(from))} />
                  {Math.floor(progress * 100)} %
                </span>
              )}
            </span>
            {to !== null && (
              <a class="button" href={receiver.address('/file', { file: to })}>
                {texts.download}
              </a>
            )}
            <button type="button" class="button" data-needs="record" onClick={() => void remove(id)}>
              {state === 'done' || state === 'failed' ? texts.exportRemove : common.cancel}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

type NoteProps = Pick<Result<'get', '/api/exports'>['exports'][number], 'cut' | 'state' | 'error'>;

function Note({ cut, state, error }: NoteProps) {
  const { recordings: texts } = words.value;
  const notes = [cut && texts.withoutBreaks, state === 'waiting' && texts.exportWaiting, error].filter(Boolean);
  return notes.length === 0 ? null : <span class="sub">{notes.join(' · ')}</span>;
}
