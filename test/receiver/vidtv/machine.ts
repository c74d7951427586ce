/** The virtual machine with front ends: RECEIVERD_VIDTV names the folder of its scripts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWholeRun } from '../../fixtures/whole-run.ts';

const scripts = process.env.RECEIVERD_VIDTV ?? '';
const data = process.env.RECEIVERD_TEST_DATA ?? '';
const makeMultiplex = join(data, 'make-multiplex');

/** The machine can be started, and minutes may be spent on it. */
export const hasMachine = isWholeRun && existsSync(join(scripts, 'run-in-vm')) && existsSync(makeMultiplex);

export interface SentService {
  readonly service_id: number;
  readonly name: string;
  readonly type: number;
  readonly provider: string;
}

export interface SentEvent {
  readonly service_id: number;
  readonly event_id: number;
  readonly start: number;
  readonly duration: number;
  readonly title: string;
}

/** What a multiplex contains, as its encoder has written it down. */
export interface Truth {
  readonly time: number;
  readonly services: readonly SentService[];
  readonly events: readonly SentEvent[];
}

/** The multiplex of the tests: small, since the machine is slow. */
const small = { services: 3, radio: 1, days: 2, rate: 12_000_000, seconds: 20 };

/** Writes `N.ts`, which its NIT places at 498 MHz + (N - 1) * 8 MHz, on transport stream 1100 + N. */
export function writeMultiplex(folder: string, n: number, shape: typeof small = small): Truth {
  const copy = join(folder, 'make-multiplex.py');
  // The encoder has one transport stream id and frequency.
  const text = readFileSync(makeMultiplex, 'utf8')
    .replaceAll('1101', String(1100 + n))
    .replaceAll('49800000', String(49800000 + (n - 1) * 800000));
  writeFileSync(copy, text);
  const file = join(folder, `${n}.ts`);
  const corpus = join(data, 'guide', 'events.jsonl.gz');
  const size = Object.entries(shape).flatMap(([name, value]) => [`--${name}`, String(value)]);
  execFileSync('python3', [copy, file, ...size, '--seed', String(n), '--guide', corpus], { stdio: 'ignore' });
  return JSON.parse(readFileSync(`${file}.truth.json`, 'utf8')) as Truth;
}

const hex = (value: number) => value.toString(16).padStart(4, '0');

/**
 * The lists and settings of a box with two satellite sockets: the first reaches 19.2 and 13.0 degrees east, the second
 * only 19.2. These multiplexes are there at 11.714, 11.758 and, on 13.0, 11.802 GHz: 1114, 1158 and 1202 MHz behind the
 * LNB.
 */
export function writeSatelliteLists(folder: string, multiplexes: readonly Truth[]): void {
  const places = [192, 192, 130];
  const lines = ['eDVB services /4/', 'transponders'];
  const space = (n: number) => ((places[n] as number) << 16).toString(16).padStart(8, '0');
  for (const n of multiplexes.keys()) {
    const frequency = 11_714_000 + 44_000 * n;
    lines.push(`${space(n)}:${hex(1101 + n)}:22d4`, `\ts ${frequency}:27500000:0:3:${places[n]}:2:0`, '/');
  }
  lines.push('end', 'services');
  for (const [n, { services }] of multiplexes.entries()) {
    for (const { service_id, type, name, provider } of services)
      lines.push(`${hex(service_id)}:${space(n)}:${hex(1101 + n)}:22d4:${type}:0:0`, name, `p:${provider}`);
  }
  lines.push('end', 'Have a lot of bugs!', '');
  mkdirSync(join(folder, 'enigma2'));
  writeFileSync(join(folder, 'enigma2', 'lamedb'), lines.join('\n'));
  const settings = [
    'Nims.0.configMode=simple',
    'Nims.0.diseqcMode=diseqc_a_b',
    'Nims.0.diseqcA=192',
    'Nims.0.diseqcB=130',
    'Nims.1.configMode=simple',
    'Nims.1.diseqcMode=single',
    'Nims.1.diseqcA=192',
  ];
  writeFileSync(join(folder, 'enigma2', 'settings'), settings.map((line) => `config.${line}\n`).join(''));
}

/** The lists of a box that knows these multiplexes. */
export function writeLists(folder: string, multiplexes: readonly Truth[]): void {
  const network = 8916;
  const lines = ['eDVB services /4/', 'transponders'];
  for (const n of multiplexes.keys()) {
    lines.push(`eeee0000:${hex(1101 + n)}:${hex(network)}`, `\tt ${(498 + 8 * n) * 1e6}:0:5:5:3:2:4:4:2:0:0:0`, '/');
  }
  lines.push('end', 'services');
  for (const [n, { services }] of multiplexes.entries()) {
    for (const { service_id, type, name, provider } of services) {
      lines.push(`${hex(service_id)}:eeee0000:${hex(1101 + n)}:${hex(network)}:${type}:0:0`, name, `p:${provider}`);
    }
  }
  lines.push('end', 'Have a lot of bugs!', '');
  mkdirSync(join(folder, 'enigma2'));
  writeFileSync(join(folder, 'enigma2', 'lamedb'), lines.join('\n'));
}

export const referenceOf = (n: number, { service_id, type }: SentService, space = 'EEEE0000') =>
  `1:0:${type}:${service_id.toString(16).toUpperCase()}:${(1101 + n).toString(16).toUpperCase()}:22D4:${space}:0:0:0:`;

/** Runs a script of this folder in the machine, in `folder`, and returns what it has found. `seconds`: for all of it. */
export function inMachine<Found>(
  folder: string,
  script: string,
  arguments_: readonly string[],
  driver: readonly string[],
  seconds = 900,
) {
  const options = driver.flatMap((option) => ['--driver', option]);
  const command = ['node', join(import.meta.dirname, script), ...arguments_];
  const all = ['--cwd', folder, '--timeout', String(seconds), ...options, ...command];
  const { status, stderr } = spawnSync(join(scripts, 'run-in-vm'), all, { encoding: 'utf8' });
  const log = () => readFileSync(join(folder, 'log.txt'), 'utf8');
  if (status !== 0)
    throw new Error(`${script}: ${status}\n${stderr}\n${existsSync(join(folder, 'log.txt')) ? log() : ''}`);
  return { found: JSON.parse(readFileSync(join(folder, 'found.json'), 'utf8')) as Found, log: log() };
}
