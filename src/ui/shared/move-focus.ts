/** The up and down keys move the focus through a list of links, to the first link of each row; all other keys stay free. */
export function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const list = event.currentTarget as HTMLElement;
  const links = [...list.querySelectorAll<HTMLElement>('li > a:first-child')];
  const here = (event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('a:first-child');
  const target = here ? links[links.indexOf(here) + step] : undefined;
  // At the ends of the list, the key scrolls, but is no shortcut of the page.
  if (target === undefined) event.stopPropagation();
  else event.preventDefault();
  target?.focus();
  target?.scrollIntoView({ block: 'nearest' });
}
