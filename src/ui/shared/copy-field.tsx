/** A text to be copied: into the clipboard, where the browser allows it, or by hand. */
import { attempt, say } from './attempt.ts';
import { words } from './words.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
}

export function CopyField({ label, text }: CopyFieldProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say(words.peek().common.copied);
  };
  return (
    <>
      <input
        readOnly
        value={text}
        aria-label={label}
        onFocus={(event) => event.currentTarget.select()}
        onClick={(event) => event.currentTarget.select()}
      />
      {/* Browsers give the clipboard only to pages by HTTPS. */}
      {isSecureContext && (
        <button type="button" class="button strong" onClick={() => void attempt(copy)}>
          {words.value.common.copy}
        </button>
      )}
    </>
  );
}
