/**
 * Reads how satellite sockets are connected from Enigma2's settings (`config.Nims.N.…`, where N counts the front ends),
 * which the folder of a box contains. Some images write `config.Nims.N.dvbs.…` instead, which is preferred where both
 * occur. Values that a newer image may have added are read as the default.
 */
import { isYes } from '../../config/enigma2-setting-keys.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import { Aerial, type SatelliteSocket } from './aerial.ts';
import { type Lnb, type Rotor, type Switches, type Unicable, universal } from './lnb.ts';

/** Orbital positions are 0 to 3599. 3600 means "automatic", the only dish; 3601 means none. */
const [automatic, lastPosition] = [3600, 3599] as const;
/** Further special positions: all satellites, and the satellites of a list. */
const allSatellites = [3601, 3602, 3603, 3604] as const;
const listedSatellites = [3605, 3606] as const;
/** Slots may refer to each other in a circle. */
const maxReferences = 8;

const megahertz = 1000;
const plain: Lnb = {
  ...universal,
  voltage: undefined,
  tone: undefined,
  moreVoltage: false,
  switches: undefined,
  rotor: undefined,
  unicable: undefined,
};
const noSwitches: Switches = {
  committed: undefined,
  uncommitted: undefined,
  burst: undefined,
  order: 'ct',
  times: 1,
  twice: false,
  fast: false,
};

/** Oscillators in MHz by the setting `lof`: low, high, threshold. */
const oscillators: Readonly<Record<string, readonly [number, number, number]>> = {
  c_band: [5150, 5150, 0],
  circular_lnb: [10750, 10750, 0],
  ka_sat: [21200, 21200, 0],
};
/** Default centres of user bands, MHz. */
const userBands = {
  unicable: [1284, 1400, 1516, 1632, 1748, 1864, 1980, 2096],
  jess: [1210, 1420, 1680, 2040, 984, 1020, 1056, 1092],
  lnb: [1210, 1420, 1680, 2040],
} as const;

