/** After the end of a recording: offers the next episode of its series, and plays it after a countdown. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { receiver } from '../../shared/receiver.ts';
import { go } from '../../shared/route.ts';
import { type Episode, episodeAfter } from '../../shared/series.ts';
import { useResponse } from '../../shared/use-response.ts';
import { isWatched, watchedTag } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';

const countdownSeconds = 10;

interface NextEpisodeProps {
  /** The recording that has ended. */
  readonly path: string;
  readonly onCancel: () => void;
}

export function NextEpisode({ path, onCancel }: NextEpisodeProps) {
  const { value: next } = useResponse((signal) => load(path, signal), [path]);
  return next ? <Offer next={next} onCancel={onCancel} /> : null;
}

/** Also marks the recording as watched, which playing it again from the start does not undo. */
async function load(path: string, signal: AbortSignal): Promise<Episode | undefined> {
  const { items } = await receiver.get('/recordings', { programme: true }, { signal });
  const current = items.find(({ filename }) => filename === path);
  // The end of a running recording is not the end of the programme.
  if (current === undefined || current.recording) return undefined;
  // Fails without the permission `record`.
  if (!isWatched({ ...current, length: null }))
    receiver.post('/api/movieinfo', { sRef: path, create: 1, addtag: watchedTag }).catch(() => undefined);
  return episodeAfter(items, path);
}

function Offer({ next, onCancel }: { readonly next: Episode; readonly onCancel: () => void }) {
  const [seconds, setSeconds] = useState(countdownSeconds);
  const button = useRef<HTMLButtonElement>(null);
  const texts = words.value.watch;
  const { label, meta, filename } = next.recording;
  const play = () => go('watch', { recording: filename }, { replace: true });
  useLayoutEffect(() => button.current?.focus(), []);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((left) => left - 1), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (seconds <= 0) play();
  }, [seconds]);
  return (
    <section
      class="next-episode"
      aria-label={texts.nextEpisode}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onCancel();
      }}
    >
      <p role="status">
        <small>{texts.nextEpisode}</small>
        <strong>{label}</strong>
        {meta.Description && <span>{meta.Description}</span>}
      </p>
      <p class="actions">
        <button ref={button} type="button" class="button strong" onClick={play}>
          {texts.playNow}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          {words.value.common.cancel}
        </button>
        <span class="countdown">{texts.playsIn(seconds)}</span>
      </p>
    </section>
  );
}
