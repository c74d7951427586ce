/** Plays a recording: seeks to any position, and resumes where playback was stopped. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import { resumeAt } from '../../shared/resume.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { Head, PlayerLinks } from './head.tsx';
import { Player } from './player.ts';
import { Stage } from './stage.tsx';

/** Unit of the positions of marks. */
const ticksPerSecond = 90_000;
/** Type of the mark with the position where playback was stopped, in `.cuts` files. */
const lastPosition = 3;
/** Interval of saving the position. */
const saveIntervalSeconds = 30;
/** Interval of checks whether the recording has become longer. */
const pollIntervalSeconds = 10;

interface RecordedProps {
  readonly path: string;
  /** Plays from the beginning instead of resuming. */
  readonly fromStart: boolean;
}

export function Recorded({ path, fromStart }: RecordedProps) {
  const player = useMemo(() => new Player(), []);
  const audio = useRef<number>(undefined);
  const { value: movie, trouble, reload } = useAnswer((signal) => load(path, signal), [path], ['recording']);
  const texts = words.value.watch;
  const play = (position: number) =>
    void player.play(
      {
        path: '/recording.ts',
        parameters: { file: path, time: Math.floor(position) },
        list: { path: '/recording.m3u8', parameters: { file: path }, begin: 0, isConvertible: false },
        isLive: false,
      },
      audio.current,
    );
  const isLoaded = movie !== undefined;
  useEffect(() => {
    if (movie === undefined) return;
    play(fromStart ? 0 : resumeAt(movie.lastPosition, movie.length));
    return () => player.stop();
  }, [isLoaded]);
  useEffect(() => {
    const timer = setTimeout(() => void reload(), pollIntervalSeconds * 1000);
    return () => clearTimeout(timer);
  }, [movie?.length]);
  const savePosition = useSavedPosition(player, path, movie);
  if (trouble) return <Empty text={trouble} />;
  const title = movie?.title ?? '';
  const playerLinks = (
    <PlayerLinks
      playlist={receiver.address('/web/ts.m3u', { file: path })}
      address={receiver.address('/file', { file: path })}
    />
  );
  const position = player.shown.value;
  const end = Math.max(movie?.length ?? 0, position);
  return (
    <section class="watch" aria-label={title}>
      <Head title={title || path.slice(path.lastIndexOf('/') + 1)} />
      <Stage
        player={player}
        title={title}
        timeline={{ begin: 0, end, position, label: durationOf, seek: play }}
        onPause={savePosition}
        onEnded={savePosition}
        onAudio={(pid) => {
          audio.current = pid;
          play(player.position);
        }}
        onRetry={() => play(position)}
        playerLinks={playerLinks}
      >
        <time>
          {durationOf(position)} / {durationOf(end)}
        </time>
      </Stage>
      {movie?.description && (
        <div class="on-now">
          <p class="facts">{movie.channel}</p>
          <p class="long">{movie.description}</p>
        </div>
      )}
      {player.state.value !== 'trouble' && <p class="ways">{playerLinks}</p>}
      {player.converted.value.length > 0 && <p class="hint">{texts.converted(player.converted.value.join(', '))}</p>}
    </section>
  );
}

interface Movie {
  readonly title: string;
  readonly channel: string;
  readonly description: string;
  /** Seconds; 0 if unknown. */
  readonly length: number;
  /** Seconds at which playback was stopped; 0 if unknown. */
  readonly lastPosition: number;
  readonly marks: readonly { readonly type: number; readonly pos: number }[];
}

async function load(sRef: string, signal: AbortSignal): Promise<Movie> {
  const { movie } = await receiver.get('/api/moviedetails', { sRef }, { signal });
  // Files without companion files have no marks.
  const { cuts: marks = [] } = await receiver.get('/api/movieinfo', { sRef }, { signal }).catch(() => ({ cuts: [] }));
  const [minutes = 0, seconds = 0] = (movie?.length ?? '').split(':').map(Number);
  return {
    title: movie?.eventname ?? '',
    channel: movie?.servicename ?? '',
    description: movie?.descriptionExtended || movie?.description || '',
    length: Number.isNaN(minutes) ? 0 : minutes * 60 + seconds,
    lastPosition: (marks.find(({ type }) => type === lastPosition)?.pos ?? 0) / ticksPerSecond,
    marks,
  };
}

/** Saves the position at intervals and when the page is hidden or left. Returns a function that saves it at once. */
function useSavedPosition(player: Player, path: string, movie: Movie | undefined): () => void {
  const last = useRef(-1);
  const latest = useRef(movie);
  latest.current = movie ?? latest.current;
  const save = () => {
    const position = Math.floor(player.shown.peek());
    if (latest.current === undefined || position === last.current || position <= 0) return;
    last.current = position;
    const others = latest.current.marks.filter(({ type }) => type !== lastPosition);
    const marks = [...others, { type: lastPosition, pos: position * ticksPerSecond }];
    const cuts = marks.map(({ type, pos }) => `${type}:${pos}`).join();
    // Fails without the permission `record`; then playback does not resume next time.
    receiver.post('/api/movieinfo', { sRef: path, cuts }).catch(() => undefined);
  };
  useEffect(() => {
    const timer = setInterval(save, saveIntervalSeconds * 1000);
    const hide = () => document.hidden && save();
    document.addEventListener('visibilitychange', hide);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', hide);
      save();
    };
  }, []);
  return save;
}

/** `1:05:09`, `5:09` */
function durationOf(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
