/** The logo of a channel, or a short form of its name on a quiet colour of its own. */
import { useEffect, useState } from 'preact/hooks';
import { receiver } from './receiver.ts';
import { hueOf, shortForm } from './short-form.ts';

/** The receiver's placeholder for a missing picon. */
const defaultPicon = '/images/default_picon.png';
/** A logo that the receiver is still fetching is requested once more after this time. */
const retryDelayMs = 3000;

export function Picon({ name, source }: { readonly name: string; readonly source?: string | undefined }) {
  const [failed, setFailed] = useState({ source: '', times: 0 });
  const times = failed.source === source ? failed.times : 0;
  const [isAgain, setAgain] = useState(false);
  useEffect(() => {
    if (times !== 1) return;
    setAgain(false);
    const timer = setTimeout(() => setAgain(true), retryDelayMs);
    return () => clearTimeout(timer);
  }, [source, times]);
  const hasLogo = source && source !== defaultPicon && (times === 0 || (times === 1 && isAgain));
  if (!hasLogo) return <Tile class="picon" name={name} />;
  return (
    <span class="picon has-logo">
      <img
        key={times}
        src={receiver.address(source)}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setFailed({ source, times: times + 1 })}
      />
    </span>
  );
}

interface TileProps {
  readonly class: string;
  readonly name: string;
  /** Whose colour it has. Default: `name`. */
  readonly of?: string;
  /** Without the short form, while a picture is loading. */
  readonly isBlank?: boolean;
}

/** A short form of a name on a quiet colour, for what has no picture. */
export function Tile({ class: name, name: text, of = text, isBlank = false }: TileProps) {
  const short = shortForm(text);
  return (
    <span class={`${name} tile`} style={{ '--hue': String(hueOf(of)) }} aria-hidden="true">
      {!isBlank && <span class={short.length > 3 ? 'short-form tight' : 'short-form'}>{short}</span>}
    </span>
  );
}
