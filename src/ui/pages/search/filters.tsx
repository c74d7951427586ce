/** The filters of a search. All are parameters in the address. */
import { genreNames } from '../../shared/genres.ts';
import { now } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import { useBouquets } from '../../shared/services.ts';
import { dayKey, dayOf, startOfDay } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import type { Query } from './saved.ts';

/** Parts of the day, in minutes after midnight. */
const parts = {
  morning: [360, 720],
  afternoon: [720, 1080],
  evening: [1080, 1320],
  night: [1320, 360],
} as const;
type Part = keyof typeof parts;

/** Number of days to choose from. */
const days = 15;

const names = ['text', 'everywhere', 'day', 'part', 'genre', 'bouquet'] as const;

/** The search in an address: text and filters. */
export function queryOf(address: Query): Query {
  return Object.fromEntries(names.flatMap((name) => (address[name] ? [[name, address[name]]] : [])));
}

/** The filters as parameters of /api/eventsearch. */
export function parametersOf({ everywhere, day, part, genre, bouquet }: Query) {
  const start = day ? startOfDay(new Date(`${day}T12:00`).getTime() / 1000) : Number.NaN;
  const [from_minute, until_minute] = isPart(part) ? parts[part] : [];
  return {
    querytype: everywhere ? 'all' : 'title+short',
    begin: Number.isNaN(start) ? now() : Math.max(now(), start),
    ...(!Number.isNaN(start) && { end: startOfDay(start, 1) }),
    ...(from_minute !== undefined && { from_minute, until_minute }),
    ...(Number(genre) > 0 && { genre: Number(genre) }),
    ...(bouquet && { bouquet }),
  } as const;
}

function isPart(part: string | undefined): part is Part {
  return part !== undefined && Object.hasOwn(parts, part);
}

export function Filters({ query }: { readonly query: Query }) {
  const { value: bouquets = [] } = useBouquets();
  const { search } = words.value;
  const today = startOfDay(now());
  const listed = Array.from({ length: days }, (_, index) => startOfDay(today, index));
  return (
    <div class="filters">
      <Choice
        name="day"
        label={search.day}
        any={search.anyDay}
        value={query.day}
        options={listed.map((day) => [dayKey(day), dayOf(day)])}
      />
      <Choice
        name="part"
        label={search.part}
        any={search.anyPart}
        value={query.part}
        options={[
          ['morning', search.morning],
          ['afternoon', search.afternoon],
          ['evening', search.evening],
          ['night', search.night],
        ]}
      />
      <Choice
        name="genre"
        label={search.genre}
        any={search.anyGenre}
        value={query.genre}
        options={[...genreNames()].map(([group, name]) => [String(group), name])}
      />
      <Choice
        name="bouquet"
        label={search.channels}
        any={search.anyChannel}
        value={query.bouquet}
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
    </div>
  );
}

interface ChoiceProps {
  /** Name of the parameter in the address. */
  readonly name: string;
  readonly label: string;
  /** Label of the choice without a filter. */
  readonly any: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
}

function Choice({ name, label, any, value = '', options }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      class={value ? 'set' : ''}
      value={value}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined }, { replace: true })}
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
