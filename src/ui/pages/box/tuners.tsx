/** The tuners: what each receives, its signal, losses and users; and the boxes that are used as tuners. */
import type { Result } from '../../../client/client.ts';
import { BoxLogin } from '../../shared/box-login.tsx';
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href, hrefHere } from '../../shared/route.ts';
import { lengthOf, numberOf } from '../../shared/time.ts';
import { type Tuner, tunerPollDelayMs, useTuners } from '../../shared/tuners.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { Facts } from './facts.tsx';

export function Tuners() {
  const tuners = useTuners();
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/enigma2status', {}, { signal }),
    [],
    ['boxes'],
    () => tunerPollDelayMs,
  );
  if (tuners === undefined || value === undefined) return null;
  if (tuners.length === 0 && value.boxes.length === 0) return <NoTuner />;
  return (
    <div class="cards">
      {tuners.map((tuner) => (
        <TunerCard key={tuner.number} tuner={tuner} />
      ))}
      {value.boxes.map((box) => (
        <BoxCard key={box.source} of={box} onLogin={reload} />
      ))}
    </div>
  );
}

/** The way out for a receiver without a tuner. */
export function NoTuner() {
  const { app, box } = words.value;
  return (
    <Empty text={box.noTuners}>
      <a class="button strong" data-needs="admin" href={href('setup')}>
        {app.setup}
      </a>
    </Empty>
  );
}

function TunerCard({ tuner }: { readonly tuner: Tuner }) {
  const { number, name, source, model, type, state, reason, age, transponder, signal, losses, users } = tuner;
  const { box } = words.value;
  return (
    <section class="card" aria-label={name}>
      <h2>
        {name} <small>{model}</small>
      </h2>
      <p class={`state ${state}`}>
        {box[state]}
        {age !== null && age >= 60 && ` · ${lengthOf(age)}`}
        {reason && ` · ${reason}`}
      </p>
      <Facts
        of={[
          [box.source, source],
          [box.system, type],
          [box.transponder, transponder],
          [box.quality, signal && qualityOf(signal)],
          [
            box.strength,
            signal && `${signal.agc} %${signal.strength_dbm === null ? '' : `, ${signal.strength_dbm} dBm`}`,
          ],
          [box.bitErrors, signal && numberOf(signal.ber)],
          [box.continuityErrors, losses && numberOf(losses.continuity_errors)],
          [box.overflows, losses && numberOf(losses.overflows)],
          [box.droppedPackets, losses?.network_lost ? numberOf(losses.network_lost) : ''],
        ]}
      />
      <h3>{box.usedBy}</h3>
      {users.length === 0 ? <p class="hint">{box.notInUse}</p> : <Users of={users} />}
      <p class="actions">
        <a class="button" href={hrefHere({ view: 'signal', tuner: number })} aria-label={box.signalOf(name)}>
          {box.signal}
        </a>
      </p>
    </section>
  );
}

type Box = Result<'get', '/api/enigma2status'>['boxes'][number];

function BoxCard({
  of: { name, source, model, state, reason, login, tuners, services, streams, users },
  onLogin,
}: {
  readonly of: Box;
  readonly onLogin: () => Promise<void>;
}) {
  const { app, box } = words.value;
  const looks = {
    idle: ['idle', box.idle],
    receiving: ['locked', box.locked],
    searching: ['tuning', box.searching],
    missing: ['lost', box.missing],
  } as const;
  const [look, text] = looks[state];
  // It has answered, now or before the start.
  const isKnown = model !== '' || services > 0;
  return (
    <section class="card" aria-label={name}>
      <h2>
        {name} <small>{model}</small>
      </h2>
      <p class={`state ${look}`}>{login ? box.loginNeeded : [text, reason].filter(Boolean).join(' · ')}</p>
      {login && <BoxLogin source={source} onDone={onLogin} />}
      <Facts
        of={[
          [box.source, source],
          [box.tuners, isKnown ? tuners : ''],
          [app.channels, isKnown ? numberOf(services) : ''],
          [box.streams, streams],
        ]}
      />
      <h3>{box.usedBy}</h3>
      {users.length === 0 ? <p class="hint">{box.unused}</p> : <Users of={users} />}
    </section>
  );
}

function Users({ of }: { readonly of: Tuner['users'] }) {
  const { box } = words.value;
  return (
    <ol class="users">
      {of.map(({ purpose, user, servicereference, servicename }) => (
        <li key={`${purpose} ${user} ${servicereference}`}>
          <strong>{purposeOf(purpose)}</strong>{' '}
          {[isNamed(purpose) && user, servicename || box.wholeMultiplex].filter(Boolean).join(' · ')}
        </li>
      ))}
    </ol>
  );
}

/** Purposes with several users, which are shown by name. */
const isNamed = (purpose: string) => ['recording', 'timer', 'stream'].includes(purpose);

/** Label of a purpose, by priority: a purpose takes a tuner from those below it. */
function purposeOf(purpose: string): string {
  const { box } = words.value;
  const names: Readonly<Record<string, string>> = {
    recording: box.forRecording,
    timer: box.forTimer,
    live: box.forLive,
    timeshift: box.forTimeshift,
    stream: box.forStream,
    scan: box.forScan,
    guide: box.forGuide,
  };
  return names[purpose] ?? purpose;
}

const qualityOf = ({ snr, snr_db }: NonNullable<Tuner['signal']>) =>
  snr_db === null ? `${snr} %` : `${snr} %, ${snr_db} dB`;
