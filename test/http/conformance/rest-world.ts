/** The world of the conformance suite on a socket, with timeshift on demand and endless clients. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import pino from 'pino';
import type { AutoTimer } from '../../../src/autotimer/autotimer.ts';
import type { Rule } from '../../../src/autotimer/rule.ts';
import { RuleList } from '../../../src/autotimer/rule-list.ts';
import { noRules, RulesFile } from '../../../src/autotimer/rules-file.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { localTime } from '../../../src/base/local-time.ts';
import { sendStream } from '../../../src/dvb/send-stream.ts';
import type { ReceiverParts } from '../../../src/http/parts/parts.ts';
import { LiveSegments } from '../../../src/timeshift/live-segments.ts';
import { until, untilTrue } from '../../fixtures/waits.ts';
import { demoTimeshifts } from '../../timeshift/demo-timeshifts.ts';
import { PatientAutoTimer } from '../receiver.ts';
import { openWorld, type World } from './world.ts';

export interface RestWorld extends World {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Replaces parts until the next reset. */
  readonly replace: (parts: Partial<ReceiverParts>) => void;
  /** Timeshift with some complete segments, started on first use. */
  readonly timeshifts: () => Promise<ReceiverParts['timeshifts']>;
  /** Live streams and segments. Every service is answered with the demo's first one. */
  readonly watching: () => Promise<Pick<ReceiverParts, 'streams' | 'liveSegments'>>;
  /** Starts a client of an endless response, until the next reset. */
  readonly follow: (path: string) => Promise<void>;
  /** Call before anything that may change the receiver: otherwise the next reset does nothing. */
  readonly touch: () => void;
}

/** An AutoTimer with these rules and no other parts. */
export function autoTimerWith({ folder, parts }: Pick<World, 'folder' | 'parts'>, rules: readonly Rule[]): AutoTimer {
  const list = new RuleList(new RulesFile(join(folder, 'autotimers.json')), { ...noRules, rules });
  return new PatientAutoTimer({
    ...parts,
    rules: list,
    zone: localTime('Europe/Berlin'),
    log: pino({ level: 'silent' }),
  });
}

export async function openRestWorld(): Promise<RestWorld> {
  const world = await openWorld();
  const { app, parts, folder } = world;
  const own = { ...parts };
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const kept = join(folder, 'kept');
  mkdirSync(kept);
  const demo = await demoTimeshifts(kept);
  const segments = new LiveSegments(
    {
      ...{ pool: demo.pool, network: demo.network, clock: systemClock, log: pino({ level: 'silent' }) },
      services: { playable: () => demo.references.slice(0, 1), listedStream: () => undefined, nameOf: () => 'One' },
      converter: parts.converter,
    },
    { folder: kept, size: 16, maximumServices: 4, queueBound: 32 << 20, dataDir: kept },
  );
  let isTouched = true;
  let followers = new AbortController();
  /** Referenced here, because unreferenced responses are garbage-collected and closed. */
  const followed: Response[] = [];
  /** Connects a client. Repeats the request, because clients that have just left may still be counted for a moment. */
  const enter = (path: string) =>
    until(async () => {
      const method = path === '/api/evil' ? 'POST' : 'GET';
      const response = await fetch(origin + path, { method, signal: followers.signal });
      if (response.status === 503) throw new Error(`${path} still refuses`);
      return response;
    });
  return Object.assign(world, {
    origin,
    replace: (others: Partial<ReceiverParts>) => void Object.assign(parts, others),
    async timeshifts() {
      const { timeshifts, watch } = demo;
      if (timeshifts.active === undefined) {
        watch(0);
        await timeshifts.start();
      }
      await untilTrue(() => timeshifts.active?.segments.length);
      return timeshifts;
    },
    async watching() {
      const [shown] = demo.references;
      const triplet = shown?.dvb;
      if (triplet === undefined) throw new Error('the demo has no services');
      const open = async () => {
        const lease = await demo.pool.tune(triplet, 'stream', 'test');
        const stream = lease.tuner.openStream(lease.serviceId);
        const leave = () => {
          stream.close();
          lease.release();
        };
        return { sendTo: (output: Writable) => sendStream(stream, output).finally(leave), leave };
      };
      return { streams: { ...own.streams, open }, liveSegments: segments };
    },
    async follow(path: string) {
      followed.push(await enter(path));
    },
    touch: () => {
      isTouched = true;
    },
    reset: resetting(world.reset),
    close: closing(world.close),
  });

  function resetting(reset: World['reset']): World['reset'] {
    return async () => {
      if (!isTouched) return;
      followers.abort();
      followers = new AbortController();
      const [one] = followed.splice(0);
      if (one) await (await enter(new URL(one.url).pathname)).body?.cancel();
      await parts.autoTimer.stop();
      const { recordingActions } = parts;
      for (const { id } of recordingActions.transfers) recordingActions.cancel(id);
      await untilTrue(() => recordingActions.transfers.length === 0);
      for (const name of ['timers.xml', 'autotimers.json', 'receiverd.yaml', 'movie/series/Other.ts'])
        rmSync(join(folder, name), { recursive: true, force: true });
      Object.assign(parts, own, { autoTimer: autoTimerWith(world, []) });
      for (const { id } of parts.device.messages.open) parts.device.messages.close(id);
      await demo.timeshifts.stopFollowing();
      // Services that are converted; ffmpeg would continue for half a minute: 26 s of processor time.
      if (segments.running > 1) await segments.stop();
      await reset();
      isTouched = false;
    };
  }

  function closing(close: World['close']): World['close'] {
    return async () => {
      followers.abort();
      await segments.stop();
      await demo.close();
      await close();
    };
  }
}
