/** Copies, and moves to another disk, with their progress. */
import { attempt } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { sizeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { folderOf, nameOf } from './library.ts';

const pollDelayMs = 1000;

export function Transfers() {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/transfers', {}, { signal }),
    [],
    ['recordings'],
    ({ transfers }) => (transfers.length > 0 ? pollDelayMs : undefined),
  );
  const all = value?.transfers ?? [];
  if (all.length === 0) return null;
  const { common, recordings: texts } = words.value;
  const cancel = async (id: number) => {
    await attempt(() => receiver.delete('/api/transfers/{id}', { id }));
    await reload();
  };
  return (
    <section class="day running-now">
      <h2 class="day-head">{texts.copying}</h2>
      <ol>
        {all.map(({ id, kind, from, to, done, total }) => (
          <li key={id} class="row">
            <span class="what">
              <strong>{nameOf(from)}</strong>
              <span class="sub">{(kind === 'move' ? texts.movingTo : texts.copyingTo)(folderOf(to))}</span>
              <span class="run">
                <progress max={total || 1} value={done} aria-label={texts.progress(nameOf(from))} />
                {sizeOf(done)} / {sizeOf(total)}
              </span>
            </span>
            <button type="button" class="button" data-needs="record" onClick={() => void cancel(id)}>
              {common.cancel}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
