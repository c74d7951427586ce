/** The channels of a bouquet, each with its present event: beside the picture, or over it in full screen. */
import { useSignal } from '@preact/signals';
import { X } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { BouquetPicker } from '../../shared/bouquets.tsx';
import { isSameService, timerOf, timersOf, useTimers } from '../../shared/event-timers.ts';
import { fromOperation, type GuideEvent } from '../../shared/guide-event.ts';
import { moveFocus } from '../../shared/move-focus.ts';
import { Picon } from '../../shared/picon.tsx';
import { now, receiver, slowClock } from '../../shared/receiver.ts';
import { change, hrefHere } from '../../shared/route.ts';
import type { Service } from '../../shared/services.ts';
import { timeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Control } from './controls.tsx';
import { type LineUp, show } from './line-up.ts';
import { isFullScreen } from './screen.ts';

interface Panel {
  readonly list: RefObject<HTMLOListElement | null>;
  /** Whether it is open in full screen. */
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Opens it in full screen, or closes it; otherwise moves the focus to it. */
  readonly toggle: () => void;
}

export function useChannelPanel(): Panel {
  const list = useRef<HTMLOListElement>(null);
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  const focusCurrent = () => list.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
  useEffect(() => {
    if (!isFullScreen.value) close();
  }, [isFullScreen.value]);
  useLayoutEffect(() => {
    // The row may only now be visible.
    if (isOpen.value) focusCurrent();
  }, [isOpen.value]);
  const toggle = () => {
    // The styles follow the document, which changes some time before its event.
    if (document.fullscreenElement) isOpen.value = !isOpen.value;
    else focusCurrent();
  };
  return { list, isOpen: isOpen.value, close, toggle };
}

interface PanelProps {
  readonly lineUp: LineUp;
  /** The channel that is watched. */
  readonly reference: string;
  readonly panel: Panel;
}

export function ChannelPanel({ lineUp: { bouquets, bouquet, services }, reference, panel }: PanelProps) {
  const events = usePresentEvents(bouquet?.reference);
  const timers = useTimers();
  const { list, isOpen, close } = panel;
  const { app, common } = words.value;
  useEffect(() => {
    const [element, row] = [list.current, list.current?.querySelector<HTMLElement>('li:has([aria-current])')];
    // Only the list scrolls, and not the page.
    if (element && row) element.scrollTop = row.offsetTop - (element.clientHeight - row.offsetHeight) / 2;
  }, [services, reference, isOpen]);
  const rows = useMemo(
    () =>
      services.map((service) => {
        const event = events?.get(service.reference);
        const timer = event && timerOf(event, timersOf(timers, service.reference));
        return (
          <Row
            key={service.reference}
            service={service}
            event={event}
            isLoaded={events !== undefined}
            isCurrent={isSameService(service.reference, reference)}
            isRecorded={timer !== undefined && !timer.justplay}
            onPick={() => {
              show(service, bouquet?.reference);
              close();
            }}
          />
        );
      }),
    [services, events, timers, reference],
  );
  const name = `mini-guide ${isOpen ? 'open' : ''}`;
  if (bouquet === undefined) return <nav class={name} aria-label={app.channels} />;
  return (
    <nav class={name} aria-label={app.channels}>
      <div class="mini-head">
        {bouquets.length > 1 && (
          <BouquetPicker
            bouquets={bouquets}
            shown={bouquet}
            onPick={({ reference: picked }) => change({ bouquet: picked }, { replace: true })}
          />
        )}
        {isOpen && <Control icon={X} label={common.close} onClick={close} />}
      </div>
      <ol ref={list} onKeyDown={moveFocus}>
        {rows}
      </ol>
    </nav>
  );
}

/** By service reference. Loaded again when one of them ends. */
function usePresentEvents(bouquet: string | undefined): ReadonlyMap<string, GuideEvent> | undefined {
  const { value, reload } = useResponse(
    async (signal) => {
      if (bouquet === undefined) return undefined;
      const { events } = await receiver.get('/api/epgnow', { bRef: bouquet }, { signal });
      const found = events.flatMap((row) => fromOperation(row) ?? []);
      const ends = found.map(({ start, duration }) => start + duration).filter((end) => end > now());
      return { bouquet, events: new Map(found.map((event) => [event.reference, event])), until: Math.min(...ends) };
    },
    [bouquet],
    ['guide', 'services'],
  );
  const isOver = value !== undefined && value.until <= slowClock.value;
  useEffect(() => {
    if (isOver) void reload();
  }, [isOver]);
  return value?.bouquet === bouquet ? value?.events : undefined;
}

interface RowProps {
  readonly service: Service;
  readonly event: GuideEvent | undefined;
  /** Whether the events are known. */
  readonly isLoaded: boolean;
  readonly isCurrent: boolean;
  readonly isRecorded: boolean;
  readonly onPick: () => void;
}

function Row({ service, event, isLoaded, isCurrent, isRecorded, onPick }: RowProps) {
  const { reference, name, picon, number } = service;
  const { channels, common, guide } = words.value;
  const title = event ? event.title || common.untitled : isLoaded && channels.noGuide;
  return (
    <li>
      <a
        class="mini-row"
        href={hrefHere({ service: reference, name })}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={(click) => {
          if (click.ctrlKey || click.metaKey || click.shiftKey) return;
          click.preventDefault();
          onPick();
        }}
      >
        <span class="number">{number}</span>
        <Picon name={name} source={picon} />
        <span class="name">{name || common.unnamed}</span>
        <span class={event ? 'on' : 'on unknown'}>
          {isRecorded && <span class="record-mark" role="img" aria-label={guide.records} />}
          {title}
        </span>
        {event && <Progress event={event} />}
      </a>
    </li>
  );
}

function Progress({ event: { start, duration } }: { readonly event: GuideEvent }) {
  return (
    <span class="run">
      <progress max={duration} value={Math.max(0, slowClock.value - start)} aria-hidden="true" />
      {timeOf(start + duration)}
    </span>
  );
}
