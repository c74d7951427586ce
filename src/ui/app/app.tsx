/** The frame of every page: header with search, menu, the page itself, and dialogs. */
import { Ellipsis, Search } from 'lucide';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { EventDialog } from '../pages/event/event-dialog.tsx';
import { attempt } from '../shared/attempt.ts';
import { Empty } from '../shared/empty.tsx';
import { Entrance } from '../shared/entrance.tsx';
import { isFocusFree } from '../shared/focus.ts';
import { Icon } from '../shared/icon.tsx';
import { missingRights, session } from '../shared/login.ts';
import { clock, lostSince, receiver } from '../shared/receiver.ts';
import { change, go, href, route } from '../shared/route.ts';
import { timeOf } from '../shared/time.ts';
import { useResponse } from '../shared/use-response.ts';
import { sentence, words } from '../shared/words.ts';
import { PinDialog } from '../shared/zap.tsx';
import { Foot } from './foot.tsx';
import { Login } from './login.tsx';
import { pages } from './pages.ts';

export function App() {
  const { value: about } = useResponse(
    (signal) => receiver.get('/api/about', {}, { signal, priority: 'low' }),
    [],
    ['tuner'],
  );
  const model = about?.info.model ?? 'receiverd';
  const lost = lostSince.value;
  const { app } = words.value;
  const { page, query } = route.value;
  useEffect(() => {
    document.title = [query.name, pages.get(page)?.title(app) ?? app.notFound, model].filter(Boolean).join(' · ');
  }, [model, page, query.name, app]);
  useKeys();
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {app.skip}
      </button>
      <header class="top">
        <a class="brand" href={href('')} aria-label={`${model}, ${app.home}`}>
          <img src="ui/icon.svg" width="36" height="36" alt="" fetchpriority="low" />
          <span>{model}</span>
        </a>
        <Playing />
        <SearchField />
        <Clock />
      </header>
      <Menu />
      <main id="main" tabIndex={-1}>
        {lost !== undefined && (
          <p class="notice lost" role="alert">
            {sentence(app.lost(timeOf(lost / 1000)))}
          </p>
        )}
        <div class={`page ${lost === undefined ? '' : 'stale'}`}>
          <Page />
        </div>
      </main>
      <Foot release={about?.info.imagever ?? ''} />
      <EventDialog />
      <PinDialog />
      <Login />
    </>
  );
}

interface LoadedPage {
  readonly name: string;
  readonly View: ComponentType;
}

/** The page in the address when the browser opened this one, if it could be loaded. */
let first: LoadedPage | undefined;

/** Loads the page in the address before the first render: so its requests come before those of the frame. */
export async function loadFirstPage(): Promise<void> {
  const name = route.peek().page;
  const load = pages.get(name)?.load;
  if (load) first = { name, View: (await load()).default };
}

/** The page in the address. Its code is loaded when the page is first opened. */
function Page() {
  const name = route.value.page;
  const [loaded, setLoaded] = useState(() => first);
  useEffect(() => {
    let isWanted = true;
    const load = pages.get(name)?.load;
    void attempt(async () => {
      const View = load ? (await load()).default : NotFound;
      if (isWanted) setLoaded({ name, View });
    });
    return () => {
      isWanted = false;
    };
  }, [name]);
  useEffect(() => {
    scrollTo({ top: 0 });
    // The link that led here is gone: keys and screen readers start at the page, not at the menu.
    if (loaded !== first && isFocusFree()) document.getElementById('main')?.focus({ preventScroll: true });
  }, [loaded?.name]);
  const { needs, title } = pages.get(name) ?? {};
  const { user, administrator } = session.value ?? {};
  // Until the session is known: requests of the page would be refused and open a second login dialog.
  if (needs && session.value === undefined) return null;
  const asksFirst = route.value.query.code !== undefined && administrator === false;
  if (needs && (missingRights.value.has(needs) || asksFirst))
    return user ? (
      <Entrance />
    ) : (
      <section>
        <div class="page-head">
          <h1>{title?.(words.value.app)}</h1>
        </div>
        <Entrance />
      </section>
    );
  if (loaded === undefined) return null;
  // The previous page stays until the next one has loaded, unless it needs a missing permission.
  const before = pages.get(loaded.name)?.needs;
  return before && missingRights.value.has(before) ? null : <loaded.View key={loaded.name} />;
}

