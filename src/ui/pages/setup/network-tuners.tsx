/**
 * SAT>IP servers and HDHomeRun devices that the receiver finds in the local network. A click adds their tuners, from the next
 * start on.
 */
import { receiver } from '../../shared/receiver.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import type { TunerSetting } from './tuner-setting.ts';

interface NetworkTunersProps {
  readonly kind: 'satip' | 'hdhomerun';
  readonly setting: TunerSetting;
  /** Whether the machine has tuners of its own in use. */
  readonly hasOwn: boolean;
}

export function NetworkTuners({ kind, setting: { given, isFixed, save }, hasOwn }: NetworkTunersProps) {
  const { value } = useAnswer(
    (signal) => receiver.get(kind === 'satip' ? '/api/satipservers' : '/api/hdhomeruns', {}, { signal }),
    [kind],
  );
  const { setup } = words.value;
  // An empty list means the front ends of this machine, which should stay in use.
  const use = (host: string) => save([...(given.length === 0 && hasOwn ? ['dvb:*'] : given), `${kind}:${host}`]);
  // One message is enough where there is nothing.
  if (kind === 'hdhomerun' && !value?.servers.length) return null;
  return (
    <section class="card" aria-labelledby={kind}>
      <h2 id={kind}>{setup[kind]}</h2>
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
              {used || given.includes(`${kind}:${host}`) ? (
                <small>{setup.inUse}</small>
              ) : isFixed ? null : (
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
