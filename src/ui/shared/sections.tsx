/** Links to the sections of a page. On a phone they scroll sideways. */
import { useEffect, useRef } from 'preact/hooks';

export interface Section {
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
  /** Permission that the section requires. */
  readonly needs?: string | undefined;
}

export function Sections({ label, of }: { readonly label: string; readonly of: readonly Section[] }) {
  const nav = useRef<HTMLElement>(null);
  const current = of.find(({ isCurrent }) => isCurrent)?.href;
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current]);
  return (
    <nav ref={nav} class="days sections" aria-label={label}>
      {of.map(({ title, href, isCurrent, needs }) => (
        <a key={href} href={href} data-needs={needs} aria-current={isCurrent ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
