/** The frame of the player page: its header, what is below the picture, and links for other players. */
import { useSignal } from '@preact/signals';
import { ArrowLeft, Cast } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { CopyField } from '../../shared/copy-field.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { isFocusFree } from '../../shared/focus.ts';
import { Icon } from '../../shared/icon.tsx';
import { back } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { ShortcutsButton } from './keys.tsx';
import type { Player } from './player.ts';

interface FrameProps {
  readonly title: string;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  /** Without channels beside the picture. */
  readonly isAlone?: boolean;
  readonly children: ComponentChildren;
}

/** The page around the player: its header, and the picture with what is beside and below it. */
export function Frame({ title, actions, isAlone = false, children }: FrameProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The link that led here is gone: keys and screen readers start at the player, not at the top of the page.
    if (isFocusFree()) section.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section class="watch" aria-label={title} tabIndex={-1} ref={section}>
      <div class="page-head">
        <button type="button" class="button" aria-label={words.value.common.back} onClick={back}>
          <Icon of={ArrowLeft} />
        </button>
        <h1>{title}</h1>
        <span class="actions">{actions}</span>
      </div>
      <div class={`theatre ${isAlone ? 'alone' : ''}`}>{children}</div>
    </section>
  );
}

interface BelowProps {
  readonly player: Player;
  readonly playerLinks: ComponentChildren;
  /** What is playing. */
  readonly children: ComponentChildren;
}

/** What is below the picture: what is playing, links for other players, and the shortcuts. */
export function Below({ player, playerLinks, children }: BelowProps) {
  const converted = player.converted.value;
  return (
    <div class="below-stage">
      {children}
      <p class="ways">
        {player.state.value !== 'trouble' && playerLinks}
        <ShortcutsButton />
      </p>
      {converted.length > 0 && <p class="hint">{words.value.watch.converted(converted.join(', '))}</p>}
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
