/** The seek slider, with the times at its ends and at the position. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { words } from '../../shared/words.ts';
import type { Span } from './marks.ts';

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
}

/** Seeks when the slider is released, because each seek opens the stream again. */
export function Seek({ timeline }: { readonly timeline: Timeline }) {
  const { begin, end, position, label, seek, isClock = false, chapters = [], breaks = [] } = timeline;
  const chosen = useSignal<number>();
  const pointed = useSignal<number>();
  const track = useRef<HTMLSpanElement>(null);
  const length = Math.max(1, end - begin);
  const shown = chosen.value ?? position;
  const labelled = chosen.value ?? pointed.value ?? (isClock ? position : undefined);
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
          {labelled !== undefined && (
            <time class="seek-time" style={{ left: `clamp(1.5rem, ${percent(labelled)}, 100% - 1.5rem)` }}>
              {label(labelled)}
            </time>
          )}
        </span>
      </span>
      <time>{label(end)}</time>
    </div>
  );
}
