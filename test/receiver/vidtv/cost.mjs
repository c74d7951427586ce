/** Processor time that one and all services of a multiplex take on their way from the front end to sockets; dvblast's too. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { feed, json, start, stream, until } from './receiver.mjs';

const seconds = 20;
const references = process.argv.slice(2);
const feeder = feed(0, '498000000=1.ts');

/** Milliseconds that a process has used. */
function used(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measured(pid) {
  const before = used(pid);
  await pause(seconds * 1000);
  return used(pid) - before;
}

const program = await start();
// The guide of the first rounds is another matter.
const viewer = stream(references[0], 60);
await viewer;
const ours = [];
for (const count of [1, references.length]) {
  const viewers = references.slice(0, count).map((one) => stream(one, seconds + 10));
  await until(async () => (await json('/api/tunersignal')).snr > 0, 'a signal');
  await pause(4000);
  ours.push(await measured(program.pid));
  await Promise.all(viewers);
}
await program.stop();

const theirs = [];
for (const count of [1, references.length]) {
  const outputs = references
    .slice(0, count)
    .map((one, n) => `127.0.0.1:${5000 + n}/udp 1 ${Number.parseInt(one.split(':')[3], 16)}\n`);
  writeFileSync('dvblast.conf', outputs.join(''));
  const flags = ['-q', '-5', 'DVBT', '-f', '498000000', '-b', '8', '-a', '0', '-c', 'dvblast.conf'];
  const dvblast = spawn('dvblast', flags, { stdio: 'inherit' });
  await pause(6000);
  theirs.push(await measured(dvblast.pid));
  const ended = new Promise((resolve) => dvblast.once('exit', resolve));
  dvblast.kill();
  await ended;
}
feeder.kill();
writeFileSync('found.json', JSON.stringify({ seconds, ours, theirs }));
