/** Search, filters and order of the list, and the switch to selection mode. */
import { genreKeys } from '../../shared/genres.ts';
import { Options } from '../../shared/options.tsx';
import { change, route } from '../../shared/route.ts';
import type { Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { genreOf, type Sorting, sortings } from './listing.ts';

interface ToolsProps {
  /** The recordings before filtering, whose genres and channels can be chosen. */
  readonly recordings: readonly Recording[];
  readonly isTrash: boolean;
  readonly isSelecting: boolean;
  readonly onSelect: (isOn: boolean) => void;
}

export function Tools({ recordings, isTrash, isSelecting, onSelect }: ToolsProps) {
  const { find = '', sort = 'newest', series } = route.value.query;
  const { recordings: texts } = words.value;
  return (
    <div class="library-tools">
      <input
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={find}
        maxLength={100}
        onInput={(event) => change({ find: event.currentTarget.value || undefined }, { replace: true })}
      />
      {!isTrash && <Filters recordings={recordings} />}
      {series === undefined && (
        <select
          aria-label={texts.sort}
          value={sort}
          onChange={(event) => change({ sort: event.currentTarget.value as Sorting }, { replace: true })}
        >
          <Options of={sortings.map((sorting) => [sorting, texts[sorting]])} />
        </select>
      )}
      <button
        type="button"
        class="button"
        data-needs="record"
        aria-pressed={isSelecting}
        onClick={() => onSelect(!isSelecting)}
      >
        {texts.select}
      </button>
    </div>
  );
}

function Filters({ recordings }: Pick<ToolsProps, 'recordings'>) {
  const { seen, genre = '', channel = '', series } = route.value.query;
  const { common, recordings: texts } = words.value;
  const genres = [...new Set(recordings.map(genreOf))].flatMap((group): readonly (readonly [string, string])[] => {
    const key = genreKeys[group - 1];
    return key === undefined ? [] : [[String(group), words.value.genres[key]]];
  });
  const channels = [...new Set(recordings.map((recording) => recording.recording_servicename))].filter(Boolean);
  const showSeen = (value: string | undefined) => change({ seen: value }, { replace: true });
  return (
    <>
      <fieldset class="switch">
        <legend class="unseen">{texts.shown}</legend>
        <button type="button" aria-pressed={seen === undefined} onClick={() => showSeen(undefined)}>
          {common.all}
        </button>
        <button type="button" aria-pressed={seen === 'no'} onClick={() => showSeen('no')}>
          {texts.unwatched}
        </button>
        <button type="button" aria-pressed={seen === 'yes'} onClick={() => showSeen('yes')}>
          {texts.onlyWatched}
        </button>
      </fieldset>
      {series === undefined && (
        <>
          <Select label={texts.allGenres} name="genre" value={genre} options={genres} />
          <Select
            label={texts.allChannels}
            name="channel"
            value={channel}
            options={channels.map((one) => [one, one])}
          />
        </>
      )}
    </>
  );
}

interface SelectProps {
  /** Label, and text of the choice of all. */
  readonly label: string;
  /** Of the filter in the address. */
  readonly name: 'genre' | 'channel';
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A filter, if there is something to choose. */
function Select({ label, name, value, options }: SelectProps) {
  if (options.length < 2 && value === '') return null;
  const sorted = [...options].sort(([, a], [, b]) => a.localeCompare(b));
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined }, { replace: true })}
    >
      <option value="">{label}</option>
      <Options of={sorted} />
    </select>
  );
}
