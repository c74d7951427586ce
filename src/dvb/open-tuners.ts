/** Builds the tuner pool with the tuners that the configuration names. */
import type { Logger } from 'pino';
import { fail } from '../base/errors.ts';
import { type FrontEndInformation, type Guide, native } from '../base/native.ts';
import { ownCommand } from '../base/own-command.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { namesEnigma2 } from '../config/enigma2-spec.ts';
import { namesHdhomerun, parseHdhomerunSpec } from '../config/hdhomerun-spec.ts';
import { namesServer, parseServerSpec } from '../config/satip-server-spec.ts';
import { type FrontEnd, isSatellite } from './front-end.ts';
import { FrontEndWatch } from './front-end-watch.ts';
import { type DevicesParts, HdhomerunDevices } from './hdhomerun/devices.ts';
import { ReceptionLog } from './reception-log.ts';
import { Aerials } from './satellite/nim-settings.ts';
import { type AerialSetup, satellitesText, withAerial } from './satellite/nim-setup.ts';
import { SatipServers } from './satip/servers.ts';
import { allFrontEnds, namesNetworkTuners, noTuner, parseTunerSpec, Tuner, type TunerSpec } from './tuner.ts';
import { TunerPool, type TunerPoolOptions } from './tuner-pool.ts';

/** Lists the front ends of this machine. Takes seconds while drivers load firmware. */
export async function findFrontEnds(): Promise<readonly FrontEndInformation[]> {
  return JSON.parse((await native.frontEnds()).toString()) as FrontEndInformation[];
}

/**
 * Returns the tuners that the specifications name, without duplicates and without tuners of SAT>IP servers and HDHomeRuns. Without any
 * specification: the front ends of the machine, or the demo if it has none. @throws ReceiverError for an invalid one
 */
export function namedTuners(texts: readonly string[], frontEnds: readonly FrontEndInformation[]): readonly TunerSpec[] {
  const all = frontEnds.map(({ adapter, frontend }): TunerSpec => ({ kind: 'dvb', adapter, frontend }));
  if (texts.length === 0) return all.length > 0 ? all : [parseTunerSpec('demo')];
  const own = texts.filter((text) => !namesNetworkTuners(text) && !namesEnigma2(text) && text !== noTuner);
  const specs = own.flatMap((text) => (text === allFrontEnds ? all : [parseTunerSpec(text)]));
  return specs.filter(
    (spec, n) => spec.kind !== 'dvb' || specs.findIndex((one) => JSON.stringify(one) === JSON.stringify(spec)) === n,
  );
}

export interface OpenedTuners {
  readonly pool: TunerPool;
  /** Adds devices that are plugged in, once it is started. */
  readonly watch: FrontEndWatch;
  /** Adds the tuners of SAT>IP servers, once it is started. */
  readonly servers: SatipServers;
  /** Adds the tuners of HDHomeRun devices, once it is started. */
  readonly devices: HdhomerunDevices;
  /** As `Tuners.connect` of src/http/parts/parts.ts. */
  connect(tuner: number, setup: AerialSetup, cable?: number): Promise<string>;
}

/** Opens the pool; no tuner runs yet. `guide` receives their EIT sections. @throws ReceiverError for an invalid spec */
export function openTuners(
  { tuners: texts, stream }: { readonly tuners: readonly string[]; readonly stream: { readonly linger: number } },
  frontEnds: readonly FrontEndInformation[],
  guide: Guide,
  {
    settings,
    own,
    hdhomerun,
    ...options
  }: Omit<TunerPoolOptions, 'linger' | 'aerialOf'> & {
    readonly settings: Settings;
    /** The identity of this receiver's own SAT>IP server. */
    readonly own?: () => string;
    readonly hdhomerun?: Pick<DevicesParts, 'identity' | 'own' | 'importLineup'>;
  },
  log: Logger,
): OpenedTuners {
  const tuners = namedTuners(texts, frontEnds).map((spec) => new Tuner(spec, { guide }));
  const aerials = new Aerials(settings);
  const aerialOf = (slot: number) => aerials.of(slot);
  const pool = new TunerPool(tuners, { ...options, aerialOf, linger: stream.linger * 1000 });
  const takesAll = texts.length === 0 || texts.includes(allFrontEnds);
  const updateFrontEnds = (present: readonly FrontEndInformation[]) => {
    if (takesAll)
      for (const one of present) if (!pool.has(one)) pool.add(new Tuner({ kind: 'dvb', ...one }, { guide }));
    pool.updateFrontEnds(present);
  };
  updateFrontEnds(frontEnds);
  for (const { frontEnd, name, source } of pool.tuners) {
    if (frontEnd?.trouble)
      log.warn(`${name} (${source}): ${frontEnd.trouble}; ${ownCommand('doctor')} says what to do`);
  }
  const specs = texts.filter(namesServer).map(parseServerSpec);
  const add = (tuner: Tuner, frontEnd: FrontEnd) => pool.add(tuner, frontEnd);
  const servers = new SatipServers(specs, { add, guide, log, ...(own === undefined ? {} : { own }) });
  const devices = new HdhomerunDevices(texts.filter(namesHdhomerun).map(parseHdhomerunSpec), {
    ...hdhomerun,
    add,
    guide,
    log,
  });
  const reception = new ReceptionLog(log);
  pool.onEnded((tuner, end) => {
    if (end.reason !== 'failed') return;
    reception.lost(tuner, 'error', end.message);
    if (tuner.tuner.spec.kind === 'satip') servers.lookAgain();
    if (tuner.tuner.spec.kind === 'hdhomerun') devices.lookAgain();
  });
  pool.onReception((tuner) => {
    const { state, reason } = tuner.condition;
    if (state === 'locked') reception.found(tuner);
    if (state === 'lost') reception.lost(tuner, 'warn', reason);
  });
  const slotOf = (number: number, parameter: string): number => {
    const device = pool.tuners[number]?.device;
    const why = device === undefined ? 'not the number of a front end' : device.trouble || 'not for satellites';
    if (device === undefined || !isSatellite(device))
      throw fail('parameter-invalid', parameter, `is ${number}: ${why}`);
    return device.slot;
  };
  const connect = async (number: number, setup: AerialSetup, cable?: number) => {
    const slot = slotOf(number, 'tuner');
    if (cable === number) throw fail('parameter-invalid', 'cable', 'must name another tuner');
    const cableOf = cable === undefined ? undefined : slotOf(cable, 'cable');
    await settings.rewrite((stored) => withAerial(stored, slot, { ...setup, cableOf }));
    return `${pool.tuners[number]?.name} receives ${satellitesText(setup)}`;
  };
  return {
    pool,
    connect,
    servers,
    devices,
    watch: new FrontEndWatch(async () => updateFrontEnds(await findFrontEnds()), log),
  };
}
