/** The picture with its controls: by pointer, by touch and by keys. */
import { effect, useSignal } from '@preact/signals';
import {
  type IconNode,
  Maximize,
  Minimize,
  Pause,
  PictureInPicture2,
  Play,
  RotateCcw,
  RotateCw,
  Volume2,
  VolumeX,
} from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';
import { AudioChoice } from './audio-choice.tsx';
import type { Player } from './player.ts';
import { SubtitleChoice, SubtitleLayer } from './subtitles/layer.tsx';
import { TroubleText } from './trouble.tsx';

/** What can be moved through: a recording, or what timeshift keeps. */
export interface Timeline {
  readonly begin: number;
  readonly end: number;
  readonly position: number;
  readonly label: (position: number) => string;
  readonly seek: (position: number) => void;
}

interface StageProps {
  readonly player: Player;
  readonly title: string;
  /** Absent: nothing can be moved through. */
  readonly timeline?: Timeline | undefined;
  readonly onPause?: () => void;
  readonly onResume?: () => void;
  readonly onEnded?: () => void;
  /** To the next channel, or back by -1. */
  readonly onStep?: ((step: 1 | -1) => void) | undefined;
  readonly onAudio: (pid: number) => void;
  readonly onRetry: () => void;
  /** Addresses for other players. */
  readonly wayOut: ComponentChildren;
  /** At the left of the controls' line of text. */
  readonly children?: ComponentChildren;
}

/** Seconds of a jump. */
const jump = 10;
const volumeStep = 0.05;
/** Milliseconds until the controls vanish over a picture that runs. */
const patience = 3000;
const storedVolume = 'volume';

export function Stage(props: StageProps) {
  const { player, title, timeline, onStep, onAudio, onRetry, wayOut, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const isPaused = useSignal(true);
  const isWaiting = useSignal(false);
  const volume = useSignal(Number(localStorage.getItem(storedVolume) ?? 1));
  const isMuted = useSignal(false);
  const isFull = useSignal(false);
  const isIdle = useSignal(false);
  const woke = useRef(false);
  const said = words.value.watch;

  useEffect(() => {
    const element = video.current;
    if (element === null) return;
    player.show(element);
    element.volume = volume.peek();
    return effect(() => {
      element.volume = volume.value;
      element.muted = isMuted.value;
      localStorage.setItem(storedVolume, String(volume.value));
    });
  }, [player]);
  useEffect(() => {
    const follow = () => {
      isFull.value = document.fullscreenElement === box.current;
    };
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, []);

  const toggle = () => {
    const element = video.current;
    if (element === null) return;
    if (element.paused) {
      props.onResume?.();
      void element.play().catch(() => undefined);
    } else {
      element.pause();
      props.onPause?.();
    }
  };
  const seek = (seconds: number) => {
    if (timeline) timeline.seek(Math.min(timeline.end, Math.max(timeline.begin, timeline.position + seconds)));
  };
  const turn = (step: number) => {
    volume.value = Math.round(Math.min(1, Math.max(0, volume.value + step)) * 100) / 100;
    isMuted.value = false;
  };
  const mute = () => {
    isMuted.value = !isMuted.value;
  };
  const fill = () => void fullScreen(box.current, video.current);
  const float = () => void pictureInPicture(video.current);
  const keys: Readonly<Record<string, () => void>> = {
    ' ': toggle,
    k: toggle,
    f: fill,
    m: mute,
    p: float,
    c: () => player.subtitles.toggle(),
    ArrowUp: () => turn(volumeStep),
    ArrowDown: () => turn(-volumeStep),
    ...(timeline && { ArrowLeft: () => seek(-jump), ArrowRight: () => seek(jump) }),
    ...(onStep && { PageUp: () => onStep(1), PageDown: () => onStep(-1) }),
  };
  useKeys(keys);
  const wake = useIdle(isIdle);
  const hasPictures = player.choice.value?.video !== undefined || player.choice.value === undefined;
  const isTroubled = player.state.value === 'trouble';
  return (
    <div
      ref={box}
      class={`stage ${isTroubled ? 'troubled' : ''} ${isIdle.value && !isPaused.value && hasPictures ? 'idle' : ''}`}
      onPointerDownCapture={({ pointerType }) => {
        // The first touch shows the controls.
        woke.current = pointerType === 'touch' && isIdle.value;
      }}
      onPointerMove={wake}
      onPointerDown={wake}
      onFocusCapture={wake}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: the layer below draws those of the broadcast */}
      <video
        ref={video}
        playsInline
        aria-label={title}
        onClick={() => woke.current || toggle()}
        onDblClick={fill}
        onPlay={() => {
          isPaused.value = false;
        }}
        onPause={() => {
          isPaused.value = true;
        }}
        onWaiting={() => {
          isWaiting.value = true;
        }}
        onTimeUpdate={() => {
          isWaiting.value = false;
        }}
        onEnded={() => props.onEnded?.()}
      />
      <SubtitleLayer player={player} />
      {!isTroubled && !hasPictures && <p class="sound-only">{title}</p>}
      {!isTroubled && (player.state.value === 'connecting' || isWaiting.value) && (
        <p class="spinner" role="status">
          <span class="unseen">{said.connecting}</span>
        </p>
      )}
      {player.trouble.value && <TroubleText trouble={player.trouble.value} onRetry={onRetry} wayOut={wayOut} />}
      <fieldset class="controls" aria-label={said.controls}>
        {timeline && <Seek timeline={timeline} />}
        <div class="line">
          <Control
            icon={isPaused.value ? Play : Pause}
            label={isPaused.value ? said.play : said.pause}
            onClick={toggle}
          />
          {timeline && (
            <>
              <Control icon={RotateCcw} label={said.back} onClick={() => seek(-jump)} />
              <Control icon={RotateCw} label={said.forward} onClick={() => seek(jump)} />
            </>
          )}
          <Control
            icon={isMuted.value ? VolumeX : Volume2}
            label={isMuted.value ? said.unmute : said.mute}
            onClick={mute}
          />
          <input
            class="volume"
            type="range"
            min="0"
            max="1"
            step="0.01"
            aria-label={said.volume}
            value={isMuted.value ? 0 : volume.value}
            onInput={(event) => turn(Number(event.currentTarget.value) - volume.value)}
          />
          <span class="text">{children}</span>
          <AudioChoice player={player} onChange={onAudio} />
          <SubtitleChoice player={player} />
          {document.pictureInPictureEnabled && hasPictures && (
            <Control icon={PictureInPicture2} label={said.pictureInPicture} onClick={float} />
          )}
          <Control
            icon={isFull.value ? Minimize : Maximize}
            label={isFull.value ? said.exitFullScreen : said.fullScreen}
            onClick={fill}
          />
        </div>
      </fieldset>
    </div>
  );
}

interface ControlProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly onClick: () => void;
}

