/** Two front ends: one is unplugged while it is used, and plugged in again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { explainAfter, feed, json, start, stream, until } from './receiver.mjs';

const [one, , other] = process.argv.slice(2);
const found = {};
const isOver = explainAfter(270);
const feeders = [0, 1].map((adapter) => feed(adapter, '498000000=1.ts', '506000000=2.ts'));
const program = await start();

found.both = await Promise.all([stream(one, 6), stream(other, 6)]);

const watched = stream(one, 30, 'moved.ts');
const isUsed = (tuner) => tuner.live !== '';
const used = await until(async () => {
  const number = (await json('/api/about')).info.tuners.findIndex(isUsed);
  return number >= 0 && { number };
}, 'a tuner in use');
await pause(6000);
// The kernel waits until nobody has the device open, the feeder included.
const unplugged = writeFile('/sys/bus/platform/drivers/vidtv/unbind', `vidtv.${used.number}`);
await until(() => readFileSync('log.txt', 'utf8').includes('there is no such device'), 'the device is missed');
feeders[used.number].kill();
found.moved = await watched;
await unplugged;
// A slow machine may need a second attempt for the lock.
found.alone = await until(async () => {
  const both = await Promise.all([stream(one, 5), stream(other, 5)]);
  const statuses = both.map(({ status }) => status);
  return statuses.includes(200) && statuses.includes(503) && both;
}, 'one tuner for one of two');
writeFileSync('/sys/bus/platform/drivers/vidtv/bind', `vidtv.${used.number}`);
feeders.push(feed(used.number, '498000000=1.ts', '506000000=2.ts'));
found.again = await until(async () => {
  const both = await Promise.all([stream(one, 4), stream(other, 4)]);
  return both.every(({ status }) => status === 200) && both;
}, 'both tuners');
found.ended = await program.stop();
for (const feeder of feeders) feeder.kill();
isOver();
writeFileSync('found.json', JSON.stringify(found));
