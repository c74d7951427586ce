/** The volume: a slider, and mute. */
import { Volume2, VolumeX } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

export function VolumeCard() {
  const { value, reload } = useResponse((signal) => receiver.get('/api/vol', {}, { signal }), [], ['volume']);
  const [dragged, setDragged] = useState<number>();
  const send = useLatest(async (level: number) => {
    await attempt(() => receiver.post('/api/vol', { set: `set${level}` }));
  });
  const sent = useRef<Promise<void>>(undefined);
  const { remote } = words.value;
  const level = dragged ?? value?.current ?? 0;
  const isMuted = value?.ismute ?? false;
  const drag = (to: number) => {
    setDragged(to);
    sent.current = send(to);
  };
  const settle = async (to: number) => {
    await sent.current;
    await reload();
    // Unless the slider has been moved again.
    setDragged((latest) => (latest === to ? undefined : latest));
  };
  const toggle = async () => {
    await attempt(() => receiver.post('/api/vol', { set: 'mute' }));
    await reload();
  };
  return (
    <section class="card" aria-labelledby="volume">
      <h2 id="volume">{remote.volume}</h2>
      <div class="volume-line">
        <button
          type="button"
          class="button"
          aria-pressed={isMuted}
          aria-label={remote.mute}
          onClick={() => void toggle()}
        >
          <Icon of={isMuted ? VolumeX : Volume2} />
        </button>
        <input
          type="range"
          min={0}
          max={100}
          value={level}
          aria-labelledby="volume"
          onInput={(event) => drag(event.currentTarget.valueAsNumber)}
          onChange={(event) => void settle(event.currentTarget.valueAsNumber)}
        />
        <output>{isMuted ? remote.muted : level}</output>
      </div>
    </section>
  );
}

/** Sends one value at a time. While one is being sent, only the latest new value waits. Resolves when all are sent. */
function useLatest<Value>(send: (value: Value) => Promise<void>): (value: Value) => Promise<void> {
  const state = useRef<{ running: Promise<void> | undefined; waiting: readonly Value[] }>({
    running: undefined,
    waiting: [],
  }).current;
  const run = async () => {
    for (let [next] = state.waiting; next !== undefined; [next] = state.waiting) {
      state.waiting = [];
      await send(next);
    }
    state.running = undefined;
  };
  return (value) => {
    state.waiting = [value];
    state.running ??= run();
    return state.running;
  };
}
