/** A modal dialog. The browser keeps the focus inside; Escape closes it. */
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { raiseInto } from './above.ts';
import { Icon } from './icon.tsx';
import { words } from './words.ts';

interface DialogProps {
  readonly title: string;
  readonly class?: string;
  /** Undefined if the dialog cannot be closed. */
  readonly onClose?: () => void;
  /** Asks before it is closed with edits. The form closes the dialog itself when it has saved them. */
  readonly keepsEdits?: boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, class: name = '', onClose, keepsEdits = false, children }: DialogProps) {
  const isEdited = useRef(false);
  const [asks, setAsks] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // At once: the next key is for the dialog.
  useLayoutEffect(() => {
    const [element, before] = [dialog.current, document.activeElement];
    if (element === null) return;
    element.showModal();
    // Focus the first field, except on touch screens, where the keyboard would cover the dialog.
    const field = element.querySelector<HTMLElement>(
      '.dialog-head + form :is(input:not([readonly]), select, textarea)',
    );
    if (matchMedia('(hover: hover)').matches) field?.focus();
    const lower = raiseInto(element);
    return () => {
      lower();
      element.close();
      // The browser restores the focus only while the dialog is in the document.
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const close = () => {
    // Not while Escape is being handled: the browser would close the question together with this dialog next time.
    if (keepsEdits && isEdited.current) setTimeout(() => setAsks(true));
    else onClose?.();
  };
  const cancel = (event: Event) => {
    // Also that of a file picker in the dialog would get here.
    if (event.target !== dialog.current) return;
    event.preventDefault();
    close();
  };
  // The browser closes a dialog without asking if Escape is pressed twice in a row.
  const reopen = ({ target }: Event) => {
    const element = dialog.current;
    if (target !== element || !element?.isConnected || element.open) return;
    element.showModal();
    close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape and the button
    <dialog
      ref={dialog}
      class={`dialog ${name}`}
      aria-labelledby={heading}
      onCancel={cancel}
      onClose={reopen}
      onInput={() => {
        isEdited.current = true;
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          {onClose && (
            <button type="button" class="bare" aria-label={words.value.common.close} onClick={close}>
              <Icon of={X} />
            </button>
          )}
        </header>
        {children}
      </div>
      {asks && (
        <Question
          title={words.value.common.discardTitle}
          effect={words.value.common.discardText}
          action={words.value.common.discard}
          onConfirm={async () => onClose?.()}
          onClose={() => setAsks(false)}
        />
      )}
    </dialog>
  );
}

interface QuestionProps {
  readonly title: string;
  /** What the action does. */
  readonly effect: string;
  /** Label of the button that confirms. */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for confirmation of an action that cannot be undone. */
export function Question({ title, effect, action, onConfirm, onClose }: QuestionProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{effect}</p>
      <p class="actions">
        <button type="button" class="button strong" onClick={() => void onConfirm()}>
          {action}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {words.value.common.cancel}
        </button>
      </p>
    </Dialog>
  );
}
