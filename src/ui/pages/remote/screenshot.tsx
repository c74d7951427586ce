/** A screenshot of the receiver's screen. */
import { Camera, Download } from 'lucide';
import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { eventCounts } from '../../shared/live.ts';
import { now, receiver } from '../../shared/receiver.ts';
import { timeOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';

export function Screenshot() {
  const [taken, setTaken] = useState(now());
  const { remote } = words.value;
  // `taken` and `changed` only bypass the browser's cache.
  const picture = receiver.address('/grab', { format: 'jpg', r: 720, taken, changed: eventCounts.service.value });
  return (
    <section class="card" aria-labelledby="screenshot">
      <h2 id="screenshot">{remote.screenshot}</h2>
      <img class="screen" src={picture} width="720" height="405" alt={remote.screenAt(timeOf(taken))} />
      <p class="actions">
        <button type="button" class="button" onClick={() => setTaken(now())}>
          <Icon of={Camera} size={16} /> {remote.refresh}
        </button>
        <a class="button" href={receiver.address('/grab', { format: 'png' })} download="screen.png">
          <Icon of={Download} size={16} /> {remote.download}
        </a>
      </p>
    </section>
  );
}
