/**
 * The receiver that serves this page: whether it answers, and its clock.
 *
 * The clock is the receiver's, not the browser's: a receiver that plays a capture lives at the time of that capture.
 * Guide answers carry its time, and live.ts asks for it; in between it advances with the browser's clock.
 */
import { computed, signal } from '@preact/signals';
import { ReceiverClient } from '../../client/client.ts';

/**
 * Below the page's own path, which a proxy may have chosen. Patient in milliseconds: a disk that wakes up, or is busy, holds up what is to be kept. live.ts
 * knows sooner if nobody is there.
 */
export const receiver = new ReceiverClient('.', { patience: 60_000 });

/** Since when it is silent, in milliseconds of the browser's clock; undefined while it is there. live.ts decides. */
export const lostSince = signal<number>();
/** Whether the event stream is open: only then is an answer new, and not one that the browser has kept. */
let isHeard = false;

/** It wants to know who asks. */
export const loginNeeded = signal(false);

export function tellHeard(heard: boolean): void {
  isHeard = heard;
  if (heard) {
    lostSince.value = undefined;
    adjustClock();
  } else lostSince.value ??= Date.now();
}

/** Seconds that the receiver's clock is ahead of the browser's. */
const ahead = signal(0);
/** The same by the latest answer. */
let difference = 0;
const tick = signal(Date.now());
setInterval(() => {
  tick.value = Date.now();
}, 1000);

/** Unix seconds by the receiver's clock; components that read it are drawn again each second. */
export const clock = computed(() => Math.floor(tick.value / 1000 + ahead.value));

/** The same in steps of ten seconds, for what moves slowly: a progress bar, a line in the guide. */
export const slowClock = computed(() => clock.value - (clock.value % 10));

/** Unix seconds by the receiver's clock, for calculations; components that read it re-render when the clock jumps. */
export function now(): number {
  return Math.floor(Date.now() / 1000 + ahead.value);
}

/** Takes the time from an answer. A difference of a second is the network, not the clock. */
export function setClock(seconds: number | null | undefined): void {
  if (!seconds || seconds <= 0) return;
  difference = seconds - Date.now() / 1000;
  if (isHeard) adjustClock();
}

function adjustClock(): void {
  if (Math.abs(difference - ahead.peek()) > 1.5) ahead.value = Math.abs(difference) > 1.5 ? difference : 0;
}
