/** A row of cards that scrolls sideways, by wheel, touch, keys and its two buttons. */
import { ChevronLeft, ChevronRight } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { words } from '../../shared/words.ts';

interface ShelfProps {
  readonly title: string;
  /** Address of the whole list. */
  readonly link: string;
  readonly children: ComponentChildren;
}

export function Shelf({ title, link, children }: ShelfProps) {
  const list = useRef<HTMLUListElement>(null);
  const heading = useId();
  const { isAtStart, isAtEnd } = useScrolled(list);
  const { home } = words.value;
  const scroll = (direction: number) => {
    const { current } = list;
    current?.scrollBy({ left: direction * current.clientWidth * 0.85, behavior: 'smooth' });
  };
  return (
    <section class="shelf" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>
          <a href={link}>
            {title} <Icon of={ChevronRight} size={18} />
          </a>
        </h2>
        {/* The Tab key reaches the cards themselves. */}
        <span class="shelf-buttons" aria-hidden="true">
          <button type="button" tabIndex={-1} disabled={isAtStart} title={home.back} onClick={() => scroll(-1)}>
            <Icon of={ChevronLeft} />
          </button>
          <button type="button" tabIndex={-1} disabled={isAtEnd} title={home.forward} onClick={() => scroll(1)}>
            <Icon of={ChevronRight} />
          </button>
        </span>
      </header>
      <ul ref={list} onKeyDown={moveFocus}>
        {children}
      </ul>
    </section>
  );
}

/** Whether a list shows its start and its end. */
function useScrolled(list: { readonly current: HTMLElement | null }) {
  const [state, setState] = useState({ isAtStart: true, isAtEnd: true });
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    const update = () => {
      const { scrollLeft, scrollWidth, clientWidth } = current;
      const [isAtStart, isAtEnd] = [scrollLeft < 8, scrollLeft + clientWidth > scrollWidth - 8];
      setState((old) => (old.isAtStart === isAtStart && old.isAtEnd === isAtEnd ? old : { isAtStart, isAtEnd }));
    };
    const resized = new ResizeObserver(update);
    resized.observe(current);
    const changed = new MutationObserver(update);
    changed.observe(current, { childList: true });
    current.addEventListener('scroll', update, { passive: true });
    return () => {
      resized.disconnect();
      changed.disconnect();
      current.removeEventListener('scroll', update);
    };
  }, []);
  return state;
}

/** The arrow keys move between the cards. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('a.card-link')];
  const here = (event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('a.card-link');
  const next = here && links[links.indexOf(here) + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
