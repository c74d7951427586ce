/** Shares the link to an event: with the system's share dialog, the clipboard, or a field to copy from. */
import { Share2 } from 'lucide';
import { useState } from 'preact/hooks';
import { showToast } from '../../shared/attempt.ts';
import type { GuideEvent } from '../../shared/guide-event.ts';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import { dayOf, spanOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';

export function ShareButton({ event }: { readonly event: GuideEvent }) {
  const [isShown, setShown] = useState(false);
  const { event: texts } = words.value;
  const { id, reference, channel, title, start, duration } = event;
  const path = href('channel', { service: reference, name: channel, event: id, of: reference });
  const url = new URL(path, location.href).href;
  const share = async () => {
    const text = `${title} · ${channel} · ${dayOf(start)}, ${spanOf(start, duration)}`;
    // Over plain HTTP there is neither, so the link is shown in a field.
    if ('share' in navigator) await navigator.share({ title, text, url }).catch(() => undefined);
    else if ('clipboard' in navigator) await copy(url, () => setShown(true));
    else setShown(true);
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void share()}>
        <Icon of={Share2} size={16} /> {texts.share}
      </button>
      {isShown && (
        <input
          class="share-link"
          readOnly
          aria-label={texts.link}
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
    showToast(words.peek().event.copied);
  } catch {
    onRefused();
  }
}
