/** The head of the pages about the receiver, with a link to each section. */
import { useEffect, useRef } from 'preact/hooks';
import { href, route } from '../../shared/route.ts';
import { type Words, words } from '../../shared/words.ts';

interface Part {
  readonly page: string;
  /** `view` in the address; undefined for the first section. */
  readonly view?: string;
  /** Requires the permission `admin`. */
  readonly isPrivate?: boolean;
  readonly title: (texts: Words) => string;
}

const parts: readonly Part[] = [
  { page: 'box', title: ({ box }) => box.overview },
  { page: 'box', view: 'tuners', title: ({ box }) => box.tuners },
  { page: 'box', view: 'signal', title: ({ box }) => box.signal },
  { page: 'box', view: 'streams', title: ({ box }) => box.streams },
  { page: 'box', view: 'log', isPrivate: true, title: ({ box }) => box.log },
  { page: 'box', view: 'doctor', isPrivate: true, title: ({ box }) => box.doctor },
  { page: 'box', view: 'accounts', isPrivate: true, title: ({ accounts }) => accounts.title },
  { page: 'bouquets', isPrivate: true, title: ({ app }) => app.bouquets },
  { page: 'scan', isPrivate: true, title: ({ app }) => app.scan },
];

/** Views of the page `box` that require the permission `admin`. */
export const privateViews: ReadonlySet<string> = new Set(
  parts.flatMap(({ view, isPrivate }) => (isPrivate && view ? [view] : [])),
);

export function BoxHead() {
  const { page, query } = route.value;
  const { app, box } = words.value;
  const nav = useRef<HTMLElement>(null);
  // On a phone the sections scroll: shows the current one.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [page, query.view],
  );
  return (
    <div class="page-head">
      <h1>{app.box}</h1>
      <nav ref={nav} class="days sections" aria-label={box.sections}>
        {parts.map(({ page: of, view, isPrivate, title }) => (
          <a
            key={title(words.value)}
            href={href(of, { view })}
            data-needs={isPrivate && 'admin'}
            aria-current={of === page && (view ?? '') === (query.view ?? '') ? 'page' : undefined}
          >
            {title(words.value)}
          </a>
        ))}
      </nav>
    </div>
  );
}
