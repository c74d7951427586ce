/** The icons, of lucide: outlines on a field of 24 by 24. */
import type { IconNode } from 'lucide';
import { h } from 'preact';

/** An icon beside or instead of text; the text says what it means, so it is hidden from screen readers. */
export function Icon({ of, size = 20 }: { readonly of: IconNode; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {of.map(([name, attributes]) => h(name, attributes))}
    </svg>
  );
}
