/**
 * Clients in a process of their own that request one address without pause, each over a persistent connection; started
 * by http-load.bench.ts. Sends back the milliseconds that each response took. autocannon would bring 62 packages.
 */
import { Agent, get } from 'node:http';

export interface Load {
  readonly url: string;
  readonly clients: number;
  readonly milliseconds: number;
  /** Adds a meaningless number to each address, so that no request repeats and no response comes from the cache. */
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
