/** Buttons and links for a channel, for use on any page. */
import { receiver } from './receiver.ts';
import { href, route } from './route.ts';
import { words } from './words.ts';
import { zap } from './zap.tsx';

export { zap };

interface ChannelProps {
  readonly reference: string;
  readonly name: string;
}

export function ZapButton({ reference, name }: ChannelProps) {
  const { channels } = words.value;
  return (
    <button
      type="button"
      class="button"
      data-needs="control"
      aria-label={channels.zapTo(name)}
      onClick={() => void zap(reference, name)}
    >
      {channels.zap}
    </button>
  );
}

/** Address of the player for a channel. `bouquet`: its other channels are beside the picture. */
export const watchHref = (reference: string, name: string, bouquet = route.value.query.bouquet) =>
  href('watch', { service: reference, name, bouquet });

/** A link to the player of this page. */
export function WatchLink({ reference, name }: ChannelProps) {
  const { channels } = words.value;
  return (
    <a class="button" href={watchHref(reference, name)} aria-label={channels.watchOn(name)}>
      {channels.watch}
    </a>
  );
}

/** A link to the playlist of one service, which the system opens with its media player. */
export function PlayLink({ reference, name }: ChannelProps) {
  const { channels } = words.value;
  const target = receiver.address('/web/stream.m3u', { ref: reference, name });
  return (
    <a class="button" href={target} aria-label={channels.playIn(name)}>
      {channels.play}
    </a>
  );
}
