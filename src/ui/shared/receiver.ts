/**
 * The receiver that serves this page: its client, whether it responds, and its clock.
 *
 * The page uses the receiver's clock, which follows the broadcast when the receiver plays a capture. Responses of the guide
 * carry the time, and live.ts requests it; in between the clock advances with the browser's.
 */
import { computed, signal } from '@preact/signals';
import { ReceiverClient } from '../../client/client.ts';

/**
 * Requests go below the page's own path, because of reverse proxies. The timeout in milliseconds is long: a disk that spins
 * up delays requests that write. live.ts notices sooner that the receiver is lost.
 */
export const receiver = new ReceiverClient('.', { timeoutMs: 60_000, fetch: fetchByPriority });

/** Requests other than those of low priority, until a moment after their responses: a page often continues with another. */
let urgentRequests = 0;
const settleMs = 200;
/** Maximum delay of a request of low priority. */
const maxDelayMs = 3000;

/**
 * Delays requests of low priority while others are in progress. Browsers have six connections; with 400 ms of latency, *Home*
 * is complete 0.6 s earlier if the frame does not use them. The priority of `fetch` only sorts requests that wait together.
 */
async function fetchByPriority(address: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (init?.priority === 'low') {
    const latest = performance.now() + maxDelayMs;
    do await new Promise((resolve) => setTimeout(resolve, 50));
    while (urgentRequests > 0 && performance.now() < latest);
    return fetch(address, init);
  }
  urgentRequests++;
  try {
    return await fetch(address, init);
  } finally {
    setTimeout(() => urgentRequests--, settleMs);
  }
}

/** When the receiver stopped responding, in milliseconds of the browser's clock; undefined while connected. Set by live.ts. */
export const lostSince = signal<number>();
/** Whether the event stream is open. Otherwise a response may come from the service worker's cache. */
let isConnected = false;

/** Whether the receiver requires a login (401). */
export const loginNeeded = signal(false);

/** Called when the event stream opens or breaks. */
export function setConnected(isNowConnected: boolean): void {
  isConnected = isNowConnected;
  if (isConnected) {
    lostSince.value = undefined;
    adjustClock();
  } else lostSince.value ??= Date.now();
}

/** Seconds by which the receiver's clock is ahead of the browser's. Changes when the clock jumps. */
export const aheadSeconds = signal(0);
/** Like `aheadSeconds`, measured by the latest response; maybe not yet in use. */
let measuredAhead = 0;
const tick = signal(Date.now());
setInterval(() => {
  tick.value = Date.now();
}, 1000);

/** Unix seconds by the receiver's clock; components that read it re-render each second. */
export const clock = computed(() => Math.floor(tick.value / 1000 + aheadSeconds.value));

/** Like `clock`, in steps of ten seconds: for progress bars and the line in the guide. */
export const slowClock = computed(() => clock.value - (clock.value % 10));

/** Unix seconds by the receiver's clock, for calculations; components that read it re-render when the clock jumps. */
export function now(): number {
  return Math.floor(Date.now() / 1000 + aheadSeconds.value);
}

/** Sets the clock from a response. Differences up to 1.5 seconds count as network delay. */
export function setClock(seconds: number | null | undefined): void {
  if (!seconds || seconds <= 0) return;
  measuredAhead = seconds - Date.now() / 1000;
  if (isConnected) adjustClock();
}

function adjustClock(): void {
  if (Math.abs(measuredAhead - aheadSeconds.peek()) > 1.5)
    aheadSeconds.value = Math.abs(measuredAhead) > 1.5 ? measuredAhead : 0;
}