export function Control({ icon, label, onClick }: ControlProps) {
  return (
    <button type="button" class="control" aria-label={label} title={label} onClick={onClick}>
      <Icon of={icon} size={22} />
    </button>
  );
}

/** Moves when the slider is let go: each move opens the stream anew. */
function Seek({ timeline: { begin, end, position, label, seek } }: { readonly timeline: Timeline }) {
  const chosen = useSignal<number>();
  const shown = chosen.value ?? position;
  return (
    <input
      class="seek"
      type="range"
      min={begin}
      max={Math.max(end, begin + 1)}
      step="1"
      value={shown}
      aria-label={words.value.watch.position}
      aria-valuetext={label(shown)}
      onInput={(event) => {
        chosen.value = Number(event.currentTarget.value);
      }}
      onChange={(event) => {
        chosen.value = undefined;
        seek(Number(event.currentTarget.value));
      }}
    />
  );
}

/** Keys of the page, unless they belong to what has the focus. */
function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        target.closest('dialog, input:not(.seek), textarea, select')
      )
        return;
      if (event.key === ' ' && target.closest('button, a')) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Becomes idle a while after the last call of what it returns. */
function useIdle(isIdle: { value: boolean }): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wake = () => {
    isIdle.value = false;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      isIdle.value = true;
    }, patience);
  };
  useEffect(() => {
    wake();
    document.addEventListener('keydown', wake);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('keydown', wake);
    };
  }, []);
  return wake;
}

/** Of iPhones, which fill the screen with nothing but a video. */
interface PhoneVideo {
  webkitEnterFullscreen?: () => void;
}

async function fullScreen(box: HTMLElement | null, video: (HTMLVideoElement & PhoneVideo) | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else if (box?.requestFullscreen) await box.requestFullscreen().catch(() => undefined);
  else video?.webkitEnterFullscreen?.();
}

async function pictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  if (document.pictureInPictureElement) await document.exitPictureInPicture();
  else if (document.pictureInPictureEnabled) await video?.requestPictureInPicture().catch(() => undefined);
}
