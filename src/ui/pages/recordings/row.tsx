/** The rows of the library: one recording, or a series with its recordings. */
import type { ComponentChildren } from 'preact';
import { type EpisodeNumber, numberIn } from '../../../epg/episode-number.ts';
import { hrefHere } from '../../shared/route.ts';
import { type Episode, type Series, upNext } from '../../shared/series.ts';
import { dayOf, momentOf, sizeOf } from '../../shared/time.ts';
import { isExport, isWatched } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { formatOf, lengthText } from './library.ts';
import { PlayStill, Still } from './still.tsx';

/** The chosen recordings by path; undefined outside selection mode. */
export type Marks = ReadonlySet<string> | undefined;

export interface Selecting {
  readonly marks: Marks;
  readonly onMark: (paths: readonly string[], isMarked: boolean) => void;
}

interface RowProps extends Selecting {
  readonly series: Series;
}

/** A row of the library. */
export function Row({ series, ...selecting }: RowProps) {
  const [single] = series.episodes;
  if (single === undefined) return null;
  return series.episodes.length === 1 ? (
    <RecordingRow episode={single} {...selecting} />
  ) : (
    <SeriesRow series={series} {...selecting} />
  );
}

interface RecordingRowProps extends Selecting {
  readonly episode: Episode;
  /** In the list of its series, where all titles would be the same: the text names the episode. */
  readonly isInSeries?: boolean;
}

export function RecordingRow({ episode, isInSeries = false, marks, onMark }: RecordingRowProps) {
  const { recording } = episode;
  const { filename, label, recording_servicename: channel, begin, size, meta, recording: isRunning } = recording;
  const { common, recordings: texts } = words.value;
  const text = meta.Description ?? '';
  // The text often contains the number already.
  const code = isInSeries && numberIn(text).episode === undefined ? codeOf(episode) : '';
  const name = (isInSeries && text) || label || common.untitled;
  const facts = [
    ...[momentOf(begin), lengthText(recording), channel, size > 0 && sizeOf(size)],
    ...[isExport(recording) && texts.isExport, formatOf(filename)],
  ];
  return (
    <Selectable
      paths={isRunning ? [] : [filename]}
      name={label}
      marks={marks}
      onMark={onMark}
      still={marks ? <Still recording={recording} /> : <PlayStill recording={recording} />}
      target={hrefHere({ recording: filename })}
    >
      <strong>{[code, name].filter(Boolean).join(' · ')}</strong>
      {text !== '' && text !== name && <span class="sub">{text}</span>}
      <span class="sub">
        {isRunning && <b class="being-recorded">{texts.isRunning}</b>} {facts.filter(Boolean).join(' · ')}
      </span>
    </Selectable>
  );
}

function SeriesRow({ series, marks, onMark }: RowProps) {
  const { key, title, episodes } = series;
  const { recordings: texts } = words.value;
  const all = episodes.map(({ recording }) => recording);
  const unwatched = all.filter((one) => !isWatched(one)).length;
  const latest = Math.max(...all.map(({ begin }) => begin));
  const channels = new Set(all.map((one) => one.recording_servicename).filter(Boolean));
  const next = upNext(series)?.recording ?? all[0];
  if (next === undefined) return null;
  const count = (
    <b class="count" aria-hidden="true">
      {all.length}
    </b>
  );
  const still = { recording: next, isSeen: unwatched === 0, children: count };
  return (
    <Selectable
      paths={all.filter(({ recording }) => !recording).map(({ filename }) => filename)}
      name={title}
      marks={marks}
      onMark={onMark}
      still={marks ? <Still {...still} /> : <PlayStill {...still} />}
      target={hrefHere({ series: key })}
    >
      <strong>{title}</strong>
      <span class="sub tally">
        {texts.inSeries(all.length)}
        {unwatched > 0 && <b class="fresh">{texts.unwatchedCount(unwatched)}</b>}
      </span>
      <span class="sub">{[texts.latest(dayOf(latest)), ...channels].slice(0, 3).join(' · ')}</span>
    </Selectable>
  );
}

interface SelectableProps extends Selecting {
  /** The recordings that the row selects; empty if it cannot be selected. */
  readonly paths: readonly string[];
  readonly name: string;
  readonly still: ComponentChildren;
  readonly target: string;
  readonly children: ComponentChildren;
}

/** A row that leads to its details or, in selection mode, is selected. */
function Selectable({ paths, name, marks, onMark, still, target, children }: SelectableProps) {
  const content = <span class="what">{children}</span>;
  return (
    <li class="row">
      {marks === undefined ? (
        <>
          {still}
          <a class="event" href={target}>
            {content}
          </a>
        </>
      ) : (
        <label class="event">
          <input
            type="checkbox"
            checked={paths.length > 0 && paths.every((path) => marks.has(path))}
            disabled={paths.length === 0}
            aria-label={words.value.recordings.selectNamed(name)}
            onChange={(event) => onMark(paths, event.currentTarget.checked)}
          />
          {still}
          {content}
        </label>
      )}
    </li>
  );
}

/** `S2 E5`; empty if it is unknown. */
export function codeOf({ season, episode }: EpisodeNumber): string {
  return [season !== undefined && `S${season}`, episode !== undefined && `E${episode}`].filter(Boolean).join(' ');
}
