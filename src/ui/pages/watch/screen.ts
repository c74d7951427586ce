/** Full screen and picture in picture. */
import { signal } from '@preact/signals';

export const isFullScreen = signal(false);
document.addEventListener('fullscreenchange', () => {
  isFullScreen.value = document.fullscreenElement !== null;
});

/** iPhones support full screen only for the video element. */
interface PhoneVideo extends HTMLVideoElement {
  webkitEnterFullscreen?: () => void;
}

/** Shows the theatre around the video in full screen, with the channels, or ends that. */
export async function toggleFullScreen(video: PhoneVideo | null): Promise<void> {
  const theatre = video?.closest('.theatre');
  if (document.fullscreenElement) await document.exitFullscreen();
  else if (theatre?.requestFullscreen) await theatre.requestFullscreen().catch(() => undefined);
  else video?.webkitEnterFullscreen?.();
}

export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  if (document.pictureInPictureElement) await document.exitPictureInPicture();
  else if (document.pictureInPictureEnabled) await video?.requestPictureInPicture().catch(() => undefined);
}
