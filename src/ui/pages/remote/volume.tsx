/** The volume: a slider, and mute. */
import { Volume2, VolumeX } from 'lucide';
import { useMemo, useRef, useState } from 'preact/hooks';
import { serialQueue } from '../../../base/serial-queue.ts';
import { attempt } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

export function VolumeCard() {
  const { value, reload } = useResponse((signal) => receiver.get('/api/vol', {}, { signal }), [], ['volume']);
  const [dragged, setDragged] = useState<number>();
  const inTurn = useMemo(serialQueue, []);
  const latest = useRef<number>(undefined);
  const sent = useRef<Promise<void>>(undefined);
  const { remote } = words.value;
  const level = dragged ?? value?.current ?? 0;
  const isMuted = value?.ismute ?? false;
  const drag = (to: number) => {
    setDragged(to);
    latest.current = to;
    // While one level is being sent, only the latest of the others waits.
    sent.current = inTurn(async () => {
      if (latest.current === to) await attempt(() => receiver.post('/api/vol', { set: `set${to}` }));
    });
  };
  const settle = async (to: number) => {
    await sent.current;
    await reload();
    // Unless the slider has been moved again.
    setDragged((current) => (current === to ? undefined : current));
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
