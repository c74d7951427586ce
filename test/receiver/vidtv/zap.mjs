/** How long a zap takes: to the signal, to PAT and PMT, and to the first picture out of port 8001. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { feed, pushed, start, streams } from './receiver.mjs';

const [one, other, count] = process.argv.slice(2);
const feeder = feed(0, '498000000=1.ts', '506000000=2.ts');
const program = await start();
await pause(3000);
const zaps = [];
for (let n = 0; n < Number(count); n++) {
  const begin = performance.now();
  const since = () => Math.round(performance.now() - begin);
  let locked;
  const events = pushed('/api/events?types=tuner', (type, { state }) => {
    if (type === 'tuner' && state === 'locked') locked ??= since();
  });
  const left = new AbortController();
  const answer = await fetch(`${streams}/${n % 2 === 0 ? one : other}`, { signal: left.signal });
  const tables = since();
  // Port 8001 begins with PAT and PMT and then waits for a picture that can be decoded.
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > 3 * 188) break;
  }
  zaps.push({ locked, tables, picture: since() });
  left.abort();
  await events.end();
  await pause(1500);
}
await program.stop();

// The same adapter, tuned by dvbv5-zap, which reports the lock.
const channel = (frequency) =>
  `[${frequency}]\n\tSERVICE_ID = 1\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = ${frequency}\n\tBANDWIDTH_HZ = 8000000\n`;
writeFileSync('channels.conf', ['498000000', '506000000'].map(channel).join('\n'));
const theirs = [];
for (let n = 0; n < Number(count); n++) {
  const begin = performance.now();
  const frequency = n % 2 === 0 ? '498000000' : '506000000';
  const zap = spawn('dvbv5-zap', ['-c', 'channels.conf', '-I', 'DVBV5', '-t', '5', frequency]);
  await new Promise((resolve) => {
    const seen = (chunk) => /\bLock\b/.test(chunk.toString()) && resolve();
    zap.stdout.on('data', seen);
    zap.stderr.on('data', seen);
    zap.once('exit', resolve);
  });
  theirs.push(Math.round(performance.now() - begin));
  zap.kill('SIGKILL');
  await pause(500);
}
feeder.kill();
writeFileSync('found.json', JSON.stringify({ ours: zaps, theirs }));
