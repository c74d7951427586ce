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

/** The choice of the bouquet that the pages show. */
export function BouquetPicker({ onPick, ...rest }: PickerProps) {
  const pick = (bouquet?: Bouquet) => {
    if (bouquet === undefined) return;
    choose(bouquet.reference);
    onPick(bouquet);
  };
  return <BouquetButton {...rest} label={words.value.channels.bouquet} onPick={pick} />;
}

interface ListProps {
  readonly bouquets: readonly Bouquet[];
  /** Undefined if no bouquet is marked. */
  readonly shown?: Bouquet | undefined;
  /** Name of a choice without a bouquet, listed first. */
  readonly any?: string;
  readonly onPick: (bouquet?: Bouquet) => void;
}

/** A button with the name of the bouquet. It opens a list that can be filtered. */
export function BouquetButton({ label, onPick, ...list }: ListProps & { readonly label: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const { shown, any } = list;
  const name = shown?.name ?? any;
  const pick = (bouquet?: Bouquet) => {
    close();
    onPick(bouquet);
  };
  return (
    <>
      <button
        type="button"
        class={`button bouquet ${any && shown ? 'set' : ''}`}
        aria-haspopup="dialog"
        aria-label={`${label}: ${name}`}
        onClick={() => setOpen(true)}
      >
        <span>{name}</span> <Icon of={ChevronDown} size={16} />
      </button>
      {isOpen && <BouquetDialog {...list} onPick={pick} onClose={close} />}
    </>
  );
}

/** A list of bouquets that can be filtered. */
export function BouquetDialog({ onClose, ...list }: ListProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={words.value.channels.bouquets} class="bouquets-dialog" onClose={onClose}>
      <List {...list} />
    </Dialog>
  );
}

function List({ bouquets, shown, any, onPick }: ListProps) {
  const [filter, setFilter] = useState('');
  const { channels } = words.value;
  const found = bouquets.filter(({ name }) => folded(name).includes(folded(filter.trim())));
  const latest = recent.value.flatMap((reference) => found.find((bouquet) => bouquet.reference === reference) ?? []);
  const favourites = bouquets.filter(isFavourites);
  // Few bouquets need no shortcuts.
  const isLong = bouquets.length > 2 * maxRecent;
  const groups: readonly (readonly [title: string, listed: readonly (Bouquet | undefined)[]])[] = [
    ['', [...(any && !filter ? [undefined] : []), ...found.filter((bouquet) => favourites.includes(bouquet))]],
    [channels.recent, isLong ? latest : []],
    ['TV', found.filter((bouquet) => bouquet.kind === 'tv' && !favourites.includes(bouquet))],
    ['Radio', found.filter(({ kind }) => kind === 'radio')],
  ];
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
              {title && <h3>{title}</h3>}
              <ul>
                {listed.map((bouquet) => (
                  <li key={bouquet?.reference}>
                    <button
                      type="button"
                      aria-current={bouquet?.reference === shown?.reference ? 'true' : undefined}
                      onClick={() => onPick(bouquet)}
                    >
                      {bouquet ? bouquet.name : any}
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
