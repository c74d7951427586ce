/** The guide of a bouquet as a grid: channels by time. Bouquet, time and row are parameters in the address. */
import { computed } from '@preact/signals';
import { ZoomIn, ZoomOut } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BouquetPicker, shownBouquet } from '../../shared/bouquets.tsx';
import { Empty } from '../../shared/empty.tsx';
import { isEveningOver } from '../../shared/evening.ts';
import { type Genre, genreClass, genreKeys } from '../../shared/genres.ts';
import { Icon } from '../../shared/icon.tsx';
import { primeTime } from '../../shared/prime-time.ts';
import { now, slowClock } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { type Bouquet, useBouquets, useServices } from '../../shared/services.ts';
import { dateOf, dayKey, shortDayOf, startOfDay, timeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { NoChannels } from '../channels/notices.tsx';
import { days } from './days.ts';
import { Grid, type Place } from './grid.tsx';
import { zoomTo } from './sizes.ts';

/** Left edge of the grid: midnight of the current day; until 3 a.m. of the day before. */
const origin = computed(() => startOfDay(slowClock.value - 3 * 3600));

export default function Guide() {
  const { value: bouquets } = useBouquets();
  if (bouquets === undefined) return null;
  const shown = shownBouquet(bouquets);
  if (shown === undefined) return <NoChannels />;
  return <BouquetGuide key={shown.reference} bouquets={bouquets} shown={shown} />;
}

interface BouquetGuideProps {
  readonly bouquets: readonly Bouquet[];
  readonly shown: Bouquet;
}

function BouquetGuide({ bouquets, shown }: BouquetGuideProps) {
  const listed = useServices(shown);
  const services = useMemo(() => listed?.filter(({ kind }) => kind === 'service'), [listed]);
  const { place, target, jump, settle } = usePlace();
  const genres = shownGenres();
  const { app, channels } = words.value;
  return (
    <section class="guide" aria-label={app.guide}>
      <Tools bouquets={bouquets} shown={shown} time={place.time} onJump={jump} />
      {services?.length === 0 && <Empty title={channels.emptyTitle} text={channels.emptyText} />}
      {services !== undefined && services.length > 0 && (
        <Grid
          key={origin.value}
          services={services}
          origin={origin.value}
          target={target}
          onPlace={settle}
          label={shown.name}
          genres={genres.map(classOf)}
        />
      )}
      <Genres />
    </section>
  );
}

/** The position of the grid, synchronised with the address: changes of one are applied to the other. */
function usePlace() {
  const { time, row } = route.value.query;
  const [place, setPlace] = useState(() => placeOf(time, row));
  const [target, setTarget] = useState(place);
  const written = useRef(`${time} ${row}`);
  const go = (to: Place) => {
    setPlace(to);
    setTarget(to);
  };
  useEffect(() => {
    if (written.current === `${time} ${row}`) return;
    written.current = `${time} ${row}`;
    go(placeOf(time, row));
  }, [time, row]);
  // The first response may set the clock to another day.
  useEffect(() => go(placeOf(time, row)), [origin.value]);
  const settle = (to: Place) => {
    const isNow = Math.abs(to.time - currentHalfHour()) < 1800;
    const next = { time: isNow ? undefined : String(to.time), row: to.row > 0 ? String(to.row) : undefined };
    written.current = `${next.time} ${next.row}`;
    const { query } = route.peek();
    if (query.time !== next.time || query.row !== next.row) change(next, { replace: true });
    setPlace(to);
  };
  const jump = (to: number) => go({ time: to, row: place.row });
  return { place, target, jump, settle };
}

function placeOf(time: string | undefined, row: string | undefined): Place {
  return { time: Number(time) || currentHalfHour(), row: Number(row) || 0 };
}

/** Left edge of the grid that shows the current time: a full half hour. */
function currentHalfHour(): number {
  return Math.floor((now() - 900) / 1800) * 1800;
}

interface ToolsProps extends BouquetGuideProps {
  /** Time at the left edge. */
  readonly time: number;
  readonly onJump: (time: number) => void;
}

function Tools({ bouquets, shown, time, onJump }: ToolsProps) {
  const { guide } = words.value;
  const first = origin.value;
  const shownDay = startOfDay(time);
  // That of the next day, rather than what is over.
  const evening = primeTime(isEveningOver(primeTime(shownDay), now()) ? startOfDay(shownDay, 1) : shownDay);
  return (
    <div class="guide-tools">
      <h1>{words.value.app.guide}</h1>
      <BouquetPicker
        bouquets={bouquets}
        shown={shown}
        onPick={({ reference }) => change({ bouquet: reference, row: undefined })}
      />
      <button type="button" class="button" onClick={() => onJump(currentHalfHour())}>
        {guide.now}
      </button>
      <button type="button" class="button" aria-label={guide.evening(timeOf(evening))} onClick={() => onJump(evening)}>
        {timeOf(evening)}
      </button>
      <input
        type="datetime-local"
        aria-label={guide.goTo}
        value={`${dayKey(time)}T${clockOf(time)}`}
        min={`${dayKey(first)}T00:00`}
        max={`${dayKey(startOfDay(first, days - 1))}T23:59`}
        onChange={(event) => {
          const wanted = new Date(event.currentTarget.value).getTime() / 1000;
          if (wanted >= first && wanted < startOfDay(first, days)) onJump(wanted);
        }}
      />
      <Zoom onZoom={() => onJump(time)} />
      <nav class="days" aria-label={guide.days}>
        {Array.from({ length: days }, (_, index) => startOfDay(first, index)).map((day) => (
          <button
            key={day}
            type="button"
            title={dateOf(day)}
            aria-current={day === shownDay ? 'date' : undefined}
            onClick={() => onJump(day + (time - shownDay))}
          >
            {shortDayOf(day)}
          </button>
        ))}
      </nav>
    </div>
  );
}

/** Makes the hours wider or narrower. */
function Zoom({ onZoom }: { readonly onZoom: () => void }) {
  const { guide } = words.value;
  const steps = [
    { label: guide.zoomOut, icon: ZoomOut, take: zoomTo(-1) },
    { label: guide.zoomIn, icon: ZoomIn, take: zoomTo(1) },
  ];
  return (
    <span class="guide-zoom">
      {steps.map(({ label, icon, take }) => (
        <button
          key={label}
          type="button"
          class="bare"
          aria-label={label}
          disabled={take === undefined}
          onClick={() => {
            take?.();
            onZoom();
          }}
        >
          <Icon of={icon} />
        </button>
      ))}
    </span>
  );
}

/** `20:15`, for the value of a `datetime-local` field. */
function clockOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes()].map((value) => String(value).padStart(2, '0')).join(':');
}

const classOf = (genre: Genre) => genreClass((genreKeys.indexOf(genre) + 1) << 4);

/** The genres in the address. */
function shownGenres(): readonly Genre[] {
  const given = (route.value.query.genre ?? '').split(',');
  return genreKeys.filter((genre) => given.includes(genre));
}

/** The legend of the genre colours. Each genre is a switch: events of the others become pale. */
function Genres() {
  const shown = shownGenres();
  const toggle = (genre: Genre) => {
    const next = shown.includes(genre) ? shown.filter((other) => other !== genre) : [...shown, genre];
    change({ genre: next.join() || undefined }, { replace: true });
  };
  return (
    <ul class="guide-genres" aria-label={words.value.guide.genres}>
      {genreKeys.map((genre) => (
        <li key={genre} class={classOf(genre)}>
          <button type="button" aria-pressed={shown.includes(genre)} onClick={() => toggle(genre)}>
            {words.value.genres[genre]}
          </button>
        </li>
      ))}
    </ul>
  );
}
