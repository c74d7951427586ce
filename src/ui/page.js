/**
 * The page. Its content follows from the URL fragment, so that everything can be linked and the browser's back button
 * works.
 *
 *   #search=TEXT      results of a search
 *   #guide=REFERENCE  guide of a channel, beside or over the list
 *   #bouquet=REFERENCE  the bouquet in the list; by default the first one
 */
import { ChannelList, loadBouquets, playlistOf } from './channels.js';
import { element, emptyState, setText } from './elements.js';
import { tickEvents, timeOf } from './events.js';
import { showGuide } from './guide.js';
import { showLogin, showUser } from './login.js';
import { Messages } from './messages.js';
import { News } from './push.js';
import { ask, LoginNeeded, now, onReachable, Refused } from './receiver.js';
import { Search } from './search.js';

const at = (id) => document.getElementById(id);
const field = at('search');

/**
 * Milliseconds between refreshes without events; the shorter one while the guide fills or the receiver is not
 * responding.
 */
const [usual, eager] = [30_000, 5_000];
/** With events: the maximum between refreshes, and how long one event waits for others. */
const [longest, together] = [300_000, 1_000];

let bouquets = [];
let shown;
let guideOf;
let leftAt = 0;
let refreshTimer;
let loading = new AbortController();
let opening = new AbortController();

const news = new News(['service', 'services', 'guide', 'message'], hear);
const messages = new Messages(at('messages'), attempt);
const channels = new ChannelList(at('list'), zap);
const search = new Search(at('hits'), at('count'), at('titles'), () => at('everywhere').checked);

const parameters = () => new URLSearchParams(location.hash.slice(1));

/** Changes the fragment; `undefined` removes a parameter. */
function go(changes, { replace = false } = {}) {
  const next = parameters();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const hash = next.toString() === '' ? location.pathname : `#${next}`;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  return follow();
}

/** Shows the state given by the fragment. */
async function follow() {
  const wanted = parameters();
  const text = wanted.get('search') ?? '';
  if (text !== field.value.trim()) field.value = text;
  showResults(text);
  await showBouquet(wanted.get('bouquet'));
  if (text === '') await openGuide(wanted.get('guide') ?? undefined);
}

let searched = '';
function showResults(text) {
  const searching = text !== '';
  at('results').hidden = !searching;
  at('browse').hidden = searching;
  if (!searching) search.stop();
  else if (searched === '') void search.run(text);
  else if (searched !== text) search.soon(text);
  searched = text;
}

async function showBouquet(reference) {
  if (bouquets.length === 0) return;
  const listed = bouquets.find((bouquet) => bouquet.reference === reference);
  // A nested bouquet has no tab; its channel numbers are its own.
  const bouquet = listed ?? (reference ? { reference, name: 'Bouquet', before: 0 } : (shown ?? bouquets[0]));
  if (bouquet.reference === shown?.reference) return;
  shown = bouquet;
  markTab();
  at('playlist').href = playlistOf(bouquet);
  loading.abort();
  loading = new AbortController();
  await attempt(async () => heard(await channels.show(bouquet, loading.signal)));
  channels.select(guideOf);
}

