/** The head of the page, and the addresses for other players. */
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

interface WayOutProps {
  readonly playlist: string;
  readonly address: string;
}

/** A playlist opens an app on this device; its address goes into another one, such as a television's. */
export function WayOut({ playlist, address }: WayOutProps) {
  const shown = useSignal<string>();
  const said = words.value.watch;
  const show = async () => {
    shown.value = await attempt(() => withTicket(address, playlist));
  };
  return (
    <>
      <a class="button" href={playlist}>
        {words.value.common.playInApp}
      </a>
      <button type="button" class="button" onClick={() => void show()}>
        <Icon of={Cast} size={16} /> {said.otherDevice}
      </button>
      {shown.value && (
        <Dialog
          title={said.otherDevice}
          class="elsewhere"
          onClose={() => {
            shown.value = undefined;
          }}
        >
          <p>{said.otherDeviceText}</p>
          <CopyField label={said.address} text={shown.value} />
        </Dialog>
      )}
    </>
  );
}

/** The full address. Where there are accounts it has the ticket of the playlist, because a player cannot log in. */
async function withTicket(address: string, playlist: string): Promise<string> {
  const target = new URL(address, location.href);
  const list = await (await fetch(playlist)).text();
  const ticket = /[?&]ticket=([\w.~-]+)/.exec(list)?.[1];
  if (ticket) target.searchParams.set('ticket', ticket);
  return target.href;
}
