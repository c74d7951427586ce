/**
 * The clients of load.ts, each kind in a process of its own. A process gets its job, says `ready`, and sends what it has
 * seen since the last report whenever it is asked for one.
 */
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Continuity } from './continuity.ts';

export type Job =
  /** One client for each address. A slow one reads this many bytes a second. */
  | { readonly kind: 'streams'; readonly urls: readonly string[]; readonly slow?: number }
  | { readonly kind: 'push'; readonly url: string; readonly clients: number }
  /** Each asks for statusinfo and the current service every `period` milliseconds, and now and then for the rest. */
  | {
      readonly kind: 'apps';
      readonly url: string;
      readonly clients: number;
      readonly period: number;
      readonly others: readonly string[];
    }
  /** Connections that ask once and then stay. */
  | { readonly kind: 'idle'; readonly url: string; readonly clients: number };

export interface StreamsReport {
  readonly open: number;
  readonly refused: number;
  readonly ended: number;
  readonly bytes: number;
  readonly packets: number;
  readonly gaps: number;
  readonly lost: number;
  readonly broken: number;
  /** Clients that have got nothing since the last report. */
  readonly silent: number;
}

export interface PushReport {
  readonly open: number;
  readonly refused: number;
  readonly ended: number;
  readonly resets: number;
  /** Volume events by their order: how many clients have got it, and when the last one did. */
  readonly volumes: readonly { readonly clients: number; readonly last: number }[];
}

export interface AppsReport {
  /** Milliseconds. */
  readonly statusinfo: readonly number[];
  readonly others: readonly number[];
  readonly failures: readonly string[];
}

export interface IdleReport {
  readonly answered: number;
  readonly open: number;
  readonly failures: readonly string[];
}

type Reports = {
  readonly streams: StreamsReport;
  readonly push: PushReport;
  readonly apps: AppsReport;
  readonly idle: IdleReport;
};
export type ReportOf<Kind extends Job['kind']> = Reports[Kind];

/** Starts a job; the result reports. */
type Start<Kind extends Job['kind']> = (job: Extract<Job, { kind: Kind }>) => Promise<() => ReportOf<Kind>>;

/** The head of a response, or undefined if there is none. */
function ask(url: string): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    get(url, { agent: false, headers: { connection: 'close' } }, resolve).once('error', () => resolve(undefined));
  });
}

/** Not all at once: a few hundred people do not begin in the same millisecond, and a listening queue has an end. */
async function each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const pending: Promise<void>[] = [];
  for (const item of items) {
    pending.push(run(item));
    if (pending.length % 20 === 0) await pause(20);
  }
  await Promise.all(pending);
}

const streams: Start<'streams'> = async ({ urls, slow }) => {
  const counts = { open: 0, refused: 0, ended: 0, bytes: 0 };
  const clients: { readonly continuity: Continuity; seen: number }[] = [];
  await each(urls, async (url) => {
    const answer = await ask(url);
    if (answer?.statusCode !== 200) {
      counts.refused++;
      answer?.destroy();
      return;
    }
    counts.open++;
    const client = { continuity: new Continuity(), seen: 0 };
    clients.push(client);
    const take = (chunk: Buffer) => {
      counts.bytes += chunk.length;
      client.seen += chunk.length;
      client.continuity.take(chunk);
    };
    answer
      .on('error', () => undefined)
      .once('close', () => {
        counts.open--;
        counts.ended++;
      });
    if (slow === undefined) answer.on('data', take);
    else
      setInterval(() => {
        const chunk = answer.read(slow) as Buffer | null;
        if (chunk !== null) take(chunk);
      }, 1000);
  });
  return () => {
    const sum = (count: 'packets' | 'gaps' | 'lost' | 'broken') =>
      clients.reduce((total, { continuity }) => total + continuity[count], 0);
    const silent = clients.filter(({ seen }) => seen === 0).length;
    const report = {
      ...counts,
      packets: sum('packets'),
      gaps: sum('gaps'),
      lost: sum('lost'),
      broken: sum('broken'),
      silent,
    };
    for (const client of clients) client.seen = 0;
    return report;
  };
};

const push: Start<'push'> = async ({ url, clients }) => {
  const counts = { open: 0, refused: 0, ended: 0, resets: 0 };
  const volumes: { clients: number; last: number }[] = [];
  await each(Array.from({ length: clients }), async () => {
    const answer = await ask(`${url}/api/events`);
    if (answer?.statusCode !== 200) {
      counts.refused++;
      answer?.destroy();
      return;
    }
    counts.open++;
    answer
      .on('error', () => undefined)
      .once('close', () => {
        counts.open--;
        counts.ended++;
      });
    let rest = '';
    let number = 0;
    answer.setEncoding('utf8').on('data', (text: string) => {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() as string;
      for (const frame of frames) {
        if (frame.includes('event: reset')) counts.resets++;
        if (!frame.includes('event: volume')) continue;
        const before = volumes[number]?.clients ?? 0;
        volumes[number++] = { clients: before + 1, last: Date.now() };
      }
    });
  });
  return () => ({ ...counts, volumes });
};

const apps: Start<'apps'> = async ({ url, clients, period, others }) => {
  let seen: { statusinfo: number[]; others: number[]; failures: string[] };
  const forget = () => {
    seen = { statusinfo: [], others: [], failures: [] };
  };
  forget();
  const timed = (agent: Agent, path: string, times: number[]) =>
    new Promise<void>((resolve) => {
      const begin = performance.now();
      const failed = (why: string) => {
        seen.failures.push(`${path}: ${why}`);
        resolve();
      };
      get(url + path, { agent }, (answer) => {
        if (answer.statusCode !== 200) seen.failures.push(`${path}: ${answer.statusCode}`);
        answer.resume().once('error', ({ message }) => failed(message));
        answer.once('end', () => {
          times.push(performance.now() - begin);
          resolve();
        });
      }).once('error', ({ message }) => failed(message));
    });
  const one = async (number: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await pause((number / clients) * period);
    for (let round = number; ; round++) {
      const next = performance.now() + period;
      await timed(agent, '/api/statusinfo', seen.statusinfo);
      await timed(agent, others[round % others.length] as string, seen.others);
      await pause(Math.max(0, next - performance.now()));
    }
  };
  for (let number = 0; number < clients; number++) void one(number);
  return () => {
    const report = seen;
    forget();
    return report;
  };
};

const idle: Start<'idle'> = async ({ url, clients }) => {
  const { hostname, port } = new URL(url);
  const counts = { answered: 0, open: 0 };
  const failures: string[] = [];
  await each(Array.from({ length: clients }), async () => {
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve) => {
      let answered = false;
      socket.once('connect', () => {
        counts.open++;
        socket.write(`GET /health/live HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
        socket.once('close', () => counts.open--);
      });
      socket.once('data', (head) => {
        answered = String(head).startsWith('HTTP/1.1 200');
        if (answered) counts.answered++;
        resolve();
      });
      socket.once('error', ({ message }) => failures.push(message));
      socket.once('close', () => {
        if (!answered) failures.push('closed without an answer');
        resolve();
      });
    });
    socket.on('data', () => undefined);
  });
  return () => ({ ...counts, failures });
};

const kinds: { readonly [Kind in Job['kind']]: Start<Kind> } = { streams, push, apps, idle };

let report: (() => object) | undefined;
process.on('message', async (message: Job | 'report') => {
  if (message === 'report') process.send?.(report?.());
  else {
    report = await kinds[message.kind](message as never);
    process.send?.('ready');
  }
});
process.once('disconnect', () => process.exit());
