/** The bouquet that the pages show. The choice on one page holds for all pages, for other tabs, and after a reload. */
import { signal } from '@preact/signals';
import { ChevronDown } from 'lucide';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { folded } from './fold.ts';
import { Icon } from './icon.tsx';
import { route } from './route.ts';
import type { Bouquet } from './services.ts';
import { words } from './words.ts';

const storageKey = 'bouquets';
/** Bouquets listed first in the picker. */
const maxRecent = 5;

/** References of the bouquets chosen on this browser, latest first. */
const recent = signal(read());
addEventListener('storage', ({ key }) => {
  if (key === storageKey) recent.value = read();
});

function read(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function choose(reference: string): void {
  recent.value = [reference, ...recent.value.filter((other) => other !== reference)].slice(0, maxRecent);
  try {
    localStorage.setItem(storageKey, JSON.stringify(recent.value));
  } catch {
    // Without local storage, the choice lasts until the page is closed.
  }
}

/** The bouquet to show: the one in the address, else the one chosen last, else the favourites, else the first one. */
export function shownBouquet(bouquets: readonly Bouquet[]): Bouquet | undefined {
  const wanted = route.value.query.bouquet ?? recent.value[0];
  return bouquets.find(({ reference }) => reference === wanted) ?? bouquets.find(isFavourites) ?? bouquets[0];
}

/** Whether a bouquet is the one that a scan or the set-up makes of the favourites, and has channels. */
function isFavourites({ reference, kind, before }: Bouquet, index: number, all: readonly Bouquet[]): boolean {
  const next = all[index + 1];
  const isEmpty = next?.kind === kind && next.before === before;
  return reference.includes('"userbouquet.favourites.tv"') && !isEmpty;
}

interface PickerProps {
  readonly bouquets: readonly Bouquet[];
  readonly shown: Bouquet;
  readonly onPick: (bouquet: Bouquet) => void;
}

/** A button with the name of the bouquet. It opens a list that can be filtered. */
export function BouquetPicker({ bouquets, shown, onPick }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const pick = (bouquet: Bouquet) => {
    setOpen(false);
    choose(bouquet.reference);
    onPick(bouquet);
  };
  const { channels } = words.value;
  return (
    <>
      <button
        type="button"
        class="button bouquet"
        aria-haspopup="dialog"
        aria-label={`${channels.bouquet}: ${shown.name}`}
        onClick={() => setOpen(true)}
      >
        <span>{shown.name}</span> <Icon of={ChevronDown} size={16} />
      </button>
      {isOpen && <BouquetDialog bouquets={bouquets} shown={shown} onPick={pick} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ListProps extends Pick<PickerProps, 'bouquets' | 'onPick'> {
  /** Undefined if no bouquet is marked. */
  readonly shown?: Bouquet;
}

/** A list of bouquets that can be filtered. */
export function BouquetDialog({ onClose, ...list }: ListProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={words.value.channels.bouquets} class="bouquets-dialog" onClose={onClose}>
      <List {...list} />
    </Dialog>
  );
}

function List({ bouquets, shown, onPick }: ListProps) {
  const [filter, setFilter] = useState('');
  const { channels } = words.value;
  const found = bouquets.filter(({ name }) => folded(name).includes(folded(filter.trim())));
  const latest = recent.value.flatMap((reference) => found.find((bouquet) => bouquet.reference === reference) ?? []);
  // Few bouquets need no shortcuts.
  const isLong = bouquets.length > 2 * maxRecent;
  const groups = [
    [channels.recent, isLong ? latest : []],
    ['TV', found.filter(({ kind }) => kind === 'tv')],
    ['Radio', found.filter(({ kind }) => kind === 'radio')],
  ] as const;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const [first] = found;
    if (first) onPick(first);
  };
  return (
    <>
      <form onSubmit={submit}>
        <input
          type="search"
          aria-label={channels.filterBouquets}
          placeholder={channels.filterBouquets}
          autocomplete="off"
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </form>
      {found.length === 0 && <p role="status">{channels.noBouquet}</p>}
      {groups.map(
        ([title, listed]) =>
          listed.length > 0 && (
            <section key={title}>
              <h3>{title}</h3>
              <ul>
                {listed.map((bouquet) => (
                  <li key={bouquet.reference}>
                    <button
                      type="button"
                      aria-current={bouquet.reference === shown?.reference ? 'true' : undefined}
                      onClick={() => onPick(bouquet)}
                    >
                      {bouquet.name}
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  );
}
