/**
 * Plays on a television: by the Remote Playback API (Google Cast) or AirPlay, which browsers offer for addresses that the
 * video element plays by itself, so for HTTP Live Streaming.
 */
import { useSignal } from '@preact/signals';
import { Airplay, Cast } from 'lucide';
import { useEffect } from 'preact/hooks';
import { session } from '../../shared/login.ts';
import { words } from '../../shared/words.ts';
import { Control } from './controls.tsx';

/** AirPlay in Safari. */
interface AppleVideo extends HTMLVideoElement {
  webkitShowPlaybackTargetPicker?(): void;
}
interface AvailabilityEvent extends Event {
  readonly availability: 'available' | 'not-available';
}
const availabilityChanged = 'webkitplaybacktargetavailabilitychanged';

/** Renders nothing if there is no device. With accounts neither, because another device cannot log in. */
export function RemotePlaybackControl({ video }: { readonly video: AppleVideo | null }) {
  const isAvailable = useSignal(false);
  const hasAirPlay = video?.webkitShowPlaybackTargetPicker !== undefined;
  useEffect(() => {
    if (video === null) return;
    if (hasAirPlay) {
      const follow = (event: Event) => {
        isAvailable.value = (event as AvailabilityEvent).availability === 'available';
      };
      video.addEventListener(availabilityChanged, follow);
      return () => video.removeEventListener(availabilityChanged, follow);
    }
    const watching = video.remote
      ?.watchAvailability((isThere) => {
        isAvailable.value = isThere;
      })
      .catch(() => undefined);
    return () => void watching?.then((id) => (id === undefined ? undefined : video.remote.cancelWatchAvailability(id)));
  }, [video]);
  if (!isAvailable.value || session.value?.user) return null;
  const choose = () => {
    if (hasAirPlay) video.webkitShowPlaybackTargetPicker?.();
    // Rejects if the user closes the list of devices.
    else video?.remote.prompt().catch(() => undefined);
  };
  return <Control icon={hasAirPlay ? Airplay : Cast} label={words.value.watch.onTelevision} onClick={choose} />;
}
