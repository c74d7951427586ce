/**
 * Two satellite front ends: a recording is on the abler one, which is wanted for what only it can receive, and goes over
 * to the other.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { feed, json, start, stream, until } from './receiver.mjs';

const [viewed, recorded, far] = process.argv.slice(2);
const found = {};
const multiplexes = ['1114000=1.ts', '1158000=2.ts', '1202000=3.ts'];
const feeders = [0, 1].map((adapter) => feed(adapter, ...multiplexes));
const program = await start();
const usersOf = async (number) => (await json('/api/tunerstatus')).tuners[number].users.map(({ purpose }) => purpose);

// The viewer has the second tuner, so that the recording gets the first.
const viewer = stream(viewed, 40);
await until(async () => (await usersOf(1)).length > 0, 'a viewer');
const now = Math.floor(Date.now() / 1000);
const timer = (sRef, name) => `/api/timeradd?${new URLSearchParams({ sRef, begin: now - 1, end: now + 3600, name })}`;
found.first = await json(timer(recorded, 'Moved'));
await until(async () => (await usersOf(0)).includes('recording'), 'a recording');
await viewer;
found.before = (await json('/api/tunerstatus')).tuners;
found.second = await json(timer(far, 'Far'));
// Meanwhile it has both.
found.after = await until(async () => {
  const { tuners } = await json('/api/tunerstatus');
  const isRecording = ({ users }) => users.some(({ purpose }) => purpose === 'recording');
  const isDone = tuners.every(isRecording) && tuners[0].transponder !== found.before[0].transponder;
  return isDone && tuners;
}, 'both recordings, each on its tuner');
await pause(10_000);
const { timers } = await json('/api/timerlist');
for (const { serviceref, begin, end } of timers)
  await json(`/api/timerdelete?${new URLSearchParams({ sRef: serviceref, begin, end })}`);
await until(async () => (await json('/api/statusinfo')).isRecording === 'false', 'the end of the recordings');
found.movies = (await json('/api/movielist')).movies.map(({ filename, eventname }) => ({ filename, eventname }));
found.ended = await program.stop();
for (const feeder of feeders) feeder.kill();
writeFileSync('found.json', JSON.stringify(found));
