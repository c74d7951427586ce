/**
 * Caches the page and the latest responses, so that the page opens offline and shows the last known state.
 * Browsers run service workers only over HTTPS and on localhost.
 *
 * Requests go to the network first. Only files with a hash of their contents in the name are served from the cache first.
 * While the receiver does not respond, everything else comes from the cache: the first file of the page after `maxWaitMs`,
 * the others after `silentWaitMs`.
 */

/** The part of `ServiceWorkerGlobalScope` in use. The library's types of workers and of pages cannot be loaded together. */
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

const cacheName = 'receiverd';
/** The path of the page: `/`, or the path of a reverse proxy. */
const home = new URL('../', location.href).pathname;
/** Files with a hash of their contents in the name. */
const hashedFile = /^ui\/.*-[A-Z0-9]{8}\.js$/;
/** The receiver counts as silent if it does not send a file of the page within this time. */
const maxWaitMs = 2000;
/** The wait for further responses of a silent receiver. As soon as one arrives, it is not silent any more. */
const silentWaitMs = 300;
/** Whether the receiver was silent last, so that responses of the API come from the cache, too. */
let isSilent = false;
/** When there are more responses in the cache, the oldest are deleted. */
const maxResponses = 300;

worker.addEventListener('install', (event) => {
  event.waitUntil(cacheShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const path = pathname.slice(home.length);
  const isOwn = origin === location.origin && pathname.startsWith(home);
  if (request.method !== 'GET' || !isOwn || !isCacheable(path)) return;
  event.respondWith(hashedFile.test(path) ? cacheFirst(event) : networkFirst(event));
});

/** True for the page, its files, picons and responses of the API; false for the event stream, streams and recordings. */
function isCacheable(path: string): boolean {
  if (path === '' || path.startsWith('ui/') || path.startsWith('picon/')) return true;
  return /^(api|timers|recordings|autotimers|services)\b/.test(path) && path !== 'api/events';
}

/** Caches the page, its files, and the modules that its scripts import. */
async function cacheShell(): Promise<void> {
  const cache = await caches.open(cacheName);
  const files = ['', 'ui/page.js', 'ui/theme.js', 'ui/style.css', 'ui/icon.svg'].map((path) => home + path);
  for (const path of files) {
    const response = await fetch(path);
    if (!response.ok) continue;
    await cache.put(path, response.clone());
    if (!path.endsWith('.js')) continue;
    for (const [, name] of (await response.text()).matchAll(/\.\/([\w.-]+-[A-Z0-9]{8}\.js)/g)) {
      // The player is the largest module, and useless offline.
      if (!name?.startsWith('mpegts') && !files.includes(`${home}ui/${name}`)) files.push(`${home}ui/${name}`);
    }
  }
}

async function cacheFirst(event: FetchEvent): Promise<Response> {
  return (await caches.match(event.request)) ?? networkFirst(event);
}

async function networkFirst(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const fresh = fetchAndStore(event);
  try {
    const cached = isSilent || isOfShell(request) ? await caches.match(request) : undefined;
    if (cached === undefined) return await fresh;
    const response = await Promise.race([fresh, pause(isSilent ? silentWaitMs : maxWaitMs)]);
    if (response) return response;
    isSilent = true;
    event.waitUntil(fresh.catch(() => undefined));
    return cached;
  } catch (error) {
    const cached = await caches.match(request);
    if (cached) return cached;
    throw error;
  }
}

async function fetchAndStore(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const response = await fetch(request);
  isSilent = false;
  if (isSmall(response)) event.waitUntil(store(request, response.clone()));
  return response;
}

/** The page and its files, which the receiver has in memory. A search, for example, may take longer. */
const isOfShell = ({ url }: Request) => /^(ui\/.*)?$/.test(new URL(url).pathname.slice(home.length));

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

function isSmall({ status, headers }: Response): boolean {
  return status === 200 && Number(headers.get('Content-Length') ?? 0) < 1_000_000;
}

async function store(request: Request, response: Response): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.put(request, response);
  const keys = await cache.keys();
  const responses = keys.filter(({ url }) => !new URL(url).pathname.startsWith(`${home}ui/`));
  for (const old of responses.slice(0, Math.max(0, responses.length - maxResponses))) await cache.delete(old);
}

export {};
