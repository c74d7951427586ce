/** One front end, two multiplexes: zapping, sharing, the guide, a recording by a timer, and who gets the tuner. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { feed, json, start, stream, until } from './receiver.mjs';

const [one, two, other, time] = process.argv.slice(2);
const found = {};
execFileSync('date', ['-s', `@${time}`]);
const feeder = feed(0, '498000000=1.ts', '506000000=2.ts');
const program = await start();
found.about = (await json('/api/about')).info.tuners;

found.first = await stream(one, 6, 'first.ts');
found.zapped = await stream(other, 6, 'zapped.ts');
const [shared, sharedToo] = await Promise.all([stream(one, 6, 'shared-1.ts'), stream(two, 6, 'shared-2.ts')]);
found.shared = [shared, sharedToo];
found.signal = await json('/api/tunersignal');

// A guide is complete once each section has come by.
const held = stream(one, 45);
found.guide = await until(async () => {
  const { events } = await json(`/api/epgservice?sRef=${encodeURIComponent(one)}`);
  return events.length > 0 && events;
}, 'a guide');
await pause(20_000);
found.guide = (await json(`/api/epgservice?sRef=${encodeURIComponent(one)}`)).events;
await held;

// The timer takes the tuner from a viewer, and keeps it.
const viewer = stream(other, 300);
await until(async () => (await json('/api/tunersignal')).snr > 0, 'a viewer');
const now = Math.floor(Date.now() / 1000);
const timer = { sRef: one, begin: now + 25, end: now + 3600, name: 'Recorded' };
found.timer = await json(`/api/timeradd?${new URLSearchParams(timer)}`);
found.viewer = await viewer;
await until(async () => (await json('/api/statusinfo')).isRecording === 'true', 'a recording');
found.refused = await stream(other, 5);
found.beside = await stream(two, 12);
await json(`/api/timerdelete?${new URLSearchParams(timer)}`);
await until(async () => (await json('/api/statusinfo')).isRecording === 'false', 'the end of the recording');
found.movies = (await json('/api/movielist')).movies;
found.ended = await program.stop();
feeder.kill();
writeFileSync('found.json', JSON.stringify(found));