/** The aerials of the slots. They are read again after the settings have changed. */
export class Aerials {
  readonly #settings: Settings;
  #read: unknown;
  readonly #known = new Map<number, Aerial | undefined>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Undefined: the socket is not connected. */
  of(slot: number): Aerial | undefined {
    if (this.#read !== this.#settings.stored) this.#known.clear();
    this.#read = this.#settings.stored;
    if (!this.#known.has(slot)) {
      const socket = new Slot(slot, this.#settings).socket();
      this.#known.set(slot, socket && new Aerial(socket));
    }
    return this.#known.get(slot);
  }
}

class Slot {
  readonly #slot: number;
  readonly #settings: Settings;

  constructor(slot: number, settings: Settings) {
    this.#slot = slot;
    this.#settings = settings;
  }

  socket(references = 0): SatelliteSocket | undefined {
    const mode = this.#get('configMode') ?? 'simple';
    switch (mode) {
      case 'nothing':
        return undefined;
      case 'advanced':
        return { ...this.#advanced(), ...this.#cable() };
      case 'equal':
      case 'loopthrough':
      case 'satposdepends': {
        const to = this.#number('connectedTo', this.#slot);
        if (to === this.#slot || references === maxReferences) return undefined;
        const other = new Slot(to, this.#settings).socket(references + 1);
        if (mode === 'equal' || other === undefined) return other && { ...other, ...this.#cable() };
        return { ...other, shared: mode === 'loopthrough' ? 'signal' : 'position' };
      }
      default:
        return { ...this.#simple(), ...this.#cable() };
    }
  }

  #cable(): Pick<SatelliteSocket, 'cable' | 'shared'> {
    const isShared = this.#isOn('advanced.unicableconnected');
    const slot = isShared ? this.#number('advanced.unicableconnectedTo', this.#slot) : this.#slot;
    return { cable: `slot ${slot}`, shared: 'signal' };
  }

  #simple(): Pick<SatelliteSocket, 'lnbs' | 'otherPositions'> {
    const ports = ['A', 'B', 'C', 'D'].map((port) => this.#number(`diseqc${port}`, automatic));
    const used = ports.filter((position) => position <= lastPosition).length;
    const mode = this.#get('diseqcMode') ?? (used > 1 ? 'diseqc_a_b_c_d' : 'single');
    const rotor = this.#rotor('');
    if (mode === 'positioner') return { lnbs: new Map(), otherPositions: { ...plain, rotor } };
    if (mode === 'positioner_select') {
      return {
        lnbs: new Map(this.#list('userSatellitesList').map((one) => [one, { ...plain, rotor }])),
        otherPositions: undefined,
      };
    }
    const commands = (port: number): Partial<Switches> =>
      mode === 'toneburst_a_b' ? { burst: port === 0 ? 'a' : 'b' } : { committed: port };
    const isSingle = mode === 'single' && !this.#isOn('simpleSingleSendDiSEqC');
    const lnbs = ports.flatMap((position, port): readonly [number, Lnb][] => {
      if (position > lastPosition || (mode === 'single' && port > 0)) return [];
      const switches = isSingle ? undefined : { ...noSwitches, ...commands(port), fast: this.#onlyOnChange };
      return [[position, { ...this.#simpleLnb(position), switches }]];
    });
    const isOnly = mode === 'single' && ports[0] === automatic;
    return { lnbs: new Map(lnbs), otherPositions: isOnly ? plain : undefined };
  }

  get #onlyOnChange(): boolean {
    return this.#isOn('simpleDiSEqCOnlyOnSatChange');
  }

  #simpleLnb(position: number): Lnb {
    const isCircular = (position === 360 || position === 560) && this.#isOn('simpleDiSEqCSetCircularLNB', 'true');
    const follows = this.#isOn('simpleDiSEqCSetVoltageTone', 'true');
    return {
      ...plain,
      ...(isCircular && oscillatorsOf(oscillators.circular_lnb ?? [0, 0, 0])),
      ...(!follows && { voltage: 13, tone: false }),
    };
  }

  #advanced(): Pick<SatelliteSocket, 'lnbs' | 'otherPositions'> {
    const lnbs = new Map<number, Lnb>();
    const add = (positions: readonly number[], from: number) => {
      const lnb = this.#lnbOf(from);
      if (lnb) for (const position of positions) if (!lnbs.has(position)) lnbs.set(position, lnb);
    };
    for (let position = 0; position <= lastPosition; position++) add([position], position);
    for (const position of listedSatellites) add(this.#list(`advanced.sat.${position}.userSatellitesList`), position);
    const otherPositions = allSatellites.map((position) => this.#lnbOf(position)).find((lnb) => lnb !== undefined);
    return { lnbs, otherPositions };
  }

  /** The LNB of a position; undefined if it has none. */
  #lnbOf(position: number): Lnb | undefined {
    const satellite = `advanced.sat.${position}`;
    const number = this.#number(`${satellite}.lnb`, 0);
    if (number < 1) return undefined;
    const at = `advanced.lnb.${number}`;
    const mode = this.#get(`${at}.diseqcMode`) ?? 'none';
    const rotor = mode === '1_2' ? this.#rotor(`${at}.`) : undefined;
    const hasStored = !this.#isOn(`${satellite}.usals`, 'true');
    return {
      ...plain,
      ...this.#oscillators(at),
      voltage: ({ '0V': 0, '13V': 13, '18V': 18 } as const)[this.#get(`${satellite}.voltage`) ?? ''],
      tone: ({ on: true, off: false } as const)[this.#get(`${satellite}.tonemode`) ?? ''],
      moreVoltage: this.#isOn(`${at}.increased_voltage`),
      switches: mode === 'none' ? undefined : this.#switches(at, mode),
      rotor: rotor && {
        ...rotor,
        stored: hasStored ? this.#number(`${satellite}.rotorposition`, 1) & 0xff : undefined,
      },
      unicable: this.#get(`${at}.lof`) === 'unicable' ? this.#unicable(at, number) : undefined,
    };
  }

  #oscillators(at: string): Pick<Lnb, 'low' | 'high' | 'threshold'> {
    const kind = this.#get(`${at}.lof`) ?? 'universal_lnb';
    if (kind === 'user_defined') {
      const threshold = this.#number(`${at}.threshold`, 11700);
      const own = oscillatorsOf([this.#number(`${at}.lofl`, 9750), this.#number(`${at}.lofh`, 10600), threshold]);
      return threshold === 1 ? { ...own, threshold: 'stacked' } : own;
    }
    const known = oscillators[kind];
    return known ? oscillatorsOf(known) : universal;
  }

  #switches(at: string, mode: string): Switches {
    const order = mode === '1_0' ? this.#get(`${at}.commandOrder1_0`) : this.#get(`${at}.commandOrder`);
    const uncommitted = mode === '1_0' ? 0 : this.#number(`${at}.uncommittedDiseqcCommand`, 0);
    const burst = ({ A: 'a', B: 'b' } as const)[this.#get(`${at}.toneburst`) ?? ''];
    const repeats = { none: 0, one: 1, two: 2, three: 3 }[this.#get(`${at}.diseqcRepeats`) ?? 'none'] ?? 0;
    return {
      committed: committedBy(this.#get(`${at}.commitedDiseqcCommand`)),
      uncommitted: uncommitted >= 1 && uncommitted <= 16 ? uncommitted - 1 : undefined,
      burst,
      order: order ?? 'ct',
      times: mode === '1_0' ? 1 : 2 ** repeats,
      twice: this.#isOn(`${at}.sequenceRepeat`),
      fast: this.#isOn(`${at}.fastDiseqc`),
    };
  }

  #rotor(at: string): Rotor {
    const degrees = (name: string, defaultText: string, negative: string) => {
      const value = decimal(this.#get(`${at}${name}`) ?? defaultText);
      return this.#get(`${at}${name}Orientation`) === negative ? -value : value;
    };
    return {
      longitude: degrees('longitude', '5.100', 'west'),
      latitude: degrees('latitude', '50.767', 'south'),
      stored: undefined,
    };
  }

  #unicable(at: string, number: number): Unicable {
    const format = this.#get(`${at}.format`) === 'jess' ? 'jess' : 'unicable';
    const kind = this.#get(`${at}.unicable`) ?? 'unicable_lnb';
    const band = Math.min(Math.max(this.#number(`${at}.scrList`, 1) - 1, 0), format === 'jess' ? 31 : 7);
    const bands = kind === 'unicable_lnb' ? userBands.lnb : userBands[format];
    const satellites = format === 'jess' ? 64 : 2;
    const position = this.#number(`${at}.positionNumber`, Math.min(number, satellites));
    const hasInserter = this.#isOn(`${at}.powerinserter`);
    return {
      format,
      band,
      frequency: this.#number(`${at}.scrfrequency`, bands[band] ?? bands[0]) * megahertz,
      satellite: Math.min(Math.max(position + this.#number(`${at}.positionsOffset`, 0) - 1, 0), satellites - 1),
      bootTime: hasInserter ? 0 : Math.min(this.#number(`${at}.bootuptime`, 1000), 10_000),
    };
  }

  #get(key: string): string | undefined {
    const slot = `config.Nims.${this.#slot}`;
    return this.#settings.get(`${slot}.dvbs.${key}`) || this.#settings.get(`${slot}.${key}`) || undefined;
  }

  #isOn(key: string, defaultText = ''): boolean {
    return isYes(this.#get(key) ?? defaultText);
  }

  #number(key: string, defaultNumber: number): number {
    const value = Number.parseInt(this.#get(key) ?? '', 10);
    return Number.isNaN(value) ? defaultNumber : value;
  }

  /** A list of numbers: `[192, 130]`. */
  #list(key: string): readonly number[] {
    return (this.#get(key)?.match(/\d{1,4}/g) ?? []).map(Number).filter((position) => position <= lastPosition);
  }
}

const oscillatorsOf = ([low, high, threshold]: readonly [number, number, number]) => ({
  low: low * megahertz,
  high: high * megahertz,
  threshold: threshold * megahertz,
});

/** `AA` to `BB`, or the number of the command's last byte. */
function committedBy(text: string | undefined): number | undefined {
  const port = ['AA', 'AB', 'BA', 'BB'].indexOf(text ?? '');
  if (port >= 0) return port;
  const byte = Number(text);
  return byte > 3 && byte <= 0xff ? byte : undefined;
}

/** Parses two integers, degrees and thousandths: `5.100` is 5.1, and `5.50` is 5.05. */
function decimal(text: string): number {
  const [whole, thousandths] = text.split('.');
  return Number.parseInt(whole ?? '', 10) + (Number.parseInt(thousandths ?? '', 10) || 0) / 1000;
}
