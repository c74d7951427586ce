/** The header of the player page, and links for other players. */
import { useSignal } from '@preact/signals';
import { ArrowLeft, Cast } from 'lucide';
import type { ComponentChildren } from 'preact';
import { attempt } from '../../shared/attempt.ts';
import { CopyField } from '../../shared/copy-field.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Icon } from '../../shared/icon.tsx';
import { back } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';

export function Head({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="page-head">
      <button type="button" class="button" aria-label={words.value.common.back} onClick={back}>
        <Icon of={ArrowLeft} />
      </button>
      <h1>{title}</h1>
      <span class="actions">{children}</span>
    </div>
  );
}

interface PlayerLinksProps {
  readonly playlist: string;
  readonly address: string;
}

/** Links for other players: a playlist for apps on this device, and an address for other devices. */
export function PlayerLinks({ playlist, address }: PlayerLinksProps) {
  const shown = useSignal<string>();
  const texts = words.value.watch;
  const showAddress = async () => {
    shown.value = await attempt(() => withTicket(address, playlist));
  };
  return (
    <>
      <a class="button" href={playlist}>
        {words.value.common.playInApp}
      </a>
      <button type="button" class="button" onClick={() => void showAddress()}>
        <Icon of={Cast} size={16} /> {texts.otherDevice}
      </button>
      {shown.value && (
        <Dialog
          title={texts.otherDevice}
          class="elsewhere"
          onClose={() => {
            shown.value = undefined;
          }}
        >
          <p>{texts.otherDeviceText}</p>
          <CopyField label={texts.address} text={shown.value} />
        </Dialog>
      )}
    </>
  );
}

/** The absolute address. With accounts, it contains the ticket of the playlist, because players cannot log in. */
async function withTicket(address: string, playlist: string): Promise<string> {
  const target = new URL(address, location.href);
  const list = await (await fetch(playlist)).text();
  const ticket = /[?&]ticket=([\w.~-]+)/.exec(list)?.[1];
  if (ticket) target.searchParams.set('ticket', ticket);
  return target.href;
}
