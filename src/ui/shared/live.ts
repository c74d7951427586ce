/**
 * The receiver's event stream. Events carry no data for the page: each one makes it reload the responses it affects.
 *
 * The stream is closed while the page is hidden. After two missed heartbeats the receiver counts as lost, and the page
 * reconnects until it is back.
 */
import { type Signal, signal } from '@preact/signals';
import { type ReceiverEvent, Refused } from '../../client/client.ts';
import { reasonOf } from './attempt.ts';
import { loginNeeded, receiver, setClock, setConnected } from './receiver.ts';

/** Types of events after which responses are reloaded. */
export type EventType = Exclude<ReceiverEvent['type'], 'signal' | 'reset'>;

/** Number of events by type since the page was loaded. A component that reads one re-renders on each event. */
export const eventCounts: Readonly<Record<EventType, Signal<number>>> = {
  service: signal(0),
  volume: signal(0),
  standby: signal(0),
  sleeptimer: signal(0),
  message: signal(0),
  guide: signal(0),
  services: signal(0),
  recording: signal(0),
  recordings: signal(0),
  timeshift: signal(0),
  timers: signal(0),
  autotimers: signal(0),
  streams: signal(0),
  tuner: signal(0),
  boxes: signal(0),
  scan: signal(0),
  notice: signal(0),
};

/** Seconds between heartbeats. The receiver is lost after twice as long without data. */
const heartbeatSeconds = 2;
/** Delay before reconnecting. */
const retryDelayMs = 2000;
/** Interval of reloading everything while the receiver refuses an event stream. */
const pollIntervalMs = 15_000;

let listening: AbortController | undefined;
/** Whether the stream has been open before: events after it was closed were missed. */
let wasOpen = false;

/** Follows the event stream whenever the page is visible: from now on, or after a login if one is needed. */
export function listen(): void {
  document.addEventListener('visibilitychange', update);
  addEventListener('online', update);
  loginNeeded.subscribe((needed) => needed || update());
}

function update(): void {
  if (document.hidden) listening?.abort();
  else if (listening === undefined || listening.signal.aborted) void follow();
}

/** Closes the event stream, runs a request that would make the receiver end it (such as a new password), and reopens it. */
export async function withEventsPaused<Value>(run: () => Promise<Value>): Promise<Value> {
  listening?.abort();
  try {
    return await run();
  } finally {
    update();
  }
}

/** Types of events on which the responses depend that came before the event stream was open. */
const early = new Set<EventType>();

/**
 * Notes a request whose response depends on these events. Call the result when the response arrives: true if it must be
 * requested again, because the stream opened meanwhile and events may have been missed. If the stream is still closed then,
 * the response is reloaded when it opens.
 */
export function noteRequest(on: readonly EventType[]): () => boolean {
  const isEarly = !wasOpen;
  return () => {
    if (!wasOpen) for (const type of on) early.add(type);
    return isEarly && wasOpen && on.length > 0;
  };
}

const needsLogin = () =>
  receiver.get('/login').then(
    ({ rights }) => rights.length === 0,
    () => true,
  );

function everythingChanged(): void {
  for (const count of Object.values(eventCounts)) count.value++;
}

/** Sets the clock, because not every page loads a response with the receiver's time. The service need not exist. */
async function loadTime(): Promise<void> {
  const query = { service_reference: ['1:0:1:0:0:0:0:0:0:0:'], flags: 'CX' };
  const { events } = await receiver.get('/api/eventlookup', query, { priority: 'low' }).catch(() => ({ events: [] }));
  setClock(events[0]?.current_time);
}

async function follow(): Promise<void> {
  listening = new AbortController();
  const { signal } = listening;
  while (!signal.aborted) {
    try {
      const onOpen = () => {
        setConnected(true);
        void loadTime();
        if (wasOpen) everythingChanged();
        else for (const type of early) eventCounts[type].value++;
        wasOpen = true;
      };
      for await (const { type } of receiver.events({ heartbeat: heartbeatSeconds, signal }, { onOpen })) {
        if (type === 'reset') everythingChanged();
        else if (type !== 'signal' && type in eventCounts) eventCounts[type].value++;
      }
    } catch (error) {
      if (signal.aborted) return;
      reasonOf(error);
      if (loginNeeded.peek()) {
        // The receiver responds. It may stop requiring a login: the last account was deleted, or another tab logged in.
        setConnected(true);
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
        loginNeeded.value = await needsLogin();
        if (!loginNeeded.peek()) everythingChanged();
        continue;
      }
      // The receiver responds, but has too many event streams: poll instead.
      const isRefused = error instanceof Refused;
      setConnected(isRefused);
      if (isRefused) everythingChanged();
      await new Promise((resolve) => setTimeout(resolve, isRefused ? pollIntervalMs : retryDelayMs));
    }
  }
}
