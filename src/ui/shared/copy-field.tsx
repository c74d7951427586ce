/** A text to be copied into the clipboard. */
import { useRef } from 'preact/hooks';
import { attempt, say } from './attempt.ts';
import { words } from './words.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
}

export function CopyField({ label, text }: CopyFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    // The clipboard itself is only for pages by HTTPS.
    if (isSecureContext) await navigator.clipboard.writeText(text);
    else {
      field.current?.select();
      document.execCommand('copy');
    }
    say(words.peek().common.copied);
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
      <button type="button" class="button strong" onClick={() => void attempt(copy)}>
        {words.value.common.copy}
      </button>
    </>
  );
}
