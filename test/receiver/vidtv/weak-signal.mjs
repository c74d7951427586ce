/** A signal that is lost now and then, and found again by tuning anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { feed, json, start, stream, until } from './receiver.mjs';

const [one] = process.argv.slice(2);
const found = {};
const feeder = feed(0, '498000000=1.ts');
const program = await start();
const watched = stream(one, 90, 'weak.ts');
await until(() => readFileSync('log.txt', 'utf8').includes('the signal was lost'), 'a lost signal');
await until(async () => {
  const { snr } = await json('/api/tunersignal');
  return snr > 0;
}, 'a signal again');
found.stream = await watched;
found.ended = await program.stop();
feeder.kill();
writeFileSync('found.json', JSON.stringify(found));
