/**
 * A wide picture (16:9) of an event or a recording. Its place has its size from the beginning, so that nothing moves when
 * it arrives. Without a picture, or while the receiver is making it, the logo of the channel on the channel's colour; without
 * that, the title in short.
 */
import { useEffect, useState } from 'preact/hooks';
import type { GuideEvent } from './guide-event.ts';
import { Tile } from './picon.tsx';
import { receiver } from './receiver.ts';

interface PictureProps {
  /** URL of the picture; undefined if there is none. */
  readonly source: string | undefined;
  /** URL of the channel's logo. */
  readonly logo: string | undefined;
  readonly title: string;
  readonly channel: string;
}

/** Times that a picture is requested which the receiver is still making or fetching. */
const maxAttempts = 6;

/** By its key, another source begins from the start: an effect would hide a picture that the browser had cached. */
export function Picture(props: PictureProps) {
  return <Pictured key={props.source} {...props} />;
}

function Pictured({ source, logo, title, channel }: PictureProps) {
  const [state, setState] = useState<'waiting' | 'shown' | 'shown tall' | 'missing'>('waiting');
  const [attempt, setAttempt] = useState(0);
  const [noLogo, setNoLogo] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isAsking || source === undefined) return;
    const ending = new AbortController();
    void laterMs(source, attempt, ending.signal).then((delayMs) => {
      if (ending.signal.aborted) return;
      if (delayMs === undefined) setState('missing');
      else setAttempt(attempt + 1);
      setAsking(false);
    });
    return () => ending.abort();
  }, [isAsking, attempt, source]);
  const hasPicture = source !== undefined && state !== 'missing';
  const isLate = hasPicture && state === 'waiting' && (isAsking || attempt > 0);
  const hasLogo = (!hasPicture || isLate) && logo !== undefined && !noLogo;
  return (
    <span class="picture" aria-hidden="true">
      <Tile class="picture-ground" name={title} of={channel || title} isBlank={(hasPicture && !isLate) || hasLogo} />
      {hasPicture && !isAsking && (
        <img
          key={attempt}
          class={state}
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            setState(height > width ? 'shown tall' : 'shown')
          }
          onError={() => setAsking(true)}
        />
      )}
      {hasLogo && (
        <img class="logo shown" src={logo} alt="" loading="lazy" decoding="async" onError={() => setNoLogo(true)} />
      )}
    </span>
  );
}

/** Waits as long as the receiver says, if it does not have the picture yet; undefined if there is none. */
async function laterMs(source: string, attempt: number, signal: AbortSignal): Promise<number | undefined> {
  if (attempt >= maxAttempts) return undefined;
  try {
    const { status, headers } = await fetch(source, { method: 'HEAD', signal });
    if (status !== 202 && status !== 200) return undefined;
    const delayMs = status === 200 ? 0 : Number(headers.get('Retry-After') ?? 2) * 1000 * (attempt + 1);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return delayMs;
  } catch {
    return undefined;
  }
}

export interface PicturedRecording {
  readonly filename: string;
  readonly label: string;
  readonly recording_servicename: string;
  readonly recording: boolean;
  readonly meta: { readonly Serviceref: string };
}

/** The picture of a recording; of one that is still running, the logo of its channel. */
export function RecordingPicture({ of }: { readonly of: PicturedRecording }) {
  const { filename, label, recording_servicename: channel, recording: isRunning, meta } = of;
  const source = isRunning ? undefined : receiver.address('/picture/recording', { file: filename });
  return <Picture source={source} logo={logoOf(meta.Serviceref)} title={label} channel={channel} />;
}

/** URL of a channel's logo, which may not exist; undefined for an unknown channel. */
export function logoOf(reference: string): string | undefined {
  const isKnown = reference !== '' && !reference.startsWith('-1:');
  return isKnown ? receiver.address('/picture/service', { service_reference: reference }) : undefined;
}

/** The picture that the guide has of an event. */
export function EventPicture({ of: { reference, id, title, channel } }: { readonly of: GuideEvent }) {
  return (
    <Picture
      source={receiver.address('/picture/event', { service_reference: reference, event_id: id })}
      logo={logoOf(reference)}
      title={title}
      channel={channel}
    />
  );
}
