/** The step for favourites: a new bouquet of chosen channels, in front of all others. */
import { useState } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { loadChannels } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { setupWords } from './texts.ts';

/** Channels shown at once; the filter finds the others. */
const maxShown = 200;

export function FavouritesStep() {
  const { value: bouquets } = useResponse(loadChannels, [], ['services']);
  const { value: files, reload } = useResponse((signal) => receiver.get('/bouquets', {}, { signal }), [], ['services']);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const setup = setupWords();
  if (bouquets === undefined || files === undefined) return null;
  const channels = bouquets.flatMap(({ channels }) => channels);
  if (channels.length === 0) return <Empty text={setup.noChannelsYet} />;
  const television = files.bouquets.filter(({ kind }) => kind === 'tv');
  // A scan makes a bouquet with the English name.
  const names = [setup.favourites, 'Favourites'].map(folded);
  const known = television.find(({ name }) => names.some((start) => folded(name).startsWith(start)));
  if (known)
    return (
      <section class="card" aria-labelledby="favourites">
        <h2 id="favourites">{setup.favourites}</h2>
        <p>{setup.hasFavourites(known.name)}</p>
        <p class="actions">
          <a class="button" href={href('bouquets', { file: known.file })}>
            {setup.changeFavourites}
          </a>
        </p>
      </section>
    );
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    // In the order in which they were chosen, which is that of the Set.
    const entries = JSON.stringify([...chosen].map((reference) => ({ reference })));
    await attempt(async () => {
      const { file } = await receiver.post('/bouquets', { name: setup.favourites, kind: 'tv' });
      await receiver.put('/bouquets/{file}', { file, entries });
      await receiver.put('/bouquets', { kind: 'tv', files: [file] });
    });
    await reload();
  };
  const toggle = (reference: string) => {
    const others = [...chosen].filter((one) => one !== reference);
    setChosen(new Set(chosen.has(reference) ? others : [...others, reference]));
  };
  const shown = channels.filter(({ name }) => folded(name).includes(folded(filter)));
  return (
    <section class="card" aria-labelledby="favourites">
      <h2 id="favourites">{setup.favourites}</h2>
      <p>{setup.favouritesAbout}</p>
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label class="wide">
          {setup.findChannel}
          <input type="search" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
        </label>
        <fieldset class="favourites wide">
          <legend class="unseen">{setup.favourites}</legend>
          {shown.slice(0, maxShown).map(({ reference, name, difference }) => (
            <label key={reference} class="choice">
              <input type="checkbox" checked={chosen.has(reference)} onChange={() => toggle(reference)} />
              {name} {difference && <small>{difference}</small>}
            </label>
          ))}
          {shown.length > maxShown && <p>…</p>}
        </fieldset>
        <button type="submit" class="button strong" disabled={chosen.size === 0}>
          {setup.saveFavourites(chosen.size)}
        </button>
      </form>
    </section>
  );
}
