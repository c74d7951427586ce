/** Icons of lucide: outlines in a view box of 24 by 24. */
import type { IconNode } from 'lucide';
import { h } from 'preact';

/** An icon. Hidden from screen readers: the button or link around it has a label. */
export function Icon({ of, size = 20 }: { readonly of: IconNode; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {of.map(([name, attributes]) => h(name, attributes))}
    </svg>
  );
}
