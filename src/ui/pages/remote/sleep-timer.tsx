/** The sleep timer: remaining time, setting it, turning it off. */
import { attempt } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { lengthOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

/** Choices in minutes. */
const choices = [15, 30, 45, 60, 90, 120, 180];

export function SleepTimer() {
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/sleeptimer', {}, { signal }),
    [],
    ['sleeptimer'],
  );
  const { common, remote } = words.value;
  const change = async (parameters: { readonly enabled: string; readonly time?: number; readonly action?: string }) => {
    await attempt(() => receiver.post('/api/sleeptimer', { cmd: 'set', ...parameters }));
    await reload();
  };
  const set = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    void change({ enabled: 'True', time: Number(given.get('time')), action: String(given.get('action')) });
  };
  const left = lengthOf((value?.remaining ?? 0) * 60);
  return (
    <section class="card" aria-labelledby="sleep">
      <h2 id="sleep">{remote.sleepTimer}</h2>
      <p role="status">{value?.enabled ? remote.sleepsIn(left, value.action === 'shutdown') : common.off}</p>
      <form class="fields" onSubmit={set}>
        <label>
          {remote.after}
          <select name="time">
            {choices.map((minutes) => (
              <option key={minutes} value={minutes} selected={minutes === 30}>
                {lengthOf(minutes * 60)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {remote.goTo}
          <select name="action">
            <option value="standby">{remote.standby}</option>
            <option value="shutdown">{remote.deepStandby}</option>
          </select>
        </label>
        <button type="submit" class="button">
          {remote.setTimer}
        </button>
        {value?.enabled && (
          <button type="button" class="button" onClick={() => void change({ enabled: 'False' })}>
            {remote.turnOff}
          </button>
        )}
      </form>
    </section>
  );
}
