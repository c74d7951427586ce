/** The volume of the video, which the browser remembers. */
import { effect, useSignal } from '@preact/signals';
import { Volume2, VolumeX } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../../shared/words.ts';
import { Control } from './controls.tsx';
import type { Shortcut } from './keys.tsx';

const volumeStep = 0.05;
/** Key in the local storage. */
const volumeKey = 'volume';

/** The shortcuts, and the controls. */
export function useVolume(video: RefObject<HTMLVideoElement | null>) {
  const volume = useSignal(Number(localStorage.getItem(volumeKey) ?? 1));
  const isMuted = useSignal(false);
  useEffect(
    () =>
      effect(() => {
        if (video.current) Object.assign(video.current, { volume: volume.value, muted: isMuted.value });
        localStorage.setItem(volumeKey, String(volume.value));
      }),
    [],
  );
  const change = (step: number) => {
    volume.value = Math.round(Math.min(1, Math.max(0, volume.value + step)) * 100) / 100;
    isMuted.value = false;
  };
  const mute = () => {
    isMuted.value = !isMuted.value;
  };
  const { remote, watch } = words.value;
  const shortcuts: readonly Shortcut[] = [
    { keys: ['ArrowUp'], label: remote.louder, run: () => change(volumeStep) },
    { keys: ['ArrowDown'], label: remote.quieter, run: () => change(-volumeStep) },
    { keys: ['m'], label: watch.mute, run: mute },
  ];
  const controls = (
    <>
      <Control
        class="control-mute"
        icon={isMuted.value ? VolumeX : Volume2}
        label={isMuted.value ? watch.unmute : watch.mute}
        onClick={mute}
      />
      <input
        class="volume"
        type="range"
        min="0"
        max="1"
        step="0.01"
        aria-label={watch.volume}
        value={isMuted.value ? 0 : volume.value}
        onInput={(event) => change(Number(event.currentTarget.value) - volume.value)}
      />
    </>
  );
  return { shortcuts, controls };
}
