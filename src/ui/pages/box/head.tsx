/** The head of the pages about the receiver, with a link to each section. */
import { href, route } from '../../shared/route.ts';
import { Sections } from '../../shared/sections.tsx';
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
  { page: 'setup', isPrivate: true, title: ({ app }) => app.setup },
];

/** Views of the page `box` that require the permission `admin`. */
export const privateViews: ReadonlySet<string> = new Set(
  parts.flatMap(({ view, isPrivate }) => (isPrivate && view ? [view] : [])),
);

export function BoxHead() {
  const { page, query } = route.value;
  const { app, box } = words.value;
  const sections = parts.map(({ page: of, view, isPrivate, title }) => ({
    title: title(words.value),
    href: href(of, { view }),
    isCurrent: of === page && (view ?? '') === (query.view ?? ''),
    needs: isPrivate ? 'admin' : undefined,
  }));
  return (
    <div class="page-head">
      <h1>{app.box}</h1>
      <Sections label={box.sections} of={sections} />
    </div>
  );
}
