/** What the search page shows while nothing is asked: topics, saved and recent searches. And the button that saves a search. */
import { Bookmark, X } from 'lucide';
import { useState } from 'preact/hooks';
import { showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { genreClass, genreKeys } from '../../shared/genres.ts';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import type { Query } from './query.ts';
import { clearRecent, forget, recent, save, saved } from './saved.ts';

export function Remembered() {
  const { search } = words.value;
  return (
    <div class="remembered">
      <Topics />
      {saved.value.length > 0 && (
        <section>
          <h2>{search.saved}</h2>
          <ul>
            {saved.value.map(({ name, query }) => (
              <li key={name}>
                <a href={href('search', query)}>{name}</a>
                <button type="button" class="bare" aria-label={search.forget(name)} onClick={() => forget(name)}>
                  <Icon of={X} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {recent.value.length > 0 && (
        <section>
          <h2>{search.recent}</h2>
          <ul>
            {recent.value.map(({ name, query }) => (
              <li key={name}>
                <a href={href('search', query)}>{name}</a>
              </li>
            ))}
          </ul>
          <button type="button" class="plain" onClick={clearRecent}>
            {search.clearRecent}
          </button>
        </section>
      )}
    </div>
  );
}

/** Searches without a text, for browsing. */
function Topics() {
  const { genres, home, search } = words.value;
  return (
    <nav class="topics" aria-label={search.browse}>
      <a href={href('search', { when: 'now' })}>{search.now}</a>
      <a href={href('search', { when: 'tonight' })}>{home.tonight}</a>
      {genreKeys.map((genre, index) => (
        <a key={genre} class={genreClass((index + 1) << 4)} href={href('search', { genre })}>
          {genres[genre]}
        </a>
      ))}
    </nav>
  );
}

export function SaveButton({ query }: { readonly query: Query }) {
  const [isOpen, setOpen] = useState(false);
  const { common, search } = words.value;
  const close = () => setOpen(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const name = String(new FormData(event.currentTarget).get('name')).trim();
    if (name === '') return;
    save(name, query);
    close();
    showToast(search.savedAs(name));
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon of={Bookmark} size={16} /> {search.save}
      </button>
      {isOpen && (
        <Dialog title={search.save} onClose={close}>
          <form onSubmit={submit}>
            <label>
              {search.name}
              <input name="name" required maxLength={60} defaultValue={query.text} autocomplete="off" />
            </label>
            <p class="actions">
              <button type="submit" class="button strong">
                {common.save}
              </button>
            </p>
          </form>
        </Dialog>
      )}
    </>
  );
}
