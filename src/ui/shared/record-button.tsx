/** Buttons that add or delete the timer of an event, for recording or as a reminder. */
import { Bell, BellOff, Circle, CircleDot, CircleStop } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { attempt, showToast, type Toast } from './attempt.ts';
import { isSameService, type Timer, type Timers, timerOf, timersOf, useTimers } from './event-timers.ts';
import { type GuideEvent, isRunning } from './guide-event.ts';
import { Icon } from './icon.tsx';
import { eventCounts } from './live.ts';
import { now, receiver } from './receiver.ts';
import { href } from './route.ts';
import { StopQuestion } from './stop-question.tsx';
import { type Timer as FullTimer, removeTimer, stopTimer } from './timers.ts';
import { words } from './words.ts';

interface EventProps {
  readonly event: GuideEvent;
}

export function RecordButton({ event }: EventProps) {
  return <RecordToggle event={event} timer={useTimer(event)} />;
}

interface ToggleProps extends EventProps {
  readonly timer: Timer | undefined;
  /** Without a text, for rows and cards. */
  readonly isBrief?: boolean;
  /** The event in the label. Default: its title. */
  readonly name?: string;
}

export function RecordToggle({ event, timer, isBrief = false, name = event.title }: ToggleProps) {
  const { start, duration } = event;
  const { isSet, isActive, toggle, question } = useRecording(event, timer);
  const { event: texts } = words.value;
  if (start + duration <= now()) return null;
  const cancel = isActive ? texts.stopRecording : texts.cancelRecording;
  const form = isBrief ? 'bare record' : 'button';
  const icon = { size: isBrief ? 20 : 16, of: isBrief ? (isSet ? Circle : CircleDot) : isSet ? CircleStop : Circle };
  return (
    <>
      <button
        type="button"
        class={`${form} ${isSet ? 'set' : isBrief || isRunning(event, now()) ? '' : 'strong'}`}
        data-needs="record"
        aria-label={isSet ? (isBrief ? `${cancel}: ${name}` : undefined) : texts.recordEvent(name)}
        onClick={toggle}
      >
        <Icon {...icon} /> {!isBrief && (isSet ? cancel : texts.record)}
      </button>
      {question}
    </>
  );
}

/** Whether an event will be recorded or is being recorded, and how to change that. */
interface Recording {
  readonly isSet: boolean;
  /** Whether it is being recorded. */
  readonly isActive: boolean;
  /** Adds the timer or deletes it. Stopping a running recording asks first. */
  readonly toggle: () => void;
  /** The question, if it is being asked. */
  readonly question: ComponentChildren;
}

/** `timer`: see `recordingTimer`. */
export function useRecording(event: GuideEvent, timer: Timer | undefined): Recording {
  const [asked, ask] = useState(false);
  const { event: texts } = words.value;
  const title = event.title || event.channel;
  const isSet = timer !== undefined && !timer.justplay;
  const isActive = isSet && timer.state === running;
  const stop = async () => {
    if (timer) await change(timer, (one) => (isActive ? stopTimer(one) : removeTimer(one, texts.removed(title))));
  };
  const toggle = () => {
    if (isActive) ask(true);
    else void (isSet ? stop() : add(event, 0, texts.willRecord(title)));
  };
  const question = asked && isActive && <StopQuestion title={title} onStop={stop} onClose={() => ask(false)} />;
  return { isSet, isActive, toggle, question };
}

/** `state` of a running timer in `/api/timerlist`. */
const running = 2;

/** A reminder is a timer that only switches to the service. An event has either a reminder or a recording. */
export function RemindButton({ event }: EventProps) {
  const { start, title } = event;
  const timer = useTimer(event);
  const { event: texts } = words.value;
  if (start <= now() || (timer && !timer.justplay)) return null;
  return timer ? (
    <button
      type="button"
      class="button"
      data-needs="record"
      onClick={() => void change(timer, (one) => removeTimer(one, texts.willNotRemind(title)))}
    >
      <Icon of={BellOff} size={16} /> {texts.cancelReminder}
    </button>
  ) : (
    <button
      type="button"
      class="button"
      data-needs="record"
      aria-label={texts.remindOf(title)}
      onClick={() => void add(event, 1, texts.willRemind(title))}
    >
      <Icon of={Bell} size={16} /> {texts.remind}
    </button>
  );
}

export function useTimer(event: GuideEvent): Timer | undefined {
  return recordingTimer(event, useTimers());
}

/** The timer of an event; while it is on, also a recording of its service that belongs to no event. */
export function recordingTimer(event: GuideEvent, timers: Timers | undefined): Timer | undefined {
  const ofService = timersOf(timers, event.reference);
  const instant = ofService?.find(({ eit, state, justplay }) => eit === null && state === running && !justplay);
  return timerOf(event, ofService) ?? (isRunning(event, now()) ? instant : undefined);
}

/** `id` of a period that is recorded without the guide. */
const noEvent = -1;
/** Length of a recording without the guide. */
const periodSeconds = 2 * 3600;

/** What to record on a channel without a guide: the next two hours. */
export const periodOf = (reference: string, channel: string): GuideEvent => ({
  ...{ reference, channel, id: noEvent, start: now(), duration: periodSeconds, title: channel },
  ...{ short: '', long: '', genre: 0, genreName: '' },
});

async function add(event: GuideEvent, justplay: number, message: string): Promise<void> {
  const { reference: service_reference, id, start: start_time, duration, title } = event;
  const done = await attempt(() =>
    receiver.post(
      '/timers',
      id === noEvent
        ? { service_reference, start_time, end_time: start_time + duration, title }
        : { service_reference, id, justplay: justplay === 1 },
    ),
  );
  const added = done?.items[0]?.timer_id;
  finish(done, message, { label: words.peek().timers.show, href: href('timers', { timer: added }) });
}

/** Stops or deletes a timer, with *Undo* in the message. */
async function change({ serviceref, begin, end }: Timer, act: (timer: FullTimer) => Promise<void>): Promise<void> {
  const { items = [] } = (await attempt(() => receiver.get('/timers'))) ?? {};
  const timer = items.find(
    (one) => one.start_time === begin && one.end_time === end && isSameService(one.service_reference, serviceref),
  );
  if (timer) await act(timer);
  eventCounts.timers.value++;
}

/** Shows the message and reloads the timers: just after loading, the event stream may not be open yet. */
function finish(done: object | undefined, message: string, action?: Toast['action']): void {
  if (done === undefined) return;
  showToast(message, action);
  eventCounts.timers.value++;
}
