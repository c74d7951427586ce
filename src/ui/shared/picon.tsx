/** The picon of a channel, or the initials of its name without one. */
import { useState } from 'preact/hooks';
import { receiver } from './receiver.ts';

/** The receiver's placeholder for a missing picon. */
const defaultPicon = '/images/default_picon.png';

export function Picon({ name, source }: { readonly name: string; readonly source?: string | undefined }) {
  const [broken, setBroken] = useState<string>();
  const hasPicture = source && source !== defaultPicon && source !== broken;
  return (
    <span class="picon">
      {hasPicture ? (
        <img src={receiver.address(source)} alt="" loading="lazy" decoding="async" onError={() => setBroken(source)} />
      ) : (
        <span class="initials" aria-hidden="true">
          {initials(name)}
        </span>
      )}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '?')].slice(0, 2);
  return letters.join('').toUpperCase();
}
