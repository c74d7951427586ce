/**
 * The route: `#/PAGE?NAME=VALUE` in the address. Everything that a page shows follows from it, so every view can be linked
 * and the browser's back button works.
 */
import { signal } from '@preact/signals';

export interface Route {
  /** Empty for the first page. */
  readonly page: string;
  readonly query: Readonly<Record<string, string>>;
}

type Changes = Readonly<Record<string, string | number | undefined>>;

function read(): Route {
  const [, page = '', query = ''] = /^#\/?([^?]*)\??(.*)$/s.exec(location.hash) ?? [];
  return { page, query: Object.fromEntries(new URLSearchParams(query)) };
}

export const route = signal<Route>(read());
/** Whether the previous entry of the history is a page of this receiver. */
let hasBefore = false;

addEventListener('hashchange', () => {
  hasBefore = true;
  route.value = read();
});

/** Goes back in the history, or to the first page if the previous entry is another site. */
export function back(): void {
  if (hasBefore) history.back();
  else go('');
}

/** Address of a page, for links. Undefined and empty values are left out. */
export function href(page: string, query: Changes = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${page}${text && `?${text}`}`;
}

/** Goes to a page. `replace` adds no entry to the history: for changes with each key press. */
export function go(page: string, query: Changes = {}, { replace = false } = {}): void {
  const target = href(page, query);
  if (replace) history.replaceState(history.state, '', target);
  else {
    hasBefore = true;
    history.pushState(null, '', target);
  }
  route.value = read();
}

/** Changes the query of the current page; undefined removes a name. */
export function change(changes: Changes, options?: { readonly replace?: boolean }): void {
  const { page, query } = route.peek();
  go(page, { ...query, ...changes }, options);
}

/** Address of the current page with a changed query. */
export function hrefHere(changes: Changes): string {
  const { page, query } = route.value;
  return href(page, { ...query, ...changes });
}
