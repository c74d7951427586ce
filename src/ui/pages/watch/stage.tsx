/** The video with its controls, for mouse, touch and keyboard. */
import { effect, useSignal } from '@preact/signals';
import { Maximize, Minimize, Pause, PictureInPicture2, Play, RotateCcw, RotateCw, Volume2, VolumeX } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';
import { AudioChoice } from './audio-choice.tsx';
import { Control } from './controls.tsx';
import { isListShown, type Shortcut, ShortcutList, useShortcuts } from './keys.tsx';
import type { Player } from './player.ts';
import { RemotePlaybackControl } from './remote-playback.tsx';
import { Seek, type Timeline } from './seek.tsx';
import { SubtitleChoice, SubtitleLayer } from './subtitles/layer.tsx';
import { TroubleText } from './trouble.tsx';

interface StageProps {
  readonly player: Player;
  readonly title: string;
  /** Undefined if seeking is impossible. */
  readonly timeline?: Timeline | undefined;
  readonly onPause?: () => void;
  readonly onResume?: () => void;
  readonly onEnded?: () => void;
  /** Keyboard shortcuts besides those of every player. */
  readonly shortcuts?: readonly Shortcut[];
  /** Shown over the picture. */
  readonly overlay?: ComponentChildren;
  /** Choices at the end of the row of controls. */
  readonly choices?: ComponentChildren;
  readonly onAudio: (pid: number) => void;
  readonly onRetry: () => void;
  /** Links for other players. */
  readonly playerLinks: ComponentChildren;
  /** Text in the row of controls. */
  readonly children?: ComponentChildren;
}

const backSeconds = 10;
const forwardSeconds = 30;
const volumeStep = 0.05;
/** Time without input after which the controls are hidden during playback. */
const idleDelayMs = 3000;
/** Key in the local storage. */
const volumeKey = 'volume';

export function Stage(props: StageProps) {
  const { player, title, timeline, onAudio, onRetry, playerLinks, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const controls = useRef<HTMLFieldSetElement>(null);
  const isPaused = useSignal(true);
  const isWaiting = useSignal(false);
  const volume = useSignal(Number(localStorage.getItem(volumeKey) ?? 1));
  const isMuted = useSignal(false);
  const isFull = useSignal(false);
  const isIdle = useSignal(false);
  const woke = useRef(false);
  const texts = words.value.watch;
  const { remote } = words.value;

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
  useEffect(
    () =>
      effect(() => {
        const { value: speed } = player.speed;
        // Loading resets the speed to the default.
        if (video.current) Object.assign(video.current, { defaultPlaybackRate: speed, playbackRate: speed });
      }),
    [player],
  );
  useEffect(() => {
    const follow = () => {
      isFull.value = document.fullscreenElement === box.current;
    };
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, []);
  useEffect(() => {
    const measure = new ResizeObserver(([entry]) => {
      box.current?.style.setProperty('--controls', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`);
    });
    if (controls.current) measure.observe(controls.current);
    return () => measure.disconnect();
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
  const showList = () => {
    isListShown.value = true;
  };
  const toggleFullScreen = () => void fullScreen(box.current, video.current);
  const togglePictureInPicture = () => void pictureInPicture(video.current);
  const shortcuts: readonly Shortcut[] = [
    { keys: [' ', 'k'], label: remote.pause, run: toggle },
    ...(timeline
      ? [
          { keys: ['ArrowLeft'], label: texts.back, run: () => seek(-backSeconds) },
          { keys: ['ArrowRight'], label: texts.forward, run: () => seek(forwardSeconds) },
        ]
      : []),
    ...(props.shortcuts ?? []),
    { keys: ['ArrowUp'], label: remote.louder, run: () => changeVolume(volumeStep) },
    { keys: ['ArrowDown'], label: remote.quieter, run: () => changeVolume(-volumeStep) },
    { keys: ['m'], label: texts.mute, run: mute },
    { keys: ['c'], label: texts.subtitles, run: () => player.subtitles.toggle() },
    { keys: ['f'], label: texts.fullScreen, run: toggleFullScreen },
    { keys: ['p'], label: texts.pictureInPicture, run: togglePictureInPicture },
    { keys: ['?'], label: remote.shortcuts, run: showList },
  ];
  useShortcuts(shortcuts);
  const wake = useIdle(isIdle);
  const hasPictures = player.choice.value?.video !== undefined || player.choice.value === undefined;
  const isBlocked = player.blockedSince.value !== undefined;
  const isTroubled = player.state.value === 'trouble';
  return (
    <>
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
          x-webkit-airplay="allow"
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
        {isBlocked && (
          <button type="button" class="start" aria-label={texts.play} onClick={toggle}>
            <Icon of={Play} size={56} />
          </button>
        )}
        {!isTroubled && !isBlocked && (player.state.value === 'connecting' || isWaiting.value) && (
          <p class="spinner" role="status">
            <span class="unseen">{texts.connecting}</span>
          </p>
        )}
        {props.overlay}
        {player.trouble.value && (
          <TroubleText trouble={player.trouble.value} onRetry={onRetry} playerLinks={playerLinks} />
        )}
        <fieldset class="controls" ref={controls} aria-label={texts.controls}>
          {timeline && <Seek timeline={timeline} />}
          <div class="line">
            <Control
              icon={isPaused.value ? Play : Pause}
              label={isPaused.value ? texts.play : texts.pause}
              onClick={toggle}
            />
            {timeline && (
              <>
                <Control icon={RotateCcw} mark="10" label={texts.back} onClick={() => seek(-backSeconds)} />
                <Control icon={RotateCw} mark="30" label={texts.forward} onClick={() => seek(forwardSeconds)} />
              </>
            )}
            <Control
              class="control-mute"
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
            <span class="choices">
              {props.choices}
              <AudioChoice player={player} onChange={onAudio} />
              <SubtitleChoice player={player} />
            </span>
            {player.isNative.value && <RemotePlaybackControl video={video.current} />}
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
      <ShortcutList shortcuts={shortcuts} />
    </>
  );
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
