/** A recording: moves to any position, and goes on where somebody has stopped watching. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import { resumeAt } from '../../shared/resume.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { Head, WayOut } from './head.tsx';
import { Player } from './player.ts';
import { Stage } from './stage.tsx';

/** Of the marks in seconds and in the receiver's interface. */
const ticksPerSecond = 90_000;
const lastPosition = 3;
/** Seconds between two notes of the position, and after which to look whether the recording has grown. */
const noteEvery = 30;
const growthAfter = 10;

interface RecordedProps {
  readonly path: string;
  /** Plays it from the beginning, wherever somebody has left it. */
  readonly isAnew: boolean;
}

export function Recorded({ path, isAnew }: RecordedProps) {
  const player = useMemo(() => new Player(), []);
  const audio = useRef<number>(undefined);
  const { value: movie, trouble, again } = useAnswer((signal) => load(path, signal), [path], ['recording']);
  const said = words.value.watch;
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
    play(isAnew ? 0 : resumeAt(movie.left, movie.length));
    return () => player.stop();
  }, [isLoaded]);
  useEffect(() => {
    const timer = setTimeout(() => void again(), growthAfter * 1000);
    return () => clearTimeout(timer);
  }, [movie?.length]);
  const noted = useNotes(player, path, movie);
  if (trouble) return <Empty text={trouble} />;
  const title = movie?.title ?? '';
  const wayOut = (
    <WayOut
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
        onPause={noted}
        onEnded={noted}
        onAudio={(pid) => {
          audio.current = pid;
          play(player.position);
        }}
        onRetry={() => play(position)}
        wayOut={wayOut}
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
      {player.state.value !== 'trouble' && <p class="ways">{wayOut}</p>}
      {player.converted.value.length > 0 && <p class="hint">{said.converted(player.converted.value.join(', '))}</p>}
    </section>
  );
}

interface Movie {
  readonly title: string;
  readonly channel: string;
  readonly description: string;
  /** Seconds; 0 if unknown. */
  readonly length: number;
  /** Seconds at which somebody has stopped watching. */
  readonly left: number;
  readonly marks: readonly { readonly type: number; readonly pos: number }[];
}

async function load(sRef: string, signal: AbortSignal): Promise<Movie> {
  const { movie } = await receiver.get('/api/moviedetails', { sRef }, { signal });
  // A file from elsewhere has no marks.
  const { cuts: marks = [] } = await receiver.get('/api/movieinfo', { sRef }, { signal }).catch(() => ({ cuts: [] }));
  const [minutes = 0, seconds = 0] = (movie?.length ?? '').split(':').map(Number);
  return {
    title: movie?.eventname ?? '',
    channel: movie?.servicename ?? '',
    description: movie?.descriptionExtended || movie?.description || '',
    length: Number.isNaN(minutes) ? 0 : minutes * 60 + seconds,
    left: (marks.find(({ type }) => type === lastPosition)?.pos ?? 0) / ticksPerSecond,
    marks,
  };
}

/** Notes the position every now and then, when the page is left, and by what it returns. */
function useNotes(player: Player, path: string, movie: Movie | undefined): () => void {
  const last = useRef(-1);
  const kept = useRef(movie);
  kept.current = movie ?? kept.current;
  const note = () => {
    const position = Math.floor(player.shown.peek());
    if (kept.current === undefined || position === last.current || position <= 0) return;
    last.current = position;
    const others = kept.current.marks.filter(({ type }) => type !== lastPosition);
    const marks = [...others, { type: lastPosition, pos: position * ticksPerSecond }];
    const cuts = marks.map(({ type, pos }) => `${type}:${pos}`).join();
    // Whoever may not change recordings begins anew the next time.
    receiver.post('/api/movieinfo', { sRef: path, cuts }).catch(() => undefined);
  };
  useEffect(() => {
    const timer = setInterval(note, noteEvery * 1000);
    const hide = () => document.hidden && note();
    document.addEventListener('visibilitychange', hide);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', hide);
      note();
    };
  }, []);
  return note;
}

/** `1:05:09`, `5:09` */
function durationOf(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
