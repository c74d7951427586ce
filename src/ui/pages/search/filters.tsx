/** The filters of a search, in the address. */
import type { ComponentChildren } from 'preact';
import { BouquetButton } from '../../shared/bouquets.tsx';
import { genreKeys } from '../../shared/genres.ts';
import { Options } from '../../shared/options.tsx';
import { now } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import { useBouquets } from '../../shared/services.ts';
import { dayKey, dayOf, startOfDay } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import type { Query } from './query.ts';

/** Number of days to choose from. */
const days = 15;

/** Name of the parameter in the address, label, label of the choice without a filter, and values with their labels. */
type Choice = readonly [name: string, label: string, any: string, options: readonly (readonly [string, string])[]];

interface FiltersProps {
  readonly query: Query;
  /** Further controls, in the same row. */
  readonly children: ComponentChildren;
}

export function Filters({ query, children }: FiltersProps) {
  const { value: bouquets = [] } = useBouquets();
  const { home, search, genres } = words.value;
  const today = startOfDay(now());
  const listed = Array.from({ length: days }, (_, index) => startOfDay(today, index));
  const named = (...keys: readonly ('now' | 'morning' | 'afternoon' | 'evening' | 'night' | 'long' | 'short')[]) =>
    keys.map((key) => [key, search[key]] as const);
  const whens = [
    ...named('now'),
    ['tonight', home.tonight],
    ['tomorrow-night', home.tomorrow],
    ...listed.map((day) => [dayKey(day), dayOf(day)] as const),
  ] as const;
  const choices: readonly Choice[] = [
    ['when', search.day, search.anyDay, whens],
    ['part', search.part, search.anyPart, named('morning', 'afternoon', 'evening', 'night')],
    ['genre', search.genre, search.anyGenre, genreKeys.map((genre) => [genre, genres[genre]])],
    ['length', search.length, search.anyLength, named('long', 'short')],
  ];
  return (
    <div class="filters">
      {choices.map(([name, label, any, options]) => (
        <select
          key={name}
          aria-label={label}
          class={query[name] ? 'set' : ''}
          value={query[name] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ ...query, day: undefined, [name]: value || undefined }, { replace: true })
          }
        >
          <option value="">{any}</option>
          <Options of={options} />
        </select>
      ))}
      <BouquetButton
        label={search.channels}
        bouquets={bouquets}
        shown={bouquets.find(({ reference }) => reference === query.bouquet)}
        any={search.anyChannel}
        onPick={(bouquet) => change({ bouquet: bouquet?.reference }, { replace: true })}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={query.everywhere === '1'}
          onChange={(event) => change({ everywhere: event.currentTarget.checked ? 1 : undefined }, { replace: true })}
        />
        {search.descriptionsToo}
      </label>
      {children}
    </div>
  );
}
