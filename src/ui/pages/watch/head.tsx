/** The head of the page, and the addresses for other players. */
import { ArrowLeft, Copy } from 'lucide';
import type { ComponentChildren } from 'preact';
import { say } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';

export function Head({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="page-head">
      <button type="button" class="button" aria-label={words.value.common.back} onClick={() => history.back()}>
        <Icon of={ArrowLeft} />
      </button>
      <h1>{title}</h1>
      <span class="actions">{children}</span>
    </div>
  );
}

/** A playlist opens an app on this device; its address goes into another one, such as a television's. */
export function WayOut({ playlist, address }: { readonly playlist: string; readonly address: string }) {
  const said = words.value.watch;
  const copy = async () => {
    const target = new URL(address, location.href).href;
    try {
      await navigator.clipboard.writeText(target);
      say(said.copied);
    } catch {
      // Browsers give the clipboard only to pages by HTTPS.
      say(target);
    }
  };
  return (
    <>
      <a class="button" href={playlist}>
        {said.playlist}
      </a>
      <button type="button" class="button" onClick={() => void copy()}>
        <Icon of={Copy} size={16} /> {said.copyAddress}
      </button>
    </>
  );
}
