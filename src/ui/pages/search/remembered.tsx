/** The searches of before, while nothing is searched for, and how to save one. */
import { Bookmark, X } from 'lucide';
import { useState } from 'preact/hooks';
import { say } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { forget, forgetLatest, latest, type Query, save, saved } from './saved.ts';

export function Remembered() {
  const { search } = words.value;
  if (saved.value.length === 0 && latest.value.length === 0) return <Empty text={search.hint} />;
  return (
    <div class="remembered">
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
      {latest.value.length > 0 && (
        <section>
          <h2>{search.recent}</h2>
          <ul>
            {latest.value.map(({ name, query }) => (
              <li key={name}>
                <a href={href('search', query)}>{name}</a>
              </li>
            ))}
          </ul>
          <button type="button" class="plain" onClick={forgetLatest}>
            {search.clearRecent}
          </button>
        </section>
      )}
    </div>
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
    say(search.savedAs(name));
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
