/**
 * The program in the virtual machine: starts it on front ends that receive given multiplexes, and asks it. Plain
 * JavaScript, since the machine is emulated and slow.
 */
import { spawn } from 'node:child_process';
import { closeSync, cpSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..', '..');
const base = 'http://127.0.0.1:8080';
export const streams = 'http://127.0.0.1:8001';

/** Repeats `ask` until it returns something but undefined or false. */
export async function until(ask, what) {
  for (let attempts = 0; attempts < 600; attempts++) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await pause(200);
  }
  throw new Error(`it did not happen: ${what}`);
}

/** `multiplexes`: `FREQUENCY=FILE`, in Hz; `adapter` plays them. Returns the process. */
export function feed(adapter, ...multiplexes) {
  return spawn('feed-multiplex', ['-a', String(adapter), ...multiplexes], { stdio: 'inherit' });
}

/**
 * Prints where every thread waits in the kernel if the script takes longer than this, by another process, because this
 * one may hang in a driver itself. Call what it returns at the end.
 */
export function explainAfter(seconds) {
  const told = 'for t in /proc/[0-9]*/task/*; do echo "$t $(cat $t/comm) $(tr "\\n" " " < $t/stack)"; done 2>/dev/null';
  const held = 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep /dev/dvb';
  const script = `sleep ${seconds}; echo "it hangs:"; ${told} | grep -v "kworker\\|ksoftirqd\\|rcu"; ${held}`;
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 2, 2] });
  return () => child.kill();
}

/** Starts the program with the lists in `enigma2`; its log is `log.txt`. */
export async function start({ tuners = [], flags = [] } = {}) {
  if (existsSync('enigma2')) cpSync('enigma2', 'data/enigma2', { recursive: true });
  const log = openSync('log.txt', 'w');
  const options = ['--data-dir', 'data', '--http-port', '8080', '--stream-port', '8001', '--bind', '127.0.0.1'];
  const named = tuners.length > 0 ? ['--tuner', ...tuners] : [];
  const program = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'start', ...options, ...named, ...flags], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await until(() => readFileSync('log.txt', 'utf8').includes('receiverd ready'), 'receiverd ready');
  return {
    pid: program.pid,
    async stop() {
      const ended = new Promise((resolve) => program.once('exit', (code) => resolve(code)));
      program.kill('SIGTERM');
      return ended;
    },
  };
}

export async function json(path) {
  return (await fetch(base + path)).json();
}

/** Reads an event stream until `end()`, which returns `[type, data]` of all events; `listener` gets each at once. */
export function pushed(path, listener = () => undefined) {
  const left = new AbortController();
  const events = [];
  const read = async () => {
    const answer = await fetch(base + path, { signal: left.signal });
    let text = '';
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      const end = text.lastIndexOf('\n\n') + 2;
      for (const [, type, data] of text.slice(0, end).matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
        events.push([type, JSON.parse(data)]);
        listener(...events.at(-1));
      }
      text = text.slice(end);
    }
  };
  const reading = read().catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    async end() {
      left.abort();
      await reading;
      return events;
    },
  };
}

/**
 * Reads a stream for `seconds` into a file, if given one. Returns status, bytes, the milliseconds until its first ones,
 * and whether it ended by itself.
 */
export async function stream(reference, seconds, file) {
  const left = new AbortController();
  const begin = performance.now();
  const answer = await fetch(`${streams}/${reference}`, { signal: left.signal });
  if (answer.status !== 200) return { status: answer.status, ...(await answer.json()) };
  const chunks = [];
  let first;
  let ended = true;
  const timer = setTimeout(() => {
    ended = false;
    left.abort();
  }, seconds * 1000);
  try {
    for await (const chunk of answer.body) {
      first ??= Math.round(performance.now() - begin);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  }
  clearTimeout(timer);
  const bytes = Buffer.concat(chunks);
  if (file !== undefined) writeFileSync(file, bytes);
  return { status: 200, bytes: bytes.length, first, ended };
}
