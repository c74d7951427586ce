/** Gives the link to an event away: by what the system has for it, or else to be copied. */
import { Share2 } from 'lucide';
import { useState } from 'preact/hooks';
import { say } from '../../shared/attempt.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import { dayOf, spanOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';

export function ShareButton({ event }: { readonly event: GuideEvent }) {
  const [isShown, setShown] = useState(false);
  const { event: said } = words.value;
  const { id, reference, channel, title, start, duration } = event;
  const path = href('channel', { service: reference, name: channel, event: id, of: reference });
  const url = new URL(path, location.href).href;
  const share = async () => {
    const text = `${title} · ${channel} · ${dayOf(start)}, ${spanOf(start, duration)}`;
    // A page of plain HTTP has neither; then the person copies it.
    if ('share' in navigator) await navigator.share({ title, text, url }).catch(() => undefined);
    else if ('clipboard' in navigator) await copy(url, () => setShown(true));
    else setShown(true);
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void share()}>
        <Icon of={Share2} size={16} /> {said.share}
      </button>
      {isShown && (
        <input
          class="share-link"
          readOnly
          aria-label={said.link}
          value={url}
          ref={(field) => field?.select()}
          onFocus={(focus) => focus.currentTarget.select()}
        />
      )}
    </>
  );
}

async function copy(url: string, onRefused: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(url);
    say(words.peek().event.copied);
  } catch {
    onRefused();
  }
}
