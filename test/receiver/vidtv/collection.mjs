/** How long the guide of each of three multiplexes takes on a front end that nobody uses, as the collector reports it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { feed, start, until } from './receiver.mjs';

const [time] = process.argv.slice(2);
execFileSync('date', ['-s', `@${time}`]);
const feeder = feed(0, '498000000=1.ts', '506000000=2.ts', '514000000=3.ts');
const program = await start();
const visits = await until(() => {
  const lines = readFileSync('log.txt', 'utf8')
    .split('\n')
    .filter((line) => line.includes('guide collected'));
  return lines.length >= 3 && lines.map((line) => JSON.parse(line));
}, 'three visits');
await program.stop();
feeder.kill();
writeFileSync('found.json', JSON.stringify(visits));