/** Marks the tab of the open bouquet. */
function markTab() {
  for (const tab of at('tabs').querySelectorAll('[role=tab]')) {
    const selected = tab.dataset.reference === shown?.reference;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
    if (!selected) continue;
    at('list').setAttribute('aria-labelledby', tab.id);
    tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

async function openGuide(reference) {
  if (reference === guideOf) return;
  const before = guideOf;
  if (before === undefined) leftAt = scrollY;
  guideOf = reference;
  opening.abort();
  opening = new AbortController();
  const { signal } = opening;
  channels.select(reference);
  if (reference === undefined) {
    document.body.classList.remove('has-guide');
    at('guide').hidden = true;
    at('guide').replaceChildren();
    scrollTo({ top: leftAt });
    channels.focus(before);
    return;
  }
  const opened = await attempt(async () => {
    const onClose = () => go({ guide: undefined });
    const service = { reference, name: channels.nameOf(reference) };
    const heading = await showGuide(at('guide'), service, { onZap: zap, onClose, signal });
    document.body.classList.add('has-guide');
    at('guide').scrollTop = 0;
    if (getComputedStyle(at('channels')).display === 'none') scrollTo({ top: 0 });
    heading.focus({ preventScroll: true });
  });
  // On a phone the list would be hidden with nothing in its place.
  if (!opened && !signal.aborted) await go({ guide: undefined }, { replace: true });
}

/**
 * Runs a request to the receiver. A lost connection is shown in one place, a refusal as a brief message. Returns
 * whether it succeeded.
 */
async function attempt(run) {
  try {
    await run();
    return true;
  } catch (error) {
    if (error instanceof LoginNeeded) showLogin();
    else if (error instanceof Refused) toast(error.message);
    else if (error.name !== 'AbortError' && !away) console.error(error);
    return false;
  }
}

async function zap({ reference, name }) {
  await attempt(async () => {
    await ask('/api/zap', { sRef: reference }, { method: 'POST' });
    toast(`${name} is now the current service`);
    heard(await channels.refresh());
  });
}

let toastTimer;
function toast(text) {
  setText(at('toast'), text);
  at('toast').classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => at('toast').classList.remove('shown'), 4000);
}

let guideEmpty = false;
function heard(news) {
  guideEmpty = news.guideEmpty;
  at('list').classList.toggle('gathering', guideEmpty);
  if (guideEmpty) notice('The guide is being collected from the broadcast. It fills in by itself.');
  else notice('');
  const { current } = news;
  const parts = current ? [current.name, current.title].filter((one) => one !== '') : [];
  at('current').replaceChildren(
    ...(current
      ? [
          element(
            'a',
            { href: `#${new URLSearchParams({ guide: current.reference })}` },
            element('b', {}, parts[0]),
            parts[1] ? ` ${parts[1]}` : '',
          ),
        ]
      : []),
  );
  at('current').title = parts.join(' · ');
}

let away = false;
function notice(text) {
  if (away) return;
  const box = at('notice');
  setText(box, text);
  box.hidden = text === '';
}

onReachable((reachable) => {
  if (reachable) {
    away = false;
    notice('');
  } else {
    notice('The receiver is not responding. Retrying every few seconds…');
    away = true;
  }
});

function showTabs() {
  const several = new Set(bouquets.map(({ kind }) => kind)).size > 1;
  let last;
  const tabs = bouquets.flatMap(({ reference, name, kind }, index) => {
    const label = kind === last || !several ? [] : [element('span', { class: 'kind', 'aria-hidden': 'true' }, kind)];
    last = kind;
    const tab = element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${index}`,
        'aria-controls': 'list',
        'aria-selected': 'false',
        tabindex: '-1',
      },
      several ? name.replace(/\s*\((TV|Radio)\)$/i, '') : name,
    );
    tab.dataset.reference = reference;
    tab.setAttribute('aria-label', `${kind}: ${name}`);
    tab.addEventListener('click', () => go({ bouquet: reference, guide: undefined }));
    return [...label, tab];
  });
  at('tabs').replaceChildren(...tabs);
}

at('tabs').addEventListener('keydown', (event) => {
  const tabs = [...at('tabs').querySelectorAll('[role=tab]')];
  const here = tabs.indexOf(event.target);
  const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || tabs.length === 0) return;
  event.preventDefault();
  const tab = tabs[(to + tabs.length) % tabs.length];
  tab.focus();
  tab.click();
});

field.addEventListener('input', () => go({ search: field.value.trim() }, { replace: true }));
at('everywhere').addEventListener('change', () => search.run(field.value));
at('search-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void search.run(field.value);
});
at('skip').addEventListener('click', (event) => {
  event.preventDefault();
  at('channels').focus();
});
document.querySelector('.brand').addEventListener('click', (event) => {
  event.preventDefault();
  void go({ search: undefined, guide: undefined });
});
addEventListener('popstate', follow);
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') {
    if (parameters().has('search')) void go({ search: undefined });
    else if (guideOf !== undefined) void go({ guide: undefined });
  }
});

/** Refreshes after an event, together with other events of the same moment. */
function hear(what) {
  if (document.hidden) return;
  if (what === 'message') return void attempt(() => messages.refresh());
  if (what === 'services' || what === 'reset') listsChanged = true;
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(refresh, what === 'lost' ? eager : together);
}

let listsChanged = false;
/** Loads what is still missing, or updates what is on. */
async function refresh() {
  clearTimeout(refreshTimer);
  if (document.hidden) return;
  news.open();
  await attempt(async () => {
    if (bouquets.length === 0) return begin();
    if (listsChanged) {
      listsChanged = false;
      const found = await loadBouquets();
      if (JSON.stringify(found) !== JSON.stringify(bouquets)) showBouquets(found);
    }
    await messages.refresh();
    heard(await (channels.shows(shown) ? channels.refresh() : channels.show(shown)));
  });
  clearTimeout(refreshTimer);
  if (!document.hidden) refreshTimer = setTimeout(refresh, pause());
}

/** Milliseconds until the next refresh is worthwhile. */
function pause() {
  if (!news.isLive) return away || guideEmpty || bouquets.length === 0 ? eager : usual;
  const end = channels.nextEnd;
  return end === undefined ? longest : Math.min(longest, Math.max(0, end - now()) * 1000 + together);
}

async function begin() {
  const [about, found] = await Promise.all([ask('/api/about'), loadBouquets()]);
  const { model, imagever, tuners } = about.info;
  setText(at('receiver-name'), model);
  setText(at('release'), `receiverd ${imagever}`);
  at('demo').hidden = !tuners.every(({ type }) => type.startsWith('Demo'));
  document.title = model === 'receiverd' ? 'receiverd' : `${model} · receiverd`;
  showBouquets(found);
  if (found.length === 0) {
    const text = 'The receiver is looking for channels. They will appear here once a scan has found some.';
    at('list').replaceChildren(emptyState('No channels yet', text));
  }
  await Promise.all([follow(), messages.refresh(), showUser(at('user'))]);
}

function showBouquets(found) {
  bouquets = found;
  shown = found.find(({ reference }) => reference === shown?.reference) ?? shown;
  showTabs();
  markTab();
}

function tick() {
  if (document.hidden) return;
  setText(at('clock'), timeOf(now()));
  if (now() % 10 === 0) tickEverything();
}

function tickEverything() {
  channels.tick();
  tickEvents(at('main'));
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    news.close();
    return clearTimeout(refreshTimer);
  }
  tick();
  tickEverything();
  void refresh();
});
addEventListener('online', refresh);
addEventListener('offline', refresh);
setInterval(tick, 1000);
tick();
if (parameters().has('search')) void follow();
void refresh();
