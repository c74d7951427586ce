/** The video with its controls, for mouse, touch and keyboard. */
import { effect } from '@preact/signals';
import { Maximize, Minimize, Pause, PictureInPicture2, Play } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';
import { AudioChoice } from './audio-choice.tsx';
import { Control } from './controls.tsx';
import { useIdle } from './idle.ts';
import { isListShown, type Shortcut, ShortcutList, useShortcuts } from './keys.tsx';
import type { Player } from './player.ts';
import { RemotePlaybackControl } from './remote-playback.tsx';
import { isFullScreen, toggleFullScreen, togglePictureInPicture } from './screen.ts';
import { Seek, type Timeline } from './seek.tsx';
import { useSkip } from './skip.tsx';
import { SubtitleChoice, SubtitleLayer } from './subtitles/layer.tsx';
import { TroubleText } from './trouble.tsx';
import { useVolume } from './volume.tsx';

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

export function Stage(props: StageProps) {
  const { player, title, timeline, onAudio, onRetry, playerLinks, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const controls = useRef<HTMLFieldSetElement>(null);
  const { isIdle, wake } = useIdle();
  const woke = useRef(false);
  const volume = useVolume(video);
  const skip = useSkip(timeline);
  const texts = words.value.watch;
  const { remote } = words.value;

  useEffect(() => {
    if (video.current) player.show(video.current);
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
    const measure = new ResizeObserver(([entry]) => {
      box.current?.style.setProperty('--controls', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`);
    });
    if (controls.current) measure.observe(controls.current);
    return () => measure.disconnect();
  }, []);

  const toggle = () => {
    const element = video.current;
    if (element === null) return;
    // While a stream is being opened, the element is paused anyway.
    const wasPaused = player.state.peek() === 'connecting' ? player.isPaused.peek() : element.paused;
    player.isPaused.value = !wasPaused;
    if (wasPaused) {
      props.onResume?.();
      void element.play().catch(() => undefined);
    } else {
      element.pause();
      props.onPause?.();
    }
  };
  const showList = () => {
    isListShown.value = true;
  };
  const changeScreen = () => void toggleFullScreen(video.current);
  const float = () => void togglePictureInPicture(video.current);
  const shortcuts: readonly Shortcut[] = [
    { keys: [' ', 'k'], label: remote.pause, run: toggle },
    ...skip.shortcuts,
    ...(props.shortcuts ?? []),
    ...volume.shortcuts,
    { keys: ['c'], label: texts.subtitles, run: () => player.subtitles.toggle() },
    { keys: ['f'], label: texts.fullScreen, run: changeScreen },
    { keys: ['p'], label: texts.pictureInPicture, run: float },
    { keys: ['?'], label: remote.shortcuts, run: showList },
  ];
  useShortcuts(shortcuts);
  const hasPictures = player.choice.value?.video !== undefined || player.choice.value === undefined;
  const isBlocked = player.blockedSince.value !== undefined;
  const isTroubled = player.state.value === 'trouble';
  const isPlaying = !player.isPaused.value && !isBlocked && !isTroubled;
  return (
    <>
      <div
        ref={box}
        class={`stage ${isTroubled ? 'troubled' : ''} ${isIdle.value && isPlaying && hasPictures ? 'idle' : ''}`}
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
          onDblClick={changeScreen}
          onEnded={() => props.onEnded?.()}
        />
        <SubtitleLayer player={player} />
        {!isTroubled && !hasPictures && <p class="sound-only">{title}</p>}
        {isBlocked && (
          <button type="button" class="start" aria-label={texts.play} onClick={toggle}>
            <Icon of={Play} size={56} />
          </button>
        )}
        {!player.trouble.value && !isBlocked && (player.state.value === 'connecting' || player.isWaiting.value) && (
          <p class="spinner" role="status">
            <span class="unseen">{texts.connecting}</span>
          </p>
        )}
        {props.overlay}
        {player.trouble.value && (
          <TroubleText trouble={player.trouble.value} onRetry={onRetry} playerLinks={playerLinks} />
        )}
        <fieldset class="controls" ref={controls} aria-label={texts.controls}>
          {timeline && <Seek timeline={timeline} chosen={skip.chosen} />}
          <div class="line">
            <Control icon={isPlaying ? Pause : Play} label={isPlaying ? texts.pause : texts.play} onClick={toggle} />
            {skip.controls}
            {volume.controls}
            <span class="text">{children}</span>
            <span class="choices">
              {props.choices}
              <AudioChoice player={player} onChange={onAudio} />
              <SubtitleChoice player={player} />
            </span>
            {player.isNative.value && <RemotePlaybackControl video={video.current} />}
            {document.pictureInPictureEnabled && hasPictures && (
              <Control class="control-float" icon={PictureInPicture2} label={texts.pictureInPicture} onClick={float} />
            )}
            <Control
              icon={isFullScreen.value ? Minimize : Maximize}
              label={isFullScreen.value ? texts.exitFullScreen : texts.fullScreen}
              onClick={changeScreen}
            />
          </div>
        </fieldset>
      </div>
      <ShortcutList shortcuts={shortcuts} />
    </>
  );
}
