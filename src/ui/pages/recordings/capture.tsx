/** Records what is on: the current service from now on, or what timeshift has kept of it. */
import { Circle, History } from 'lucide';
import { useEffect } from 'preact/hooks';
import { attempt, say } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver, slowClock } from '../../shared/receiver.ts';
import { lengthOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

/** Milliseconds between looks at a timeshift that has only begun: it has nothing to keep yet. */
const pace = 1000;

export function Capture() {
  const { value: status } = useAnswer(
    (signal) => receiver.get('/api/statusinfo', {}, { signal }),
    [],
    ['service', 'standby'],
  );
  const { value: state, again } = useAnswer(
    (signal) => receiver.get('/timeshift', {}, { signal }),
    [],
    ['timeshift', 'service'],
  );
  const stored = state?.timeshift;
  const isEmpty = stored ? stored.end <= stored.begin : false;
  useEffect(() => {
    if (!isEmpty) return;
    const timer = setInterval(() => void again(), pace);
    return () => clearInterval(timer);
  }, [isEmpty]);
  const { recordings: said } = words.value;
  const name = status?.currservice_station;
  if (!name) return null;
  const record = async () => {
    const done = await attempt(() => receiver.post('/api/recordnow', { recordnow: 'event' }));
    if (done) say(said.recordsNow(name));
  };
  const toggle = () => attempt(() => receiver.post(state?.enabled ? '/api/tsstop' : '/api/tsstart'));
  return (
    <span class="actions">
      <button type="button" class="button" data-needs="record" onClick={() => void record()}>
        <Icon of={Circle} size={16} /> {said.recordNow(name)}
      </button>
      <button
        type="button"
        class="button"
        data-needs="control"
        aria-pressed={state?.enabled ?? false}
        onClick={() => void toggle()}
      >
        <Icon of={History} size={16} /> {said.timeshift}
      </button>
      {stored && !isEmpty && <Keep since={stored.begin} />}
    </span>
  );
}

/** Keeps what timeshift has, as a recording. */
function Keep({ since }: { readonly since: number }) {
  const { recordings: said } = words.value;
  const keep = async () => {
    const done = await attempt(() => receiver.post('/timeshift/recording'));
    if (done) say(said.kept);
  };
  return (
    <button type="button" class="button" data-needs="record" onClick={() => void keep()}>
      {said.keep(lengthOf(slowClock.value - since))}
    </button>
  );
}
