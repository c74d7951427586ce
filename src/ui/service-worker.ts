/**
 * Keeps the page and the latest answers in the browser, so that it opens without the receiver and shows what was known.
 * Browsers allow that on HTTPS and on this machine only.
 *
 * The receiver is always asked first. Only files whose name changes with their contents are taken from here at once.
 */

/** What is used of a service worker's global scope: its types clash with those of pages. */
interface Worker {
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
const worker = self as unknown as Worker;

const kept = 'receiverd';
/** The path of the page, `/` unless a proxy serves it below another. */
const home = new URL('../', location.href).pathname;
/** Files whose name changes with their contents. */
const isLasting = /^ui\/.*-[A-Z0-9]{8}\.js$/;
/** Answers kept; the oldest go first. */
const most = 300;

worker.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const path = pathname.slice(home.length);
  const isOurs = origin === location.origin && pathname.startsWith(home);
  if (request.method !== 'GET' || !isOurs || !isKept(path)) return;
  event.respondWith(isLasting.test(path) ? keptFirst(event) : askedFirst(event));
});

/** By the path below the page: itself, its files, logos, and answers; not the events, streams and recordings. */
function isKept(path: string): boolean {
  if (path === '' || path.startsWith('ui/') || path.startsWith('picon/')) return true;
  return /^(api|timers|recordings|autotimers|services)\b/.test(path) && path !== 'api/events';
}

/** All files of the page: itself, and those that its script names. */
async function keepShell(): Promise<void> {
  const cache = await caches.open(kept);
  const found = ['', 'ui/page.js', 'ui/style.css', 'ui/icon.svg'].map((path) => home + path);
  for (const path of found) {
    const response = await fetch(path);
    if (!response.ok) continue;
    await cache.put(path, response.clone());
    if (!path.endsWith('.js')) continue;
    for (const [, name] of (await response.text()).matchAll(/\.\/([\w.-]+-[A-Z0-9]{8}\.js)/g)) {
      // The player is the largest, and of no use without the receiver.
      if (!name?.startsWith('mpegts') && !found.includes(`${home}ui/${name}`)) found.push(`${home}ui/${name}`);
    }
  }
}

async function keptFirst(event: FetchEvent): Promise<Response> {
  return (await caches.match(event.request)) ?? askedFirst(event);
}

async function askedFirst(event: FetchEvent): Promise<Response> {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (isWorthKeeping(response)) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const known = await caches.match(request);
    if (known) return known;
    throw error;
  }
}

function isWorthKeeping({ status, headers }: Response): boolean {
  return status === 200 && Number(headers.get('Content-Length') ?? 0) < 1_000_000;
}

async function keep(request: Request, response: Response): Promise<void> {
  const cache = await caches.open(kept);
  await cache.put(request, response);
  const keys = await cache.keys();
  const answers = keys.filter(({ url }) => !new URL(url).pathname.startsWith(`${home}ui/`));
  for (const old of answers.slice(0, Math.max(0, answers.length - most))) await cache.delete(old);
}

export {};
