/** The list of the library, and that of one series by season. */
import { useState } from 'preact/hooks';
import { type Series, seasonsOf } from '../../shared/series.ts';
import { numberOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { RecordingRow, Row, type Selecting } from './row.tsx';

/** Rows shown at first, and added by the button below. */
const pageRows = 100;

export function List({ found, ...selecting }: Selecting & { readonly found: readonly Series[] }) {
  const [count, setCount] = useState(pageRows);
  const { recordings: texts } = words.value;
  const rest = found.length - count;
  return (
    <>
      <ol class="list library">
        {found.slice(0, count).map((series) => (
          <Row key={series.episodes[0]?.recording.filename} series={series} {...selecting} />
        ))}
      </ol>
      {rest > 0 && (
        <p class="actions centred">
          <button type="button" class="button" onClick={() => setCount(count + pageRows)}>
            {texts.showMore(numberOf(Math.min(rest, pageRows)), numberOf(rest))}
          </button>
        </p>
      )}
    </>
  );
}

/** The recordings of a series by season. Without seasons, a single list. */
export function Seasons({ series, ...selecting }: Selecting & { readonly series: Series }) {
  const seasons = seasonsOf(series);
  const { recordings: texts } = words.value;
  return (
    <>
      {seasons.map(([season, episodes]) => (
        <section key={season ?? ''} class="day">
          {seasons.length > 1 || season !== undefined ? (
            <h2 class="day-head">{season === undefined ? texts.otherEpisodes : texts.season(season)}</h2>
          ) : null}
          <ol class="library">
            {episodes.map((episode) => (
              <RecordingRow key={episode.recording.filename} episode={episode} isInSeries {...selecting} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}
