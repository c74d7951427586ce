/** Plays a service live, or from its timeshift. */
import { useSignal } from '@preact/signals';
import { ChevronDown, ChevronUp } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ZapButton } from '../../shared/actions.tsx';
import { Empty } from '../../shared/empty.tsx';
import { eventLink } from '../../shared/event-list.tsx';
import { fromOperation, type GuideEvent } from '../../shared/guide-event.ts';
import { clock, now, receiver, setClock, slowClock } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import { lengthOf, spanOf, timeOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { useParentalLock } from '../../shared/zap.tsx';
import { Head, PlayerLinks } from './head.tsx';
import { Player, type Source } from './player.ts';
import { Control, Stage, type Timeline } from './stage.tsx';

interface LiveProps {
  readonly reference: string;
  readonly name: string;
}

/** Delay before a stream that has ended is requested again. */
const retryDelayMs = 2000;
/** After a longer pause, a live stream is requested again. */
const maxPauseSeconds = 5;
/** A position closer to the current time than this counts as live. */
const liveToleranceSeconds = 5;

export function Live({ reference, name }: LiveProps) {
  const player = useMemo(() => new Player(), []);
  const audio = useRef<number>(undefined);
  const isBack = useSignal(false);
  const pausedAt = useSignal<number>();
  const step = useChannels(reference);
  const { value: timeshift } = useTimeshift(reference);
  const texts = words.value.watch;
  const title = name || words.value.common.unnamed;
  const { isUnlocked, ask } = useParentalLock(reference, title);

  const play = (source: Source) => {
    isBack.value = !source.isLive;
    void player.play(source, audio.current);
  };
  const goLive = () => {
    pausedAt.value = undefined;
    play(live(reference));
  };
  useEffect(() => {
    audio.current = undefined;
    if (!isUnlocked) return;
    goLive();
    return () => player.stop();
  }, [reference, isUnlocked]);
  useEffect(() => {
    if (player.state.value !== 'ended') return;
    const timer = setTimeout(goLive, retryDelayMs);
    return () => clearTimeout(timer);
  }, [player.state.value]);

  const position = () => (isBack.value ? player.position : now());
  const seek = (time: number) => {
    if (timeshift === undefined || time > now() - liveToleranceSeconds) goLive();
    else play(shifted(time, timeshift.begin));
  };
  const pause = () => {
    pausedAt.value = position();
    // Pausing the current service starts its timeshift, as on a receiver.
    if (timeshift === undefined) void startTimeshift(reference);
  };
  const resume = () => {
    const from = pausedAt.value;
    pausedAt.value = undefined;
    if (from === undefined || isBack.value || now() - from < maxPauseSeconds) return;
    seek(from);
  };
  const timeline: Timeline | undefined = timeshift && {
    begin: timeshift.begin,
    end: Math.max(timeshift.end, clock.value),
    position: isBack.value ? player.shown.value : (pausedAt.value ?? clock.value),
    label: timeOf,
    seek,
  };
  if (isUnlocked === false) {
    const { parental } = words.value;
    return (
      <section class="watch" aria-label={title}>
        <Head title={title} />
        <Empty text={parental.locked(title)} />
        <p class="links centred">
          <button type="button" class="button strong" onClick={ask}>
            {parental.enterPin}
          </button>
        </p>
      </section>
    );
  }
  return (
    <section class="watch" aria-label={title}>
      <Head title={title}>
        <ZapButton reference={reference} name={title} />
      </Head>
      <Stage
        player={player}
        title={title}
        timeline={timeline}
        onPause={pause}
        onResume={resume}
        onStep={step}
        onAudio={(pid) => {
          audio.current = pid;
          if (isBack.value) seek(player.position);
          else goLive();
        }}
        onRetry={goLive}
        playerLinks={<LivePlayerLinks reference={reference} name={title} />}
      >
        {isBack.value || pausedAt.value !== undefined ? (
          <button type="button" class="live" onClick={goLive}>
            {texts.goLive}
          </button>
        ) : (
          <span class="live on">{texts.live}</span>
        )}
        {step && (
          <>
            <Control icon={ChevronUp} label={texts.next} onClick={() => step(1)} />
            <Control icon={ChevronDown} label={texts.previous} onClick={() => step(-1)} />
          </>
        )}
      </Stage>
      <OnNow reference={reference} />
      {player.state.value !== 'trouble' && (
        <p class="ways">
          <LivePlayerLinks reference={reference} name={title} />
        </p>
      )}
      {player.converted.value.length > 0 && <p class="hint">{texts.converted(player.converted.value.join(', '))}</p>}
    </section>
  );
}

const listPath = '/hls/{service_reference}/index.m3u8';

const live = (reference: string): Source => ({
  path: '/live.ts',
  parameters: { sRef: reference },
  list: { path: listPath, parameters: { service_reference: reference }, begin: 0, isConvertible: true },
  isLive: true,
});

/** The timeshift at a time. `begin`: start of what it contains. Both in Unix seconds. */
const shifted = (time: number, begin: number): Source => ({
  path: '/timeshift.ts',
  parameters: { time: Math.floor(time) },
  list: { path: '/timeshift.m3u8', parameters: {}, begin, isConvertible: false },
  isLive: false,
});

function LivePlayerLinks({ reference, name }: LiveProps) {
  return (
    <PlayerLinks
      playlist={receiver.address('/web/stream.m3u', { ref: reference, name })}
      address={receiver.address(listPath, { service_reference: reference })}
    />
  );
}

/** The timeshift of this service; `value` is undefined if there is none. */
function useTimeshift(reference: string) {
  const { value, ...rest } = useAnswer((signal) => receiver.get('/timeshift', {}, { signal }), [], ['timeshift']);
  const timeshift = value?.timeshift;
  return { ...rest, value: timeshift && isSameService(timeshift.reference, reference) ? timeshift : undefined };
}

/** Starts timeshift if this is the current service. */
async function startTimeshift(reference: string): Promise<void> {
  try {
    const { info } = await receiver.get('/api/getcurrent');
    if (isSameService(info.ref, reference)) await receiver.post('/api/tsstart');
  } catch {
    // Without timeshift, playback resumes live.
  }
}

/** The reference without its name. */
const withoutName = (reference: string) => reference.split(':').slice(0, 10).join(':').toUpperCase();
const isSameService = (one: string, other: string) => withoutName(decodeURIComponent(one)) === withoutName(other);

const isRadio = (reference: string) => /^\d+:\d+:[2A]:/i.test(reference);

/** Goes to the next or previous channel of all television or all radio bouquets; undefined until they have loaded. */
function useChannels(reference: string): ((step: 1 | -1) => void) | undefined {
  const { value } = useAnswer(
    (signal) => receiver.get('/services', { format: 'object' }, { signal }),
    [],
    ['services'],
  );
  const services = (value?.items ?? [])
    .flatMap((item) => ('service_reference' in item ? [item] : []))
    .filter((one) => isRadio(one.service_reference) === isRadio(decodeURIComponent(reference)));
  const here = services.findIndex((one) => isSameService(one.service_reference, reference));
  if (here < 0) return undefined;
  return (step) => {
    const next = services[(here + step + services.length) % services.length];
    if (next) change({ service: next.service_reference, name: next.service_name }, { replace: true });
  };
}

/** The present event with its progress, and the following event. */
function OnNow({ reference }: { readonly reference: string }) {
  const { value, reload } = useAnswer(
    async (signal) => {
      const { events } = await receiver.get('/api/epgservicenownext', { sRef: reference }, { signal });
      setClock(events[0]?.now_timestamp);
      return events.map((row) => fromOperation({ ...row, sref: reference }));
    },
    [reference],
    ['guide'],
  );
  const [running, next] = value ?? [];
  const time = slowClock.value;
  const hasEnded = running !== undefined && running.start + running.duration <= time;
  useEffect(() => {
    if (hasEnded) void reload();
  }, [hasEnded, time]);
  if (running === undefined) return null;
  const { start, duration, title, short } = running;
  return (
    <div class="on-now">
      <h2>
        <EventTitle event={running} />
      </h2>
      <p class="facts">
        {spanOf(start, duration)} · {words.value.time.left(lengthOf(Math.max(0, start + duration - time)))}
        {title && short && ` · ${short}`}
      </p>
      <progress max={duration} value={Math.max(0, time - start)} aria-label={words.value.watch.progress} />
      {next && (
        <p class="then">
          {timeOf(next.start)} <EventTitle event={next} />
        </p>
      )}
    </div>
  );
}

function EventTitle({ event }: { readonly event: GuideEvent }) {
  return <a href={eventLink(event)}>{event.title || words.value.common.untitled}</a>;
}
