/** A timer list and scheduler with a fake clock, guide, tuners and recorder, which record the calls they receive. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { ReceiverError } from '../../src/base/errors.ts';
import { Listeners } from '../../src/base/listeners.ts';
import { LocalTime } from '../../src/base/local-time.ts';
import type { GuideEvent } from '../../src/epg/event.ts';
import type { RecordingSpec } from '../../src/recordings/files/recording-spec.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import type { TimedRecording } from '../../src/timers/running-timers.ts';
import { TimerScheduler } from '../../src/timers/scheduler.ts';
import { StoredTimers } from '../../src/timers/stored-timers.ts';
import { type TimerSpec, timerSpec } from '../../src/timers/timer.ts';
import { TimerList } from '../../src/timers/timer-list.ts';
import { TimersFile } from '../../src/timers/timers-file.ts';

/** Thu 01.01.2026 19:10 in Berlin. */
export const now = 1767291000;
export const minute = 60;
export const hour = 3600;
export const day = 86_400;
export const berlin = new LocalTime('Europe/Berlin');

/** A service with this id, on the multiplex of the given number. */
export const service = (id: number, multiplex = 1) =>
  ServiceReference.parse(`1:0:1:${id.toString(16)}:${multiplex.toString(16)}:1:C00000:0:0:0:`);

export function spec(given: Partial<TimerSpec> = {}): TimerSpec {
  const begin = given.begin ?? now + hour;
  return timerSpec({ reference: service(1), begin, end: begin + hour, name: 'News', ...given });
}

export function event(given: Partial<GuideEvent> = {}): GuideEvent {
  return {
    service: { originalNetworkId: 1, transportStreamId: 1, serviceId: 1 },
    id: 100,
    start: now + hour,
    duration: hour,
    title: 'News',
    shortText: '',
    extendedText: '',
    language: 'eng',
    genres: [],
    parental: [],
    runningStatus: 0,
    freeCa: true,
    components: [],
    crids: [],
    ...given,
  };
}

/** The worlds to be closed after the test. */
const open = new Set<World>();
afterEach(async () => {
  for (const world of open) await world.close();
  open.clear();
});

export class World {
  readonly clock = { time: now, synchronised: true, now: () => this.clock.time };
  readonly folder = mkdtempSync(join(tmpdir(), 'receiverd-timers-'));
  readonly path = join(this.folder, 'timers.xml');
  readonly file = new StoredTimers(new TimersFile(this.path), new TimersFile(join(this.folder, 'instant-timers.xml')));
  /** Number of tuners; each receives everything. */
  tuners = [0];
  events: GuideEvent[] = [];
  /** Searches of the whole guide. */
  searches = 0;
  readonly guideListeners = new Listeners<[]>();
  /** When recordings of an earlier run were last written to, by path without `.ts`. */
  readonly left = new Map<string, number>();
  lastWrittenAt = async (path: string): Promise<number | undefined> => this.left.get(path);
  /** Tuning waits for this. */
  tuning: Promise<void> | undefined;
  /** What the scheduler did, in order. */
  readonly seen: string[] = [];
  readonly recordingSpecs: RecordingSpec[] = [];
  /** Number of recordings named so far. */
  #names = 0;
  readonly active = new Set<TimedRecording>();
  /** Errors with which starting a recording and tuning fail. */
  refusal: ReceiverError | undefined;
  noTuner: ReceiverError | undefined;
  /** Number of tuners held. */
  held = 0;
  /** Number of calls of `timeKnown`. */
  timesKnown = 0;
  /** Messages at level info. */
  readonly logged: string[] = [];
  power = {
    standby: false,
    change: async (to: string) => {
      this.seen.push(to);
      this.power.standby = to === 'standby';
    },
    shutDownWhenIdle: async () => {
      this.seen.push('shut down');
      return 'somebody watches';
    },
    cancelShutdown: () => this.seen.push('stay on'),
  };
  list!: TimerList;
  scheduler!: TimerScheduler;

