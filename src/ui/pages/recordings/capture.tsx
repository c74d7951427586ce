/** Records the current service from now on, or saves its timeshift as a recording. */
import { Circle, History } from 'lucide';
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver, slowClock } from '../../shared/receiver.ts';
import { lengthOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

/** Polls a timeshift that has just started until it contains something to save. */
const pollDelayMs = 1000;

export function Capture() {
  const { value: status } = useResponse(
    (signal) => receiver.get('/api/statusinfo', {}, { signal }),
    [],
    ['service', 'standby'],
  );
  const { value: state } = useResponse(
    (signal) => receiver.get('/timeshift', {}, { signal }),
    [],
    ['timeshift', 'service'],
    ({ timeshift }) => (isEmpty(timeshift) ? pollDelayMs : undefined),
  );
  const stored = state?.timeshift;
  const { recordings: texts } = words.value;
  const name = status?.currservice_station;
  if (!name) return null;
  const record = async () => {
    const done = await attempt(() => receiver.post('/api/recordnow', { recordnow: 'event' }));
    if (done) showToast(texts.recordsNow(name));
  };
  const toggle = () => attempt(() => receiver.post(state?.enabled ? '/api/tsstop' : '/api/tsstart'));
  return (
    <span class="actions">
      <button type="button" class="button" data-needs="record" onClick={() => void record()}>
        <Icon of={Circle} size={16} /> {texts.recordNow(name)}
      </button>
      <button
        type="button"
        class="button"
        data-needs="control"
        aria-pressed={state?.enabled ?? false}
        onClick={() => void toggle()}
      >
        <Icon of={History} size={16} /> {texts.timeshift}
      </button>
      {stored && !isEmpty(stored) && <Keep since={stored.begin} />}
    </span>
  );
}

const isEmpty = (timeshift: Result<'get', '/timeshift'>['timeshift']) =>
  timeshift !== null && timeshift.end <= timeshift.begin;

/** Saves the timeshift as a recording. */
function Keep({ since }: { readonly since: number }) {
  const { recordings: texts } = words.value;
  const keep = async () => {
    const done = await attempt(() => receiver.post('/timeshift/recording'));
    if (done) showToast(texts.kept);
  };
  return (
    <button type="button" class="button" data-needs="record" onClick={() => void keep()}>
      {texts.keep(lengthOf(slowClock.value - since))}
    </button>
  );
}
