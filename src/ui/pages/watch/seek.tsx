/** The seek slider, with the times at its ends, and the time and the picture of the position that the user looks at. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Span } from '../../../recordings/files/breaks.ts';
import { words } from '../../shared/words.ts';
import { usePreview } from './preview.ts';

/** The seekable range: of a recording, or of timeshift. */
export interface Timeline {
  readonly begin: number;
  readonly end: number;
  readonly position: number;
  readonly label: (position: number) => string;
  readonly seek: (position: number) => void;
  /** Whether positions are times of day: then the left end has the begin, and the slider the position. */
  readonly isClock?: boolean;
  readonly chapters?: readonly number[];
  readonly breaks?: readonly Span[];
  /** URL of previews, without their time. */
  readonly picture?: string;
}

interface SeekProps {
  readonly timeline: Timeline;
  /** The position that is being chosen. */
  readonly chosen: Signal<number | undefined>;
}

/** Seeks when the slider is released, because each seek opens the stream again. */
export function Seek({ timeline, chosen }: SeekProps) {
  const { begin, end, position, label, seek, isClock = false, chapters = [], breaks = [] } = timeline;
  const pointed = useSignal<number>();
  const track = useRef<HTMLSpanElement>(null);
  const length = Math.max(1, end - begin);
  const shown = chosen.value ?? position;
  const looked = chosen.value ?? pointed.value;
  const percent = (time: number) => `${(Math.min(1, Math.max(0, (time - begin) / length)) * 100).toFixed(2)}%`;
  const point = ({ clientX, pointerType }: PointerEvent) => {
    const { left = 0, width = 1 } = track.current?.getBoundingClientRect() ?? {};
    if (pointerType !== 'touch') pointed.value = begin + Math.min(1, Math.max(0, (clientX - left) / width)) * length;
  };
  return (
    <div class="seek-line">
      <time>{label(isClock ? begin : shown)}</time>
      <span class="seek-box">
        <input
          class="seek"
          type="range"
          min={begin}
          max={begin + length}
          step="1"
          value={shown}
          aria-label={words.value.watch.position}
          aria-valuetext={label(shown)}
          onPointerMove={point}
          onPointerLeave={() => {
            pointed.value = undefined;
          }}
          onInput={(event) => {
            chosen.value = Number(event.currentTarget.value);
          }}
          onChange={(event) => {
            chosen.value = undefined;
            seek(Number(event.currentTarget.value));
          }}
        />
        <span class="seek-track" aria-hidden="true" ref={track}>
          {breaks.map((one) => (
            <span
              key={one.begin}
              class="break"
              style={{ left: percent(one.begin), right: `calc(100% - ${percent(one.end)})` }}
            />
          ))}
          {chapters.map((chapter) => (
            <span key={chapter} class="chapter" style={{ left: percent(chapter) }} />
          ))}
          <Hint timeline={timeline} looked={looked} percent={percent} />
        </span>
      </span>
      <time>{label(end)}</time>
    </div>
  );
}

interface HintProps {
  readonly timeline: Timeline;
  /** The position that the user looks at. */
  readonly looked: number | undefined;
  readonly percent: (time: number) => string;
}

/** The time of a position, with its picture. */
function Hint({ timeline: { position, label, isClock, picture }, looked, percent }: HintProps) {
  const preview = usePreview(picture, looked);
  const labelled = looked ?? (isClock ? position : undefined);
  if (labelled === undefined) return null;
  return (
    <span
      class={`seek-hint ${isClock ? 'time-of-day' : ''} ${preview ? 'pictured' : ''}`}
      style={{ '--at': percent(labelled) }}
    >
      {preview && <img class={preview.isRight ? '' : 'waiting'} src={preview.source} alt="" />}
      <time>{label(labelled)}</time>
    </span>
  );
}
