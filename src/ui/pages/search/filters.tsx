/** The filters of a search, in the address. */
import type { ComponentChildren } from 'preact';
import { genreKeys } from '../../shared/genres.ts';
import { now } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import { useBouquets } from '../../shared/services.ts';
import { dayKey, dayOf, startOfDay } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import type { Query } from './query.ts';

/** Number of days to choose from. */
const days = 15;

interface FiltersProps {
  readonly query: Query;
  /** Further controls, in the same row. */
  readonly children: ComponentChildren;
}

export function Filters({ query, children }: FiltersProps) {
  const { value: bouquets = [] } = useBouquets();
  const { home, search } = words.value;
  const today = startOfDay(now());
  const listed = Array.from({ length: days }, (_, index) => startOfDay(today, index));
  return (
    <div class="filters">
      <Choice
        query={query}
        name="when"
        label={search.day}
        any={search.anyDay}
        options={[
          ['now', search.now],
          ['tonight', home.tonight],
          ['tomorrow-night', home.tomorrow],
          ...listed.map((day) => [dayKey(day), dayOf(day)] as const),
        ]}
      />
      <Choice
        query={query}
        name="part"
        label={search.part}
        any={search.anyPart}
        options={[
          ['morning', search.morning],
          ['afternoon', search.afternoon],
          ['evening', search.evening],
          ['night', search.night],
        ]}
      />
      <Choice
        query={query}
        name="genre"
        label={search.genre}
        any={search.anyGenre}
        options={genreKeys.map((genre) => [genre, words.value.genres[genre]])}
      />
      <Choice
        query={query}
        name="length"
        label={search.length}
        any={search.anyLength}
        options={[
          ['long', search.long],
          ['short', search.short],
        ]}
      />
      <Choice
        query={query}
        name="bouquet"
        label={search.channels}
        any={search.anyChannel}
        options={bouquets.map(({ reference, name, kind }) => [
          reference,
          kind === 'radio' ? `${name} (${words.value.bouquets.radio})` : name,
        ])}
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

interface ChoiceProps {
  readonly query: Query;
  /** Name of the parameter in the address. */
  readonly name: string;
  readonly label: string;
  /** Label of the choice without a filter. */
  readonly any: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

function Choice({ query, name, label, any, options }: ChoiceProps) {
  const value = query[name] ?? '';
  return (
    <select
      aria-label={label}
      class={value ? 'set' : ''}
      value={value}
      onChange={(event) =>
        change({ ...query, day: undefined, [name]: event.currentTarget.value || undefined }, { replace: true })
      }
    >
      <option value="">{any}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
