/** The head of the pages about the receiver itself, with the way to each of them. */
import { useEffect, useRef } from 'preact/hooks';
import { href, route } from '../../shared/route.ts';
import { type Words, words } from '../../shared/words.ts';

interface Part {
  readonly page: string;
  /** In the address; the first has none. */
  readonly view?: string;
  readonly title: (said: Words) => string;
}

const parts: readonly Part[] = [
  { page: 'box', title: ({ box }) => box.overview },
  { page: 'box', view: 'tuners', title: ({ box }) => box.tuners },
  { page: 'box', view: 'signal', title: ({ box }) => box.signal },
  { page: 'box', view: 'streams', title: ({ box }) => box.streams },
  { page: 'box', view: 'log', title: ({ box }) => box.log },
  { page: 'box', view: 'doctor', title: ({ box }) => box.doctor },
  { page: 'bouquets', title: ({ app }) => app.bouquets },
  { page: 'scan', title: ({ app }) => app.scan },
];

export function BoxHead() {
  const { page, query } = route.value;
  const { app, box } = words.value;
  const nav = useRef<HTMLElement>(null);
  // On a phone not all of them are in view.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [page, query.view],
  );
  return (
    <div class="page-head">
      <h1>{app.box}</h1>
      <nav ref={nav} class="days sections" aria-label={box.sections}>
        {parts.map(({ page: of, view, title }) => (
          <a
            key={title(words.value)}
            href={href(of, { view })}
            aria-current={of === page && (view ?? '') === (query.view ?? '') ? 'page' : undefined}
          >
            {title(words.value)}
          </a>
        ))}
      </nav>
    </div>
  );
}
