/** A client in its own process that searches without pause until told to stop; started by http.bench.ts. */
import { Agent, get } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let ending = false;

/** Receives the addresses to request in turn, then `end`. */
process.on('message', (message) => {
  if (message === 'end') ending = true;
  else next(message as readonly string[], 0);
});

function next(urls: readonly string[], n: number): void {
  if (!ending) {
    get(urls[n % urls.length] as string, { agent }, (answer) => answer.resume().once('end', () => next(urls, n + 1)));
    if (n === 1) process.send?.('searching');
    return;
  }
  agent.destroy();
  process.send?.(n, () => process.disconnect());
}
