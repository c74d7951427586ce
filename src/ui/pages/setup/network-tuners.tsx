/**
 * SAT>IP servers, HDHomeRun devices and Enigma2 boxes that are in use, or that the receiver finds in the local network. A
 * click adds their tuners, from the next start on. Boxes can also be given by their address.
 */
import { BoxLogin } from '../../shared/box-login.tsx';
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

interface Server {
  readonly host: string;
  readonly name: string;
  readonly tuners: number;
  readonly used: boolean;
  readonly login?: boolean;
  readonly problem?: string;
}

export function NetworkTuners({ kind, setting, hasOwn }: NetworkTunersProps) {
  const { given, running, isFixed, save } = setting;
  const { value, reload } = useResponse((signal) => receiver.get(paths[kind], {}, { signal }), [kind]);
  const setup = setupWords();
  const names =
    ({ host }: Server) =>
    (spec: string) =>
      `${spec},`.startsWith(`${kind}:${host},`);
  const found: readonly Server[] = value?.servers ?? [];
  const missing = given
    .filter((spec) => spec.startsWith(`${kind}:`) && spec !== `${kind}:*`)
    .filter((spec) => !found.some((server) => names(server)(spec)))
    .map((spec) => ({ host: spec.slice(kind.length + 1), name: '', tuners: 0, used: false }));
  const servers: readonly Server[] = [...found, ...missing];
  // An empty list means the front ends of this machine, which should stay in use.
  const use = async (host: string) => {
    const isSaved = await save((before) => [
      ...(before.length === 0 && hasOwn ? ['dvb:*'] : before),
      `${kind}:${host}`,
    ]);
    // Asks the box what it is.
    if (isSaved && kind === 'enigma2') void reload();
    return isSaved;
  };
  const remove = async (server: Server) => {
    const isSaved = await save((before) => {
      const left = before.filter((spec) => !names(server)(spec));
      return left.length > 0 || hasOwn ? left : ['none'];
    });
    if (isSaved && kind === 'enigma2') void reload();
  };
  const about = ({ tuners, login, problem }: Server) => {
    if (login) return setup.needsLogin;
    return problem || (tuners > 0 ? setup.tunerCount(tuners) : value && kind !== 'enigma2' ? setup.notFound : '');
  };
  // Few households have a box; its address can be entered below.
  const isSilent = kind === 'enigma2' && servers.length === 0;
  if (isSilent && isFixed) return null;
  return (
    <section class="card" aria-labelledby={kind}>
      <h2 id={kind}>{setup[kind]}</h2>
      {!isSilent && (
        <p role="status">
          {value === undefined ? setup.searching : servers.length === 0 ? setup.noServers : setup.serversFound}
        </p>
      )}
      {servers.length > 0 && (
        <ul class="matches guide-sources">
          {servers.map((server) => {
            const { host, name, used, login } = server;
            const isGiven = given.some(names(server));
            const isRunning = used && (running.some(names(server)) || running.includes(`${kind}:*`));
            return (
              <li key={host}>
                <span>
                  <strong>{name || host}</strong> {[name && host, about(server)].filter(Boolean).join(' · ')}
                </span>
                <span class="actions">
                  {(used || isGiven) && <small>{isRunning ? setup.inUse : setup.afterRestart}</small>}
                  {isGiven && !isFixed && (
                    <button
                      type="button"
                      class="button"
                      onClick={() => void remove(server)}
                      aria-label={setup.removeServer(name || host)}
                    >
                      {setup.remove}
                    </button>
                  )}
                  {!used && !isGiven && !isFixed && (
                    <button
                      type="button"
                      class="button"
                      onClick={() => void use(host)}
                      aria-label={setup.useServer(name)}
                    >
                      {setup.use}
                    </button>
                  )}
                </span>
                {login && (used || isGiven) && <BoxLogin source={`${kind}:${host}`} onDone={reload} />}
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
  const setup = setupWords();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const [address, web, stream] = ['address', 'web', 'stream'].map((name) => String(given.get(name)).trim());
    const host = `${address}${web === '80' ? '' : `:${web}`}${stream === '8001' ? '' : `,stream=${stream}`}`;
    if (await use(host)) form.reset();
  };
  return (
    <form class="fields" onSubmit={(event) => void submit(event)}>
      <label class="wide">
        {setup.boxAddress}
        <input name="address" required />
      </label>
      <details class="more wide">
        <summary>{setup.ports}</summary>
        <div class="fields">
          <label>
            {setup.webPort}
            <input name="web" type="number" required min={1} max={65535} defaultValue="80" />
          </label>
          <label>
            {setup.streamPort}
            <input name="stream" type="number" required min={1} max={65535} defaultValue="8001" />
          </label>
        </div>
      </details>
      <button type="submit" class="button">
        {setup.use}
      </button>
    </form>
  );
}
