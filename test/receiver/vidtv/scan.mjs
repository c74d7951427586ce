/** A scan by two frequencies that nobody has listed, and the same by dvbv5-scan. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { feed } from './receiver.mjs';

const root = join(import.meta.dirname, '..', '..', '..');
const feeder = feed(0, '498000000=1.ts', '506000000=2.ts');
const table = ['498000000', '506000000'].map(
  (frequency) => `[CHANNEL]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = ${frequency}\n\tBANDWIDTH_HZ = 8000000\n`,
);
writeFileSync('initial', table.join(''));
const run = (program, ...flags) => spawnSync(program, flags, { encoding: 'utf8' });
const ours = run(
  process.execPath,
  join(root, 'dist', 'cli.js'),
  ...['scan', '--tuner', 'dvb:0', '--from', 'initial', '--save', '--json', '--data-dir', 'data'],
);
writeFileSync('log.txt', ours.stderr);
run('dvbv5-scan', '-I', 'DVBV5', '-o', 'others.conf', 'initial');
feeder.kill();
const others = readFileSync('others.conf', 'utf8').matchAll(/^\[(.*)\]\n\s*SERVICE_ID = (\d+)/gm);
writeFileSync(
  'found.json',
  JSON.stringify({
    status: ours.status,
    ours: JSON.parse(ours.stdout || '[]'),
    others: [...others].map(([, name, id]) => ({ name, serviceId: Number(id) })),
    lamedb: readFileSync('data/enigma2/lamedb', 'utf8'),
  }),
);
