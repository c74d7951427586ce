/**
 * Clients in a process of their own, each with a connection that is kept, that ask for one address without pause; started by
 * http-load.bench.ts. Gives the milliseconds that each answer took.
 */
import { Agent, get } from 'node:http';

export interface Load {
  readonly url: string;
  readonly clients: number;
  readonly milliseconds: number;
  /** No address is asked for twice: a number is added that means nothing, so that no answer can be sent from memory. */
  readonly distinct?: boolean;
}

process.on('message', async (message) => {
  const { url, clients, milliseconds, distinct = false } = message as Load;
  let asked = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(distinct ? `${url}&n=${process.pid}${asked++}` : url, { agent }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      }).once('error', reject);
    });
  const one = async () => {
    while (performance.now() < end) {
      const begin = performance.now();
      await ask();
      times.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  agent.destroy();
  process.send?.(times);
});
process.once('disconnect', () => process.exit());
