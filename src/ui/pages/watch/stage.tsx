/** The video with its controls, for mouse, touch and keyboard. */
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

/** The seekable range: of a recording, or of timeshift. */
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
  /** Undefined if seeking is impossible. */
  readonly timeline?: Timeline | undefined;
  readonly onPause?: () => void;
  readonly onResume?: () => void;
  readonly onEnded?: () => void;
  /** Goes to the next (1) or previous (-1) channel. */
  readonly onStep?: ((step: 1 | -1) => void) | undefined;
  readonly onAudio: (pid: number) => void;
  readonly onRetry: () => void;
  /** Links for other players. */
  readonly playerLinks: ComponentChildren;
  /** Text in the row of controls. */
  readonly children?: ComponentChildren;
}

const jumpSeconds = 10;
const volumeStep = 0.05;
/** Time without input after which the controls are hidden during playback. */
const idleDelayMs = 3000;
/** Key in the local storage. */
const volumeKey = 'volume';

export function Stage(props: StageProps) {
  const { player, title, timeline, onStep, onAudio, onRetry, playerLinks, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const isPaused = useSignal(true);
  const isWaiting = useSignal(false);
  const volume = useSignal(Number(localStorage.getItem(volumeKey) ?? 1));
  const isMuted = useSignal(false);
  const isFull = useSignal(false);
  const isIdle = useSignal(false);
  const woke = useRef(false);
  const texts = words.value.watch;

  useEffect(() => {
    const element = video.current;
    if (element === null) return;
    player.show(element);
    element.volume = volume.peek();
    return effect(() => {
      element.volume = volume.value;
      element.muted = isMuted.value;
      localStorage.setItem(volumeKey, String(volume.value));
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
  const changeVolume = (step: number) => {
    volume.value = Math.round(Math.min(1, Math.max(0, volume.value + step)) * 100) / 100;
    isMuted.value = false;
  };
  const mute = () => {
    isMuted.value = !isMuted.value;
  };
  const toggleFullScreen = () => void fullScreen(box.current, video.current);
  const togglePictureInPicture = () => void pictureInPicture(video.current);
  const keys: Readonly<Record<string, () => void>> = {
    ' ': toggle,
    k: toggle,
    f: toggleFullScreen,
    m: mute,
    p: togglePictureInPicture,
    c: () => player.subtitles.toggle(),
    ArrowUp: () => changeVolume(volumeStep),
    ArrowDown: () => changeVolume(-volumeStep),
    ...(timeline && { ArrowLeft: () => seek(-jumpSeconds), ArrowRight: () => seek(jumpSeconds) }),
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
        // The first touch only shows the controls.
        woke.current = pointerType === 'touch' && isIdle.value;
      }}
      onPointerMove={wake}
      onPointerDown={wake}
      onFocusCapture={wake}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: SubtitleLayer draws the subtitles of the broadcast */}
      <video
        ref={video}
        playsInline
        aria-label={title}
        onClick={() => woke.current || toggle()}
        onDblClick={toggleFullScreen}
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
          <span class="unseen">{texts.connecting}</span>
        </p>
      )}
      {player.trouble.value && (
        <TroubleText trouble={player.trouble.value} onRetry={onRetry} playerLinks={playerLinks} />
      )}
      <fieldset class="controls" aria-label={texts.controls}>
        {timeline && <Seek timeline={timeline} />}
        <div class="line">
          <Control
            icon={isPaused.value ? Play : Pause}
            label={isPaused.value ? texts.play : texts.pause}
            onClick={toggle}
          />
          {timeline && (
            <>
              <Control icon={RotateCcw} label={texts.back} onClick={() => seek(-jumpSeconds)} />
              <Control icon={RotateCw} label={texts.forward} onClick={() => seek(jumpSeconds)} />
            </>
          )}
          <Control
            icon={isMuted.value ? VolumeX : Volume2}
            label={isMuted.value ? texts.unmute : texts.mute}
            onClick={mute}
          />
          <input
            class="volume"
            type="range"
            min="0"
            max="1"
            step="0.01"
            aria-label={texts.volume}
            value={isMuted.value ? 0 : volume.value}
            onInput={(event) => changeVolume(Number(event.currentTarget.value) - volume.value)}
          />
          <span class="text">{children}</span>
          <AudioChoice player={player} onChange={onAudio} />
          <SubtitleChoice player={player} />
          {document.pictureInPictureEnabled && hasPictures && (
            <Control icon={PictureInPicture2} label={texts.pictureInPicture} onClick={togglePictureInPicture} />
          )}
          <Control
            icon={isFull.value ? Minimize : Maximize}
            label={isFull.value ? texts.exitFullScreen : texts.fullScreen}
            onClick={toggleFullScreen}
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

/** The seek slider. Seeks when it is released, because each seek opens the stream again. */
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

/** Keyboard shortcuts of the page, unless the focused element handles the key. */
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

/** Sets `isIdle` a while after the last call of the returned function, which resets it. */
function useIdle(isIdle: { value: boolean }): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wake = () => {
    isIdle.value = false;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      isIdle.value = true;
    }, idleDelayMs);
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

/** iPhones support full screen only for the video element. */
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
