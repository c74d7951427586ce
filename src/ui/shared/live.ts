/**
 * The receiver's events. What is shown follows from answers; an event only says that they are to be asked for again.
 *
 * While the page is hidden nothing is heard. A receiver that is silent for five seconds is lost, and tried again until it
 * is back.
 */
import { type Signal, signal } from '@preact/signals';
import { type ReceiverEvent, Refused } from '../../client/client.ts';
import { reasonOf } from './attempt.ts';
import { loginNeeded, receiver, setClock, tellHeard } from './receiver.ts';

/** Those that say which answers are to be asked for again. */
export type EventType = Exclude<ReceiverEvent['type'], 'signal' | 'reset'>;

/** How often each has happened: read it to be drawn again when it changes. */
export const heard: Readonly<Record<EventType, Signal<number>>> = {
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
  scan: signal(0),
};

/** Seconds between signs of life; silence for twice as long means that the receiver is lost. */
const heartbeat = 2;
/** Milliseconds between attempts to find it again, and between questions if it refuses its events. */
const [retry, poll] = [2000, 15_000];

let listening: AbortController | undefined;

/** Starts to listen, for as long as the page lives. */
export function listen(): void {
  const follow = () => {
    if (document.hidden) return listening?.abort();
    if (listening === undefined || listening.signal.aborted) void hear();
  };
  document.addEventListener('visibilitychange', follow);
  addEventListener('online', follow);
  loginNeeded.subscribe((needed) => needed || follow());
}

/** Runs what ends the event stream, such as a new password: nothing is lost then. */
export async function whileDeaf<Value>(run: () => Promise<Value>): Promise<Value> {
  listening?.abort();
  try {
    return await run();
  } finally {
    void hear();
  }
}

const isStillAsked = () =>
  receiver.get('/login').then(
    ({ rights }) => rights.length === 0,
    () => true,
  );

function everythingChanged(): void {
  for (const count of Object.values(heard)) count.value++;
}

/** Reads the receiver's time, which not every page needs an answer with. The service need not exist. */
async function askTime(): Promise<void> {
  const asked = { service_reference: ['1:0:1:0:0:0:0:0:0:0:'], flags: 'CX' };
  const { events } = await receiver.get('/api/eventlookup', asked).catch(() => ({ events: [] }));
  setClock(events[0]?.current_time);
}

async function hear(): Promise<void> {
  listening = new AbortController();
  const { signal } = listening;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const onOpen = () => {
        tellHeard(true);
        void askTime();
        // What happened in between was missed.
        if (!isFirst) everythingChanged();
        isFirst = false;
      };
      for await (const { type } of receiver.events({ heartbeat, signal }, { onOpen })) {
        if (type === 'reset') everythingChanged();
        else if (type !== 'signal' && type in heard) heard[type].value++;
      }
    } catch (error) {
      if (signal.aborted) return;
      reasonOf(error);
      if (loginNeeded.peek()) {
        // It answers, and may want no login any more: the last account is gone, or somebody logs in on another page.
        tellHeard(true);
        await new Promise((resolve) => setTimeout(resolve, retry));
        loginNeeded.value = await isStillAsked();
        if (!loginNeeded.peek()) everythingChanged();
        continue;
      }
      // It is there, but has too many listeners: ask from time to time.
      const isRefused = error instanceof Refused;
      tellHeard(isRefused);
      if (isRefused) everythingChanged();
      await new Promise((resolve) => setTimeout(resolve, isRefused ? poll : retry));
    }
  }
}
