/** The household's prime time: a setting of the receiver, requested once, when a page first needs it. */
import { signal } from '@preact/signals';
import { receiver } from './receiver.ts';

const setting = 'config.epgselection.grid.primetime';

/** `20:15`. */
const clockTime = signal('20:15');
let isRequested = false;
/** Delay before a failed request may be repeated. */
const retryDelayMs = 30_000;

/** Unix seconds of the start of prime time on the day of `seconds`. Components that call it re-render when it changes. */
export function primeTime(seconds: number): number {
  if (!isRequested) {
    isRequested = true;
    void load();
  }
  const [hours, minutes] = clockTime.value.split(':').map(Number);
  return new Date(seconds * 1000).setHours(hours ?? 0, minutes ?? 0, 0, 0) / 1000;
}

/** Requests the setting again: after it was changed. */
export async function reloadPrimeTime(): Promise<void> {
  if (isRequested) await load();
}

async function load(): Promise<void> {
  try {
    const { settings } = await receiver.get('/api/settings', {});
    clockTime.value = settings.find(([key]) => key === setting)?.[1] ?? '20:15';
  } catch {
    setTimeout(() => {
      isRequested = false;
    }, retryDelayMs);
  }
}
