/** SAT>IP servers that the receiver finds in the local network. A click adds their tuners, from the next start on. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { isDemoTuner, useTuners } from '../../shared/tuners.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

/** Value of `newstate` in /api/powerstate that restarts receiverd. */
const restartState = 3;

export function SatipServers() {
  const { value } = useAnswer((signal) => receiver.get('/api/satipservers', {}, { signal }), []);
  const tuners = useTuners();
  const [taken, setTaken] = useState<readonly string[]>([]);
  const { remote, settings, setup } = words.value;
  const restart = () => attempt(() => receiver.post('/api/powerstate', { newstate: restartState }));
  const use = async (host: string) => {
    const done = await attempt(async () => {
      const { settings: all } = await receiver.get('/api/configuration');
      const configured: unknown = JSON.parse(all.find(({ name }) => name === 'tuners')?.value ?? '[]');
      const given = (Array.isArray(configured) ? configured : [])
        .map(String)
        .filter((spec) => !/^(none|demo)/.test(spec));
      // An empty list means the front ends of this machine, which should stay in use.
      const hasOwn = given.length === 0 && tuners?.some((tuner) => !isDemoTuner(tuner));
      const changes = JSON.stringify({ tuners: [...(hasOwn ? ['dvb:*'] : given), `satip:${host}`] });
      return receiver.post('/api/configuration', { changes });
    });
    if (done === undefined) return;
    setTaken([...taken, host]);
    showToast(settings.savedForRestart, { label: remote.restart, run: restart });
  };
  return (
    <section class="card" aria-labelledby="satip">
      <h2 id="satip">{setup.satip}</h2>
      <p role="status">
        {value === undefined ? setup.searching : value.servers.length === 0 ? setup.noServers : setup.serversFound}
      </p>
      {value && value.servers.length > 0 && (
        <ul class="matches">
          {value.servers.map(({ host, name, tuners: count, used }) => (
            <li key={host}>
              <span>
                <strong>{name}</strong> {host} · {setup.tunerCount(count)}
              </span>
              {used || taken.includes(host) ? (
                <small>{setup.inUse}</small>
              ) : (
                <button type="button" class="button" onClick={() => void use(host)} aria-label={setup.useServer(name)}>
                  {setup.use}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
