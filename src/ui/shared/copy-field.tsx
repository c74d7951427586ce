/** A read-only text with a button that copies it to the clipboard. */
import { useRef } from 'preact/hooks';
import { attempt, showToast } from './attempt.ts';
import { words } from './words.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
  /** For one of several fields in a view, so that the button is not its primary one. */
  readonly isMinor?: boolean;
}

export function CopyField({ label, text, isMinor = false }: CopyFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    // The clipboard API needs HTTPS or localhost.
    if (isSecureContext) await navigator.clipboard.writeText(text);
    else {
      field.current?.select();
      document.execCommand('copy');
    }
    showToast(words.peek().common.copied);
  };
  return (
    <>
      <input
        ref={field}
        readOnly
        size={text.length}
        value={text}
        aria-label={label}
        onFocus={(event) => event.currentTarget.select()}
        onClick={(event) => event.currentTarget.select()}
      />
      <button
        type="button"
        class={`button ${isMinor ? '' : 'strong'}`}
        aria-label={isMinor ? `${words.value.common.copy}: ${label}` : undefined}
        onClick={() => void attempt(copy)}
      >
        {words.value.common.copy}
      </button>
    </>
  );
}
