/** One front end loses its signal for a while, and finds it again: a viewer and a recording wait for it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { feed, json, pushed, start, stream, until } from './receiver.mjs';

const [one] = process.argv.slice(2);
const found = {};
const feeder = feed(0, '498000000=1.ts');
const program = await start();
const events = pushed('/api/events?types=tuner,recording');
const now = Math.floor(Date.now() / 1000);
const timer = { sRef: one, begin: now - 1, end: now + 3600, name: 'Waits' };
await json(`/api/timeradd?${new URLSearchParams(timer)}`);
await until(async () => (await json('/api/statusinfo')).isRecording === 'true', 'a recording');
const viewer = stream(one, 40, 'viewed.ts');
await pause(8000);
const loss = promisify(execFile)('python3', [
  join(import.meta.dirname, 'lose-signal.py'),
  ...[String(program.pid), '/dev/dvb/adapter0/frontend0', '9'],
]);
found.lost = await until(async () => {
  const [tuner] = (await json('/api/tunerstatus')).tuners;
  return tuner.state === 'lost' && tuner;
}, 'a lost signal');
await loss;
found.again = await until(async () => {
  const [tuner] = (await json('/api/tunerstatus')).tuners;
  return tuner.state === 'locked' && tuner;
}, 'the signal');
found.viewer = await viewer;
await json(`/api/timerdelete?${new URLSearchParams(timer)}`);
await until(async () => (await json('/api/statusinfo')).isRecording === 'false', 'the end of the recording');
found.events = await events.end();
[found.movie] = (await json('/api/movielist')).movies;
found.ended = await program.stop();
feeder.kill();
writeFileSync('found.json', JSON.stringify(found));
