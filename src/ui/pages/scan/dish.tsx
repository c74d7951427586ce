/** The form for the connection between dish and tuner. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Options } from '../../shared/options.tsx';
import { receiver } from '../../shared/receiver.ts';
import { canScan, type Tuner } from '../../shared/tuners.ts';
import { words } from '../../shared/words.ts';

const equipments = ['direct', 'toneburst', 'diseqc', 'rotor', 'unicable', 'jess', 'nothing'] as const;
type Equipment = (typeof equipments)[number];

export const isSatellite = ({ type }: Tuner) => type.startsWith('DVB-S');

/** Renders nothing without a satellite tuner. */
export function DishForm({ tuners }: { readonly tuners: readonly Tuner[] }) {
  const [equipment, setEquipment] = useState<Equipment>('direct');
  const dishes = tuners.filter((tuner) => isSatellite(tuner) && canScan(tuner));
  const { scan } = words.value;
  if (dishes.length === 0) return null;
  const hasBands = equipment === 'unicable' || equipment === 'jess';
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const number = (name: string) => (given.get(name) ? { [name]: Number(given.get(name)) } : {});
    const done = await attempt(() =>
      receiver.post('/api/tunersetup', {
        tuner: Number(given.get('tuner')),
        equipment,
        satellites: String(given.get('satellites') ?? ''),
        ...number('longitude'),
        ...number('latitude'),
        ...number('band'),
        ...number('frequency'),
      }),
    );
    if (done) showToast(done.message);
  };
  return (
    <section class="card" aria-labelledby="dishes">
      <h2 id="dishes">{scan.dishes}</h2>
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label>
          {scan.tuner}
          <select name="tuner">
            <Options of={dishes.map(({ number, name, model }) => [number, `${name} (${model})`])} />
          </select>
        </label>
        <label>
          {scan.equipment}
          <select
            value={equipment}
            onChange={(event) => setEquipment(equipments.find((one) => one === event.currentTarget.value) ?? 'direct')}
          >
            <Options of={equipments.map((one) => [one, scan[one]])} />
          </select>
        </label>
        {equipment !== 'nothing' && (
          <label class="wide">
            {scan.satellites}
            <input name="satellites" required placeholder={scan.satellitesHint} />
          </label>
        )}
        {equipment === 'rotor' && (
          <>
            <label>
              {scan.longitude}
              <input name="longitude" type="number" required min={-180} max={180} step="any" />
            </label>
            <label>
              {scan.latitude}
              <input name="latitude" type="number" required min={-90} max={90} step="any" />
            </label>
          </>
        )}
        {hasBands && (
          <>
            <label>
              {scan.band}
              <input name="band" type="number" required min={1} max={32} />
            </label>
            <label>
              {scan.frequency}
              <input name="frequency" type="number" required min={950} max={2150} />
            </label>
          </>
        )}
        <button type="submit" class="button">
          {scan.connect}
        </button>
      </form>
    </section>
  );
}
