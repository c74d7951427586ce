/** A service, live; and back in time, while timeshift keeps it. */
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
import { useFree } from '../../shared/zap.tsx';
import { Head, WayOut } from './head.tsx';
import { Player, type Source } from './player.ts';
import { Control, Stage, type Timeline } from './stage.tsx';

interface LiveProps {
  readonly reference: string;
  readonly name: string;
}

/** Milliseconds until a stream that has ended is asked for again. */
const retryAfter = 2000;
/** Seconds of a pause after which live pictures are asked for anew. */
const longestPause = 5;
/** Seconds behind live that still count as live. */
const nearlyLive = 5;

export function Live({ reference, name }: LiveProps) {
  const player = useMemo(() => new Player(), []);
  const audio = useRef<number>(undefined);
  const isBack = useSignal(false);
  const pausedAt = useSignal<number>();
  const step = useChannels(reference);
  const { value: timeshift } = useTimeshift(reference);
  const said = words.value.watch;
  const title = name || words.value.common.unnamed;
  const { isFree, ask } = useFree(reference, title);

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
    if (!isFree) return;
    goLive();
    return () => player.stop();
  }, [reference, isFree]);
  useEffect(() => {
    if (player.state.value !== 'ended') return;
    const timer = setTimeout(goLive, retryAfter);
    return () => clearTimeout(timer);
  }, [player.state.value]);

  const position = () => (isBack.value ? player.position : now());
  const seek = (time: number) => {
    if (timeshift === undefined || time > now() - nearlyLive) goLive();
    else play(shifted(time, timeshift.begin));
  };
  const pause = () => {
    pausedAt.value = position();
    // As a receiver does: what is missed is kept, if this is its current service.
    if (timeshift === undefined) void keepCurrent(reference);
  };
  const resume = () => {
    const from = pausedAt.value;
    pausedAt.value = undefined;
    if (from === undefined || isBack.value || now() - from < longestPause) return;
    seek(from);
  };
  const timeline: Timeline | undefined = timeshift && {
    begin: timeshift.begin,
    end: Math.max(timeshift.end, clock.value),
    position: isBack.value ? player.shown.value : (pausedAt.value ?? clock.value),
    label: timeOf,
    seek,
  };
  if (isFree === false) {
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
        wayOut={<LiveWayOut reference={reference} name={title} />}
      >
        {isBack.value || pausedAt.value !== undefined ? (
          <button type="button" class="live" onClick={goLive}>
            {said.goLive}
          </button>
        ) : (
          <span class="live on">{said.live}</span>
        )}
        {step && (
          <>
            <Control icon={ChevronUp} label={said.next} onClick={() => step(1)} />
            <Control icon={ChevronDown} label={said.previous} onClick={() => step(-1)} />
          </>
        )}
      </Stage>
      <OnNow reference={reference} />
      {player.state.value !== 'trouble' && (
        <p class="ways">
          <LiveWayOut reference={reference} name={title} />
        </p>
      )}
      {player.converted.value.length > 0 && <p class="hint">{said.converted(player.converted.value.join(', '))}</p>}
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

/** Timeshift, which keeps what was broadcast from `begin` on. Unix seconds. */
const shifted = (time: number, begin: number): Source => ({
  path: '/timeshift.ts',
  parameters: { time: Math.floor(time) },
  list: { path: '/timeshift.m3u8', parameters: {}, begin, isConvertible: false },
  isLive: false,
});

function LiveWayOut({ reference, name }: LiveProps) {
  return (
    <WayOut
      playlist={receiver.address('/web/stream.m3u', { ref: reference, name })}
      address={receiver.address(listPath, { service_reference: reference })}
    />
  );
}

/** What timeshift keeps of this service, if it does. */
function useTimeshift(reference: string) {
  const { value, ...rest } = useAnswer((signal) => receiver.get('/timeshift', {}, { signal }), [], ['timeshift']);
  const kept = value?.timeshift;
  return { ...rest, value: kept && sameService(kept.reference, reference) ? kept : undefined };
}

async function keepCurrent(reference: string): Promise<void> {
  try {
    const { info } = await receiver.get('/api/getcurrent');
    if (sameService(info.ref, reference)) await receiver.post('/api/tsstart');
  } catch {
    // Without it, the page goes on live.
  }
}

/** References are the same up to their names. */
const plain = (reference: string) => reference.split(':').slice(0, 10).join(':').toUpperCase();
const sameService = (one: string, other: string) => plain(decodeURIComponent(one)) === plain(other);

const isRadio = (reference: string) => /^\d+:\d+:[2A]:/i.test(reference);

/** Goes to the next channel of all bouquets, or the one before, of radio or of television; undefined while unknown. */
function useChannels(reference: string): ((step: 1 | -1) => void) | undefined {
  const { value } = useAnswer(
    (signal) => receiver.get('/services', { format: 'object' }, { signal }),
    [],
    ['services'],
  );
  const services = (value?.items ?? [])
    .flatMap((item) => ('service_reference' in item ? [item] : []))
    .filter((one) => isRadio(one.service_reference) === isRadio(decodeURIComponent(reference)));
  const here = services.findIndex((one) => sameService(one.service_reference, reference));
  if (here < 0) return undefined;
  return (step) => {
    const next = services[(here + step + services.length) % services.length];
    if (next) change({ service: next.service_reference, name: next.service_name }, { replace: true });
  };
}

/** What is on, how far it is, and what comes next. */
function OnNow({ reference }: { readonly reference: string }) {
  const { value, again } = useAnswer(
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
    if (hasEnded) void again();
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