  static async open(): Promise<World> {
    const world = new World();
    open.add(world);
    await world.restart();
    return world;
  }

  async close(): Promise<void> {
    await this.scheduler.stop();
    await this.list.flush();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Reads the list from the disk, and creates a scheduler, which is not started. */
  async restart(): Promise<void> {
    const log = {
      info: (text: string) => void this.logged.push(text),
      warn: () => undefined,
      error: (error: unknown) => {
        if (error instanceof Error && !('code' in error)) throw error;
      },
    };
    const { clock, file } = this;
    this.active.clear();
    const { timers } = await file.read();
    this.list = new TimerList(
      {
        file,
        clock,
        zone: berlin,
        reception: ({ dvb }) => dvb && { multiplex: String(dvb.transportStreamId), tuners: this.tuners },
        log,
      },
      timers,
    );
    this.scheduler = new TimerScheduler({
      list: this.list,
      clock,
      zone: berlin,
      guide: {
        byId: async (key, id) => this.#of(key).find((one) => one.id === id) ?? null,
        at: async (key, time) =>
          this.#of(key).find(({ start, duration }) => start <= time && time < start + duration) ?? null,
        window: async ([key], from, until = Number.POSITIVE_INFINITY) =>
          key ? this.#of(key).filter(({ start, duration }) => start + duration > from && start < until) : [],
        search: async ({ crid }) => {
          this.searches++;
          const events = this.events.filter(({ crids }) => crids.some((one) => one.crid === crid?.crid));
          return { events, total: events.length };
        },
        onChange: (listener) => this.guideListeners.add(listener),
      },
      guideKey: ({ dvb }) => dvb,
      referenceOf: ({ serviceId, transportStreamId }) => service(serviceId, transportStreamId),
      nameOf: ({ serviceId }) => `Service ${serviceId}`,
      recorder: {
        active: this.active,
        start: (spec) => this.#record(spec),
        lastWrittenAt: (path) => this.lastWrittenAt(path),
      },
      tune: async (_, user) => {
        await this.tuning;
        if (this.noTuner) throw this.noTuner;
        this.seen.push(`tune ${user}`);
        this.held++;
        return { release: () => void this.held-- };
      },
      zap: async (reference) => void this.seen.push(`zap ${reference.serviceId}`),
      power: this.power,
      folder: async (named = '/media/hdd/movie/') => named,
      keepDays: () => 7,
      timeKnown: () => void this.timesKnown++,
      log,
    });
  }

  #of({ serviceId }: { readonly serviceId: number }): GuideEvent[] {
    return this.events.filter((event) => event.service.serviceId === serviceId).sort((a, b) => a.start - b.start);
  }

  async #record({ onNamed, ...spec }: RecordingSpec): Promise<TimedRecording> {
    const name = `${spec.folder}${spec.title}_${++this.#names}`;
    await onNamed?.(name);
    if (this.refusal) throw this.refusal;
    this.recordingSpecs.push(spec);
    const path = `${name}.ts`;
    this.seen.push(`record ${spec.title}`);
    const recording: TimedRecording = {
      path,
      stop: async () => {
        this.active.delete(recording);
        this.seen.push(`stop ${spec.title}`);
      },
    };
    this.active.add(recording);
    return recording;
  }

  /** Waits until all actions that are due now are done. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await this.scheduler.check();
      await this.scheduler.idle();
    }
  }

  /** Advances the clock from one due time to the next, with a check at each. */
  async goTo(time: number): Promise<void> {
    while (this.clock.time < time) {
      const next = this.list.all
        .filter(({ disabled, state }) => !disabled && state !== 'ended')
        .flatMap(({ begin, end, nextTry }) => [begin - 20, begin, end, nextTry ?? 0])
        .filter((due) => due > this.clock.time);
      this.clock.time = Math.min(time, ...next);
      await this.settle();
    }
  }

  /** Changes the guide. */
  async broadcast(...events: GuideEvent[]): Promise<void> {
    this.events = events;
    this.guideListeners.call();
  }
}
