/** No list at all: `receiverd setup` sets it up in one folder. In another an app looks at the tuner, connects a dish, stops a scan, and scans two frequencies of a table. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { feed, json, pushed, start, until } from './receiver.mjs';

const cli = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');
const feeder = feed(0, '498000000=1.ts', '506000000=2.ts', '1114000=1.ts', '1158000=2.ts');
const channel = (frequency) =>
  `[CHANNEL]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = ${frequency}\n\tBANDWIDTH_HZ = 8000000\n`;
mkdirSync('tables/dvb-t', { recursive: true });
mkdirSync('tables/dvb-s', { recursive: true });
writeFileSync('tables/dvb-t/de-Here', ['498000000', '506000000'].map(channel).join(''));
writeFileSync(
  'tables/dvb-s/Astra-19.2E',
  '[A]\n\tDELIVERY_SYSTEM = DVBS\n\tFREQUENCY = 11836000\n\tPOLARIZATION = HORIZONTAL\n\tSYMBOL_RATE = 27500000\n',
);
writeFileSync('receiverd.yaml', `scanTables: [${process.cwd()}/tables]\n`);
const found = {};
const dish = (frequency) =>
  `[A]\n\tDELIVERY_SYSTEM = DVBS\n\tFREQUENCY = ${frequency}\n\tPOLARIZATION = HORIZONTAL\n\tSYMBOL_RATE = 27500000\n`;
mkdirSync('sky/dvb-s', { recursive: true });
writeFileSync('sky/dvb-s/Astra-19.2E', dish(11_714_000) + dish(11_758_000));
writeFileSync('sky.yaml', `scanTables: [${process.cwd()}/sky]\n`);
// The question is answered on standard input.
const command = ['setup', '--config', 'sky.yaml', '--data-dir', 'command'];
found.command = spawnSync(process.execPath, [cli, ...command], { encoding: 'utf8', input: '19.2E\n' });
found.commandSettings = readFileSync('command/enigma2/settings', 'utf8');
found.commandList = readFileSync('command/enigma2/lamedb', 'utf8');
const program = await start({ flags: ['--config', 'receiverd.yaml'] });
found.before = (await json('/api/tunerstatus')).tuners;
found.tables = (await json('/api/scantables')).tables.map(({ name }) => name);
found.guess = await json('/api/setupguess');
found.dish = await json('/api/tunersetup?tuner=0&satellites=19.2E');
const state = (wanted) => async () => {
  const status = await json('/api/scanstatus');
  return status.state === wanted && status;
};

// A satellite that nothing feeds: it can be stopped, and takes a while to fail.
found.started = await json(`/api/scanstart?table=${encodeURIComponent('dvb-s/Astra-19.2E')}`);
found.second = await json('/api/scanstart');
await json('/api/scanstop');
found.stopped = await until(state('stopped'), 'the end of the stopped scan');

const events = pushed('/api/events?types=scan,tuner&signal=0.5&tuner=0');
await json('/api/scanstart?table=dvb-t/de-Here');
found.during = await until(async () => {
  const [tuner] = (await json('/api/tunerstatus')).tuners;
  // The signal is measured a moment later.
  return tuner.state === 'locked' && tuner.signal?.locked && tuner;
}, 'a signal');
found.done = await until(state('done'), 'the end of the scan');
found.events = await events.end();
found.settings = existsSync('data/enigma2/settings') ? readFileSync('data/enigma2/settings', 'utf8') : '';
found.bouquet = (await json('/api/getallservices')).services.flatMap(({ subservices }) =>
  subservices.map(({ servicename }) => servicename),
);
found.ended = await program.stop();
feeder.kill();
writeFileSync('found.json', JSON.stringify(found));
