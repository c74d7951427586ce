/**
 * SAT>IP servers, HDHomeRun devices and Enigma2 boxes that the receiver finds in the local network. A click adds their tuners,
 * from the next start on. Boxes can also be given by their address.
 */
import { useState } from 'preact/hooks';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { setupWords } from './texts.ts';
import type { TunerSetting } from './tuner-setting.ts';

const paths = {
  satip: '/api/satipservers',
  hdhomerun: '/api/hdhomeruns',
  enigma2: '/api/enigma2boxes',
} as const;

interface NetworkTunersProps {
  readonly kind: keyof typeof paths;
  readonly setting: TunerSetting;
  /** Whether the machine has tuners of its own in use. */
  readonly hasOwn: boolean;
}

export function NetworkTuners({ kind, setting: { given, isFixed, save }, hasOwn }: NetworkTunersProps) {
  const { value } = useResponse((signal) => receiver.get(paths[kind], {}, { signal }), [kind]);
  const setup = setupWords();
  // An empty list means the front ends of this machine, which should stay in use.
  const use = (host: string) => save([...(given.length === 0 && hasOwn ? ['dvb:*'] : given), `${kind}:${host}`]);
  // Few households have a box; its address can be entered below.
  const isSilent = kind === 'enigma2' && !value?.servers.length;
  if (isSilent && isFixed) return null;
  const needsLogin = (server: object) => 'login' in server && server.login === true;
  return (
    <section class="card" aria-labelledby={kind}>
      <h2 id={kind}>{setup[kind]}</h2>
      {!isSilent && (
        <p role="status">
          {value === undefined ? setup.searching : value.servers.length === 0 ? setup.noServers : setup.serversFound}
        </p>
      )}
      {value && value.servers.length > 0 && (
        <ul class="matches">
          {value.servers.map((server) => {
            const { host, name, tuners: count, used } = server;
            return (
              <li key={host}>
                <span>
                  <strong>{name}</strong> {host} · {needsLogin(server) ? setup.needsLogin : setup.tunerCount(count)}
                </span>
                {used || given.includes(`${kind}:${host}`) ? (
                  <small>{setup.inUse}</small>
                ) : isFixed ? null : (
                  <button
                    type="button"
                    class="button"
                    onClick={() => void use(host)}
                    aria-label={setup.useServer(name)}
                  >
                    {setup.use}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {kind === 'enigma2' && !isFixed && <AddressForm use={use} />}
    </section>
  );
}

function AddressForm({ use }: { readonly use: (host: string) => Promise<boolean> }) {
  const [address, setAddress] = useState('');
  const setup = setupWords();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await use(address.trim())) setAddress('');
  };
  return (
    <form class="fields" onSubmit={(event) => void submit(event)}>
      <label class="wide">
        {setup.boxAddress}
        <input required value={address} onInput={({ currentTarget }) => setAddress(currentTarget.value)} />
      </label>
      <button type="submit" class="button">
        {setup.use}
      </button>
    </form>
  );
}
