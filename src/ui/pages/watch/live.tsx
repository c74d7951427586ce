/** Plays a service live, or from its timeshift. */
import { useSignal } from '@preact/signals';
import { ArrowLeftRight, ChevronDown, ChevronUp, Circle, List } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ZapButton } from '../../shared/actions.tsx';
import { Empty } from '../../shared/empty.tsx';
import { missingRights } from '../../shared/login.ts';
import { clock, now, receiver } from '../../shared/receiver.ts';
import { periodOf, useRecording, useTimer } from '../../shared/record-button.tsx';
import { change } from '../../shared/route.ts';
import { preciseTimeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { useParentalLock } from '../../shared/zap.tsx';
import { ChannelPanel, useChannelPanel } from './channel-panel.tsx';
import { Control } from './controls.tsx';
import { Below, Frame, PlayerLinks } from './head.tsx';
import type { Shortcut } from './keys.tsx';
import { useLastChannel } from './last-channel.ts';
import { useLineUp } from './line-up.ts';
import { useNumberEntry } from './number-entry.tsx';
import { OnNow, useNowNext } from './on-now.tsx';
import { Player, type Source } from './player.ts';
import type { Timeline } from './seek.tsx';
import { Stage } from './stage.tsx';

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
  const texts = words.value.watch;
  const { events, name: listed } = useNowNext(reference);
  const title = name || (listed === undefined ? '' : listed || words.value.common.unnamed);
  const player = useMemo(() => new Player(), []);
  const audio = useRef<number>(undefined);
  const isBack = useSignal(false);
  const pausedAt = useSignal<number>();
  const lineUp = useLineUp(reference);
  const last = useLastChannel(reference, name);
  const goToLast = last && (() => change({ ...last }, { replace: true }));
  const event = events?.[0] ?? periodOf(reference, title);
  const panel = useChannelPanel();
  const numbers = useNumberEntry(lineUp, goToLast);
  const { value: timeshift } = useTimeshift(reference);
  const { isUnlocked, ask } = useParentalLock(reference, title);

  const play = (source: Source) => {
    isBack.value = !source.isLive;
    void player.play(source, audio.current);
  };
  const goLive = () => {
    pausedAt.value = undefined;
    player.isPaused.value = false;
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
    const blockedMs = performance.now() - (player.blockedSince.peek() ?? performance.now());
    if (blockedMs > maxPauseSeconds * 1000) return goLive();
    if (from === undefined || isBack.value || now() - from < maxPauseSeconds) return;
    seek(from);
  };
  const timeline: Timeline | undefined = timeshift && {
    begin: timeshift.begin,
    end: Math.max(timeshift.end, clock.value),
    position: isBack.value ? player.shown.value : (pausedAt.value ?? clock.value),
    label: preciseTimeOf,
    isClock: true,
    picture: receiver.address('/picture/timeshift', { service_reference: reference }),
    seek,
  };
  const recording = useRecording(event, useTimer(event));
  const { stopRecording, cancelRecording, recordEvent } = words.value.event;
  const cancelLabel = recording.isActive ? stopRecording : cancelRecording;
  const recordLabel = recording.isSet ? cancelLabel : recordEvent(event.title || title);
  const shortcuts: readonly Shortcut[] = [
    ...numbers.shortcuts,
    { keys: ['PageUp'], label: texts.next, run: () => lineUp.step(1) },
    { keys: ['PageDown'], label: texts.previous, run: () => lineUp.step(-1) },
    { keys: ['g'], label: words.value.app.channels, run: panel.toggle },
    ...(goToLast ? [{ keys: ['0'], label: texts.lastChannel, run: goToLast }] : []),
    ...(events && !missingRights.value.has('record')
      ? [{ keys: ['r'], label: recordLabel, run: recording.toggle }]
      : []),
    ...(timeline ? [{ keys: ['l'], label: texts.goLive, run: goLive }] : []),
  ];
  const playerLinks = <LivePlayerLinks reference={reference} name={title} />;
  return (
    <Frame title={title} actions={<ZapButton reference={reference} name={title} />}>
      {isUnlocked === false ? (
        <Locked title={title} onAsk={ask} />
      ) : (
        <Stage
          player={player}
          title={title}
          timeline={timeline}
          onPause={pause}
          onResume={resume}
          shortcuts={shortcuts}
          overlay={numbers.overlay}
          onAudio={(pid) => {
            audio.current = pid;
            if (isBack.value) seek(player.position);
            else goLive();
          }}
          onRetry={goLive}
          playerLinks={playerLinks}
        >
          {isBack.value || pausedAt.value !== undefined ? (
            <button type="button" class="live" onClick={goLive}>
              {texts.goLive}
            </button>
          ) : (
            <span class="live on">{texts.live}</span>
          )}
          {events && (
            <Control
              icon={Circle}
              class={recording.isSet ? 'recording' : ''}
              label={recordLabel}
              needs="record"
              onClick={recording.toggle}
            />
          )}
          <span class="zapping">
            <Control class="control-zap" icon={ChevronUp} label={texts.next} onClick={() => lineUp.step(1)} />
            <Control class="control-zap" icon={ChevronDown} label={texts.previous} onClick={() => lineUp.step(-1)} />
            <Control class="control-channels" icon={List} label={words.value.app.channels} onClick={panel.toggle} />
            {goToLast && <Control icon={ArrowLeftRight} label={texts.lastChannel} onClick={goToLast} />}
          </span>
        </Stage>
      )}
      {/* Outside of the controls, whose text does not wrap. */}
      {recording.question}
      <ChannelPanel lineUp={lineUp} reference={reference} panel={panel} />
      <Below player={player} playerLinks={playerLinks}>
        <OnNow events={events} />
      </Below>
    </Frame>
  );
}

function Locked({ title, onAsk }: { readonly title: string; readonly onAsk: () => void }) {
  const { parental } = words.value;
  return (
    <div class="locked">
      <Empty text={parental.locked(title)} />
      <p class="links centred">
        <button type="button" class="button strong" onClick={onAsk}>
          {parental.enterPin}
        </button>
      </p>
    </div>
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
  const { value, ...rest } = useResponse((signal) => receiver.get('/timeshift', {}, { signal }), [], ['timeshift']);
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
