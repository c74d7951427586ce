/** A form for a file that the receiver imports: at an address, which it downloads, or on this device. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { troubleOf } from './attempt.ts';
import { words } from './words.ts';

/** Milliseconds for the import of a large file over a slow line. */
export const importTimeoutMs = 900_000;

export interface SourceGiven {
  readonly url?: string | undefined;
  readonly file?: File | undefined;
  readonly form: FormData;
}

interface SourceFormProps {
  readonly about: string;
  /** Label of the field for the file. */
  readonly file: string;
  readonly accept: string;
  readonly action: string;
  readonly url?: string;
  /** Whether `url` is sent at once. */
  readonly isWanted?: boolean;
  readonly onSend: (given: SourceGiven) => Promise<void>;
  readonly children?: ComponentChildren;
}

export function SourceForm(props: SourceFormProps) {
  const { about, file: label, accept, action, url = '', isWanted = false, onSend, children } = props;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isWanted) element.current?.requestSubmit();
  }, []);
  const [trouble, setTrouble] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { source } = words.value;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const [address, chosen] = [String(form.get('url')).trim(), form.get('file')];
    const file = chosen instanceof File && chosen.name !== '' ? chosen : undefined;
    if (isBusy) return;
    if (file === undefined && address === '') return setTrouble(source.missing);
    setTrouble('');
    setBusy(true);
    try {
      // A chosen file counts: an address may be suggested.
      await onSend({ ...(file ? { file } : { url: address }), form });
    } catch (error) {
      setTrouble(troubleOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form ref={element} class="fields" aria-busy={isBusy} onSubmit={(event) => void send(event)}>
      <p class="wide">{about}</p>
      <label class="wide">
        {source.address}
        <input name="url" type="url" defaultValue={url} maxLength={2000} placeholder="https://" autocomplete="off" />
      </label>
      <label class="wide">
        {label}
        <input name="file" type="file" accept={accept} />
      </label>
      {children}
      {trouble && (
        <p class="trouble wide" role="alert">
          {trouble}
        </p>
      )}
      <button type="submit" class="button strong" disabled={isBusy}>
        {isBusy ? source.working : action}
      </button>
    </form>
  );
}
