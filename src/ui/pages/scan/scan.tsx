/** Starting a scan from a table or from the lists, its progress, and the connection of dishes. */
import { Satellite } from 'lucide';
import { useState } from 'preact/hooks';
import { showToast, troubleOf } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { scanObstacle, useTuners } from '../../shared/tuners.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { BoxHead } from '../box/head.tsx';
import { DishForm } from './dish.tsx';
import { ScanProgress } from './progress.tsx';

export default function Scan() {
  const tuners = useTuners();
  if (tuners === undefined) return null;
  const obstacle = scanObstacle(tuners);
  return (
    <section class="box scan">
      <BoxHead />
      <ScanProgress />
      {obstacle ? <p class="notice">{obstacle}</p> : <StartForm />}
      <DishForm tuners={tuners} />
    </section>
  );
}

function StartForm() {
  const { value } = useResponse((signal) => receiver.get('/api/scantables', {}, { signal }), []);
  const [refusal, setRefusal] = useState('');
  const { scan } = words.value;
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const table = String(new FormData(event.currentTarget as HTMLFormElement).get('table'));
    setRefusal('');
    try {
      await receiver.post('/api/scanstart', table === '' ? {} : { table });
      showToast(scan.started);
    } catch (error) {
      setRefusal(troubleOf(error));
    }
  };
  return (
    <section class="card" aria-labelledby="start">
      <h2 id="start">{scan.start}</h2>
      <p>{scan.startAbout}</p>
      <form class="fields" onSubmit={(event) => void start(event)}>
        <label class="wide">
          {scan.table}
          <input name="table" list="scan-tables" autocomplete="off" placeholder={value?.tables[0]?.name} />
        </label>
        <datalist id="scan-tables">
          {value?.tables.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit" class="button strong">
          <Icon of={Satellite} size={16} /> {scan.start}
        </button>
      </form>
      {refusal && (
        <p class="trouble" role="alert">
          {refusal}
        </p>
      )}
      {value && value.problems.length > 0 && (
        <p class="trouble">
          {scan.unreadable} {value.problems.join('; ')}
        </p>
      )}
    </section>
  );
}
