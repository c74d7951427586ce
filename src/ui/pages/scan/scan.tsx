/** Scans of the network: starting one from a table or from what is listed, its progress, and how dishes are connected. */
import { Satellite } from 'lucide';
import { attempt, say } from '../../shared/attempt.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { useTuners } from '../box/tuners.tsx';
import { DishForm } from './dish.tsx';
import { ScanProgress } from './progress.tsx';

export default function Scan() {
  return (
    <section class="narrow scan">
      <div class="page-head">
        <h1>{words.value.app.scan}</h1>
      </div>
      <ScanProgress />
      <StartForm />
      <DishForm tuners={useTuners() ?? []} />
    </section>
  );
}

function StartForm() {
  const { value } = useAnswer((signal) => receiver.get('/api/scantables', {}, { signal }), []);
  const { scan } = words.value;
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const table = String(new FormData(event.currentTarget as HTMLFormElement).get('table'));
    const done = await attempt(() => receiver.post('/api/scanstart', table === '' ? {} : { table }));
    if (done) say(scan.started);
  };
  return (
    <section class="card" aria-labelledby="start">
      <h2 id="start">{scan.start}</h2>
      <p>{scan.startAbout}</p>
      <form class="fields" onSubmit={(event) => void start(event)}>
        <label class="wide">
          {scan.table}
          <input name="table" list="scan-tables" autocomplete="off" />
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
      {value && value.problems.length > 0 && (
        <p class="trouble">
          {scan.unreadable} {value.problems.join('; ')}
        </p>
      )}
    </section>
  );
}
