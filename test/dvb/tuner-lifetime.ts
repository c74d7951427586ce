/** Run by tuner.test.ts as a separate process: it must exit by itself, and many tuners must not grow its memory. */
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

/** Resident bytes after this number of rounds and a garbage collection. */
async function resident(rounds: number): Promise<number> {
  for (let number = 0; number < rounds; number++) await round();
  // Yields to the event loop in between, because finalizers of buffers run after a collection.
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
  // Allocators retain some freed memory; a leaking tuner would keep its buffers, 300 kB and more.
  process.stdout.write(kept < 150_000 ? 'no memory kept\n' : `${kept} bytes kept by each tuner\n`);
});
// A tuner that is never started, and one that is abandoned and ends with its file.
new Tuner({ kind: 'file', path, loop: true, paced: true });
new Tuner({ kind: 'file', path, loop: false, paced: false }).start();
