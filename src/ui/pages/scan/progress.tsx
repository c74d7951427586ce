/** Progress of the running scan, or results of the last one. */
import { Square } from 'lucide';
import { attempt } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Facts } from '../box/facts.tsx';

export function ScanProgress() {
  const { value, reload } = useResponse((signal) => receiver.get('/api/scanstatus', {}, { signal }), [], ['scan']);
  const { app, scan } = words.value;
  if (value === undefined) return null;
  const { state, trouble, transponder, number, of } = value;
  const isScanning = state === 'scanning';
  const stop = async () => {
    await attempt(() => receiver.post('/api/scanstop'));
    await reload();
  };
  return (
    <section class="card" aria-labelledby="scan-state">
      <h2 id="scan-state">{app.scan}</h2>
      <p role="status">{scan[state]}</p>
      {isScanning && (
        <div class="room">
          <progress max={Math.max(1, of)} value={number} aria-label={scan.progress} />
          <p>{scan.transponder(number, of, transponder)}</p>
        </div>
      )}
      {trouble && <p class={isScanning ? 'hint' : 'trouble'}>{trouble}</p>}
      {state !== 'idle' && (
        <Facts
          of={[
            [scan.received, value.received],
            [scan.television, value.tv],
            [scan.hd, value.hd],
            [scan.uhd, value.uhd],
            [scan.radio, value.radio],
            [scan.data, value.data],
            [scan.scrambled, value.scrambled],
            ...(state === 'done'
              ? ([
                  [scan.added, value.added],
                  [scan.renamed, value.renamed],
                  [scan.vanished, value.vanished.join(', ')],
                ] as const)
              : []),
          ]}
        />
      )}
      {isScanning && (
        <p class="actions">
          <button type="button" class="button" onClick={() => void stop()}>
            <Icon of={Square} size={16} /> {scan.stop}
          </button>
        </p>
      )}
    </section>
  );
}
