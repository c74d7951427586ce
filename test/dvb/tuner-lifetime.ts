/** Run by tuner.test.ts as a process of its own: ends by itself, and many tuners later has no more memory than before. */
import { Tuner } from '../../src/dvb/tuner.ts';

const path = process.argv[2] ?? '';
const collect = globalThis.gc as () => void;

async function round(): Promise<void> {
  const tuner = new Tuner({ kind: 'file', path, loop: true, paced: false });
  tuner.start();
  const stream = tuner.openStream(1);
  await stream.read();
  await stream.read();
  stream.close();
  await tuner.stop();
}

/** Resident bytes after so many rounds, garbage collected. */
async function resident(rounds: number): Promise<number> {
  for (let number = 0; number < rounds; number++) await round();
  // With turns of the event loop in between: finalizers of buffers run after a collection.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().rss;
}

const rounds = 300;
const before = await resident(100);
const after = await resident(rounds);
process.on('exit', () => {
  process.stdout.write('ended by itself\n');
  const kept = Math.round((after - before) / rounds);
  // Allocators keep some of what is freed; a tuner that leaked would leave its buffers, 300 kB and more.
  process.stdout.write(kept < 150_000 ? 'no memory kept\n' : `${kept} bytes kept by each tuner\n`);
});
// One that is never started, and one that is forgotten and ends when its file is over.
new Tuner({ kind: 'file', path, loop: true, paced: true });
new Tuner({ kind: 'file', path, loop: false, paced: false }).start();
