/** Plays a recording: seeks to any position, and resumes where playback was stopped. */
import { useSignal } from '@preact/signals';
import { SkipBack, SkipForward } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { resumeAt } from '../../shared/resume.ts';
import { positionOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { cutsWith, lastPosition, type Mark, ticksPerSecond } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { Control, SpeedChoice, speedFrom } from './controls.tsx';
import { Below, Frame, PlayerLinks } from './head.tsx';
import type { Shortcut } from './keys.tsx';
import { breakAt, breaksOf, chapterFrom, chaptersOf } from './marks.ts';
import { NextEpisode } from './next-episode.tsx';
import { Player } from './player.ts';
import { Stage } from './stage.tsx';

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
  const { value, trouble, reload } = useResponse((signal) => load(path, signal), [path], ['recording']);
  // The answer of the previous recording stays until the next one has been loaded.
  const movie = value?.path === path ? value : undefined;
  const hasEnded = useSignal(false);
  const texts = words.value.watch;
  const play = (position: number) => {
    hasEnded.value = false;
    void player.play(
      {
        path: '/recording.ts',
        parameters: { file: path, time: Math.floor(position) },
        list: { path: '/recording.m3u8', parameters: { file: path }, begin: 0, isConvertible: false },
        isLive: false,
      },
      audio.current,
    );
  };
  const isLoaded = movie !== undefined;
  useEffect(() => {
    if (movie === undefined) return;
    audio.current = undefined;
    play(fromStart ? 0 : resumeAt(movie.lastPosition, movie.length));
    return () => {
      player.stop();
      player.isPaused.value = false;
    };
  }, [path, isLoaded]);
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
  const chapters = chaptersOf(movie?.marks ?? []);
  const breaks = breaksOf(movie?.marks ?? [], end);
  const here = breakAt(breaks, position);
  const picture = receiver.address('/picture/recording', { file: path });
  const toChapter = (step: 1 | -1) => {
    const target = chapterFrom({ chapters, breaks }, player.position, step);
    if (target !== undefined) play(target);
  };
  const changeSpeed = (step: 1 | -1) => {
    player.speed.value = speedFrom(player.speed.value, step);
  };
  const hasChapters = chapters.length + breaks.length > 0;
  const shortcuts: readonly Shortcut[] = [
    ...(hasChapters
      ? [
          { keys: ['PageUp'], label: texts.nextChapter, run: () => toChapter(1) },
          { keys: ['PageDown'], label: texts.previousChapter, run: () => toChapter(-1) },
        ]
      : []),
    { keys: ['>'], label: texts.faster, run: () => changeSpeed(1) },
    { keys: ['<'], label: texts.slower, run: () => changeSpeed(-1) },
  ];
  return (
    <Frame title={title || path.slice(path.lastIndexOf('/') + 1)} isAlone>
      <Stage
        player={player}
        title={title}
        timeline={{ begin: 0, end, position, label: positionOf, seek: play, chapters, breaks, picture }}
        shortcuts={shortcuts}
        choices={<SpeedChoice player={player} />}
        overlay={
          hasEnded.value && isLoaded ? (
            <NextEpisode
              path={path}
              onCancel={() => {
                hasEnded.value = false;
              }}
            />
          ) : (
            here && (
              <button type="button" class="skip-break" onClick={() => play(Math.ceil(here.end))}>
                {texts.skipBreak} <Icon of={SkipForward} size={18} />
              </button>
            )
          )
        }
        onPause={savePosition}
        onResume={() => {
          hasEnded.value = false;
        }}
        onEnded={() => {
          savePosition();
          hasEnded.value = true;
        }}
        onAudio={(pid) => {
          audio.current = pid;
          play(player.position);
        }}
        onRetry={() => play(position)}
        playerLinks={playerLinks}
      >
        {hasChapters && (
          <>
            <Control icon={SkipBack} label={texts.previousChapter} onClick={() => toChapter(-1)} />
            <Control icon={SkipForward} label={texts.nextChapter} onClick={() => toChapter(1)} />
          </>
        )}
      </Stage>
      <Below player={player} playerLinks={playerLinks}>
        {movie?.description && (
          <div class="on-now">
            <p class="facts">{movie.channel}</p>
            <p class="long">{movie.description}</p>
          </div>
        )}
      </Below>
    </Frame>
  );
}

interface Movie {
  readonly path: string;
  readonly title: string;
  readonly channel: string;
  readonly description: string;
  /** Seconds; 0 if unknown. */
  readonly length: number;
  /** Seconds at which playback was stopped; 0 if unknown. */
  readonly lastPosition: number;
  readonly marks: readonly Mark[];
}

async function load(sRef: string, signal: AbortSignal): Promise<Movie> {
  const { movie } = await receiver.get('/api/moviedetails', { sRef }, { signal });
  const { cuts: marks = [] } = await receiver.get('/api/movieinfo', { sRef, create: 1 }, { signal });
  const [minutes = 0, seconds = 0] = (movie?.length ?? '').split(':').map(Number);
  return {
    path: sRef,
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
    if (latest.current?.path !== path || position === last.current || position <= 0) return;
    last.current = position;
    const cuts = cutsWith(latest.current.marks, position);
    // Fails without the permission `record`; then playback does not resume next time.
    receiver.post('/api/movieinfo', { sRef: path, create: 1, cuts }).catch(() => undefined);
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
  }, [path]);
  return save;
}