function NotFound() {
  const { app } = words.value;
  return (
    <>
      <Empty text={app.notFound} />
      <p class="links centred">
        <a href={href('')}>{app.home}</a>
      </p>
    </>
  );
}

/** All pages in a row. On a phone only those used daily; a button shows the others. */
function Menu() {
  const { app, common } = words.value;
  const [isOpen, setOpen] = useState(false);
  const { page: here, query } = route.value;
  const parent = here === 'watch' && query.recording ? 'recordings' : pages.get(here)?.of;
  // Not with each change of the address: pages put what they load into it.
  useLayoutEffect(() => setOpen(false), [here]);
  const items = [...pages].filter(([, { icon }]) => icon !== undefined);
  return (
    <nav class={`menu ${isOpen ? 'open' : ''}`} aria-label={app.menu}>
      {items.map(([name, { icon, title, isDaily, needs }]) => (
        <a
          key={name}
          class={isDaily ? 'daily' : ''}
          data-needs={session.value?.user ? needs : undefined}
          href={href(name)}
          aria-current={name === here ? 'page' : name === parent ? 'true' : undefined}
          onClick={() => setOpen(false)}
        >
          {icon && <Icon of={icon} />}
          <span>{title(app)}</span>
        </a>
      ))}
      <button type="button" class="menu-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon of={Ellipsis} />
        <span>{common.more}</span>
      </button>
    </nav>
  );
}

function Playing() {
  const { value } = useResponse(
    (signal) => receiver.get('/api/statusinfo', {}, { signal, priority: 'low' }),
    [],
    ['service', 'standby', 'recording'],
  );
  const name = value?.currservice_station ?? '';
  const reference = value?.currservice_serviceref ?? '';
  const title = value?.currservice_name;
  if (!name || !reference) return <p class="playing" />;
  return (
    <p class="playing" title={words.value.app.playing(name)}>
      <a href={href('channel', { service: reference })}>
        <b>{name}</b> {title === 'N/A' ? '' : title}
      </a>
    </p>
  );
}

function SearchField() {
  const { page, query } = route.value;
  const field = useRef<HTMLInputElement>(null);
  const text = page === 'search' ? (query.text ?? '') : '';
  const [titles, setTitles] = useState<readonly string[]>([]);
  const latest = useRef('');
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = text;
  }, [text]);
  const search = (typed: string) => {
    if (page === 'search') change({ text: typed || undefined, title: undefined }, { replace: true });
    else if (typed) go('search', { text: typed });
    const prefix = typed.trim();
    latest.current = prefix;
    // The response for a shorter text may come later.
    const suggest = (found: readonly string[]) => latest.current === prefix && setTitles(found);
    if (prefix.length < 2) return suggest([]);
    void receiver
      .get('/api/eventsuggest', { what: prefix, max_rows: 8 })
      .then(({ titles: found }) => suggest(found.map(({ title }) => title)))
      .catch(() => suggest([]));
  };
  const { placeholder } = words.value.search;
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // Without text the search page lists genres and the saved searches.
          if (page !== 'search') go('search');
          field.current?.blur();
        }}
      >
        <Icon of={Search} size={18} />
        <input
          ref={field}
          id="search"
          type="search"
          aria-label={placeholder}
          placeholder={placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="search"
          maxLength={100}
          aria-keyshortcuts="/"
          list="titles"
          onClick={() => page !== 'search' && go('search')}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <datalist id="titles">
          {titles.map((title) => (
            <option key={title} value={title} />
          ))}
        </datalist>
        <span class="search-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}

function Clock() {
  return <time class="clock">{timeOf(clock.value)}</time>;
}

/** `/` focuses the search field. Pages add shortcuts of their own; the browser closes dialogs on Escape. */
function useKeys(): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      document.getElementById('search')?.focus();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
