/** The service scan at the start: when a multiplex counts as complete, and when the lists are written. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Listeners } from '../../src/base/listeners.ts';
import type { MultiplexInformation } from '../../src/dvb/multiplex.ts';
import type { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { ServiceScanner } from '../../src/scan/scanner.ts';
import { ServiceScan } from '../../src/scan/service-scan.ts';
import { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { cable, multiplex, satellite, service } from '../services/multiplexes.ts';

/** A tuner whose multiplex the test sets. */
class ScriptedTuner {
  #state: MultiplexInformation = { ...multiplex([]), generation: 0, complete: false };
  leases = 0;
  watchers = 0;
  readonly #changes = new Listeners<[]>();
  readonly #ends = new Listeners<[]>();
  readonly onEnded = this.#ends.add;

  onMultiplex(listener: () => void): () => void {
    this.watchers++;
    const remove = this.#changes.add(listener);
    return () => {
      this.watchers--;
      remove();
    };
  }

  end(): void {
    this.#ends.call();
  }

  multiplex(): MultiplexInformation {
    return this.#state;
  }

  set(picture: MultiplexInformation): void {
    this.#state = { ...picture, generation: this.#state.generation + 1 };
    this.#changes.call();
  }

  get pool(): TunerPool {
    const lease = () => {
      this.leases++;
      return { release: () => this.leases-- };
    };
    return { tuners: [{ name: 'Tuner A', tuner: this, lease }] } as unknown as TunerPool;
  }
}

const poolOf = (...tuners: readonly ScriptedTuner[]) =>
  ({ tuners: tuners.flatMap((one) => one.pool.tuners) }) as unknown as TunerPool;

const log = pino({ level: 'silent' });
const references = (services: Services) => services.allEntries().map(({ reference }) => reference.format());

describe('the scan at the start', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('merges a complete multiplex at once', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const done = new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    tuner.set({ ...multiplex([service(1, 'One')]), complete: false });
    tuner.set(multiplex([service(1, 'One'), service(2, 'Two')]));
    await done;
    expect(services.allEntries().map(({ name }) => name)).toEqual(['One', 'Two']);
    expect((await Services.load(services.folder)).size).toBe(2);
    expect([tuner.leases, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('starts in time slices, between which it can be stopped', async () => {
    const services = await Services.load(temporaryFolder());
    const tuners = Array.from({ length: 8 }, () => new ScriptedTuner());
    const scanner = new ServiceScanner({ pool: poolOf(...tuners), services, log });
    const leases = () => tuners.reduce((sum, one) => sum + one.leases, 0);
    await yieldsOf(async () => {
      const done = scanner.run('new');
      // A slice lasts until the next check: the second tuner has been leased as well.
      expect(leases()).toBe(2);
      await scanner.stop();
      await done;
    });
    expect([leases(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('lists a multiplex without NIT after a short time, and corrects its references when the NIT arrives', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const change = new Promise<void>((changed) => services.onChange(() => changed()));
    const done = new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    tuner.set(multiplex([service(1, 'One')], null));
    await vi.advanceTimersByTimeAsync(3000);
    await change;
    expect(references(services)).toEqual(['1:0:1:1:201:2114:EEEE0000:0:0:0:']);
    await until(() => expect(tuner.watchers).toBe(1));
    tuner.set(multiplex([service(1, 'One')], cable));
    await done;
    expect(references(await Services.load(services.folder))).toEqual(['1:0:1:1:201:2114:FFFF0000:0:0:0:']);
  });

  it('merges an incomplete multiplex when nothing more arrives, and ends with the tuner', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const done = new ServiceScanner({ pool: tuner.pool, services, log }).run('always');
    tuner.set({ ...multiplex([service(1, ''), service(2, 'Two')]), complete: false });
    tuner.end();
    await done;
    expect(services.allEntries().map(({ name }) => name)).toEqual(['Service 1', 'Two']);
  });

  it('merges an incomplete multiplex at once when the source has nothing more', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const done = new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    const bare = { ...multiplex([service(1, ''), service(2, '')], null), complete: false };
    tuner.set(bare);
    expect(services.size).toBe(0);
    tuner.set({ ...bare, exhausted: true });
    await done;
    expect(services.allEntries().map(({ name }) => name)).toEqual(['Service 1', 'Service 2']);
    expect([tuner.leases, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('notifies when all tuners have filled the lists, although names may follow', async () => {
    const [one, two] = [new ScriptedTuner(), new ScriptedTuner()];
    const services = await Services.load(temporaryFolder());
    const scanner = new ServiceScanner({ pool: poolOf(one, two), services, log });
    const sizes: number[] = [];
    const filled = new Promise<void>((resolve) =>
      scanner.onFilled(() => {
        sizes.push(services.size);
        resolve();
      }),
    );
    const done = scanner.run('new');
    const otherServices = [service(9, 'Nine', { transportStreamId: 9 })];
    one.set({ ...multiplex([service(1, 'One')]), otherServices });
    two.set(multiplex([service(2, 'Two', { transportStreamId: 2 })]));
    await filled;
    expect(sizes).toEqual([3]);
    expect(one.leases).toBe(1);
    one.end();
    await done;
    expect(one.leases).toBe(0);
  });

  it('stops at once and saves nothing more', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const scanner = new ServiceScanner({ pool: tuner.pool, services, log });
    const done = scanner.run('new');
    tuner.set({ ...multiplex([service(1, 'One')]), complete: false });
    await scanner.stop();
    await done;
    expect((await Services.load(services.folder)).size).toBe(0);
    expect([tuner.leases, tuner.watchers, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('settles even if new generations of the same state keep arriving', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    const done = new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    for (let second = 0; second < 12; second++) {
      tuner.set({ ...multiplex([service(1, 'One')], cable), complete: false });
      await vi.advanceTimersByTimeAsync(1000);
    }
    await done;
    expect(services.allEntries().map(({ name }) => name)).toEqual(['One']);
  });

  describe('that finds nothing', () => {
    const clock = { time: 1767291000, synchronised: true, now: () => clock.time };
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed++) {
        clock.time++;
        await vi.advanceTimersByTimeAsync(1000);
      }
    };
    /** Advances the clock. Returns the seconds from now at which scans started. */
    const begins = async (tuner: ScriptedTuner, seconds: number) => {
      const seen: number[] = [];
      let before = tuner.leases;
      for (let passed = 1; passed <= seconds; passed++) {
        await pass(1);
        if (tuner.leases > before) seen.push(passed);
        before = tuner.leases;
      }
      return seen;
    };

    it('is repeated after increasing pauses until there are services', async () => {
      const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
      const scanner = new ServiceScanner({ pool: tuner.pool, services, log });
      const found = scanner.runUntilFound('new', clock);
      expect(tuner.leases).toBe(1);
      // A scan without reception takes 15 seconds; the pause follows.
      expect(await begins(tuner, 15 + 15)).toEqual([30]);
      expect(await begins(tuner, 15 + 30)).toEqual([45]);
      expect(await begins(tuner, 15 + 60)).toEqual([75]);
      await pass(15);
      expect([tuner.leases, tuner.watchers, vi.getTimerCount()]).toEqual([0, 0, 1]);
      // Another user holds the tuner meanwhile.
      tuner.leases++;
      await pass(120);
      expect(tuner.leases).toBe(2);
      tuner.set(multiplex([service(1, 'One')]));
      await found;
      expect(services.allEntries().map(({ name }) => name)).toEqual(['One']);
      expect([tuner.leases, tuner.watchers, vi.getTimerCount()]).toEqual([1, 0, 0]);
    });

    it('is repeated for a tuner without services, even if another one has some', async () => {
      const [tuner, silent] = [new ScriptedTuner(), new ScriptedTuner()];
      const services = await Services.load(temporaryFolder());
      const scanner = new ServiceScanner({ pool: poolOf(tuner, silent), services, log });
      const found = scanner.runUntilFound('always', clock);
      tuner.set(multiplex([service(1, 'One')]));
      await until(() => expect(tuner.leases).toBe(0));
      await pass(16);
      expect([silent.leases, services.size]).toEqual([0, 1]);
      await pass(16);
      expect([tuner.leases, silent.leases]).toEqual([0, 1]);
      silent.set(multiplex([service(2, 'Two', { transportStreamId: 2 })]));
      await found;
      expect(services.allEntries().map(({ name }) => name)).toEqual(['One', 'Two']);
      expect([tuner.leases, silent.leases, vi.getTimerCount()]).toEqual([0, 0, 0]);
    });

    it('pauses at most a quarter of an hour, by the receiver’s clock', async () => {
      const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
      const scanner = new ServiceScanner({ pool: tuner.pool, services, log });
      void scanner.runUntilFound('always', clock);
      await pass(15 + 15 + 15 + 30 + 15 + 60 + 15 + 120 + 15 + 240 + 15 + 480 + 15);
      expect(await begins(tuner, 900 + 15 + 900)).toEqual([900, 900 + 15 + 900]);
      // A broadcast clock jumps, forward or back, when it first receives the time.
      for (const jump of [86_400, -400 * 86_400]) {
        await pass(20);
        expect(tuner.leases).toBe(0);
        clock.time += jump;
        expect(await begins(tuner, 60)).toHaveLength(1);
      }
      await scanner.stop();
      expect([tuner.leases, vi.getTimerCount()]).toEqual([0, 0]);
    });

    it('is not repeated once the list has services from elsewhere, after a stop, or under `never`', async () => {
      const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
      const found = new ServiceScanner({ pool: tuner.pool, services, log }).runUntilFound('new', clock);
      await pass(20);
      new ServiceScan(services).merge(multiplex([service(1, 'One')]), { settled: true });
      expect(await begins(tuner, 60)).toEqual([]);
      await found;
      const empty = await Services.load(temporaryFolder());
      const scanner = new ServiceScanner({ pool: tuner.pool, services: empty, log });
      const stopped = scanner.runUntilFound('new', clock);
      await pass(20);
      await scanner.stop();
      await stopped;
      await new ServiceScanner({ pool: tuner.pool, services: empty, log }).runUntilFound('never', clock);
      expect([tuner.leases, vi.getTimerCount()]).toEqual([0, 0]);
    });
  });

  it.each(['before', 'after'])(
    'lists a feed with the identifiers of a known multiplex that is received %s that one',
    async (order) => {
      const folder = temporaryFolder();
      const known = multiplex([service(1, 'One')], satellite);
      const feed = multiplex([service(1, 'Two')], { ...satellite, frequency: 11_538_000 });
      const first = await Services.load(folder);
      new ServiceScan(first).merge(known);
      await first.save();
      const services = await Services.load(folder);
      const [one, two] = [new ScriptedTuner(), new ScriptedTuner()];
      const done = new ServiceScanner({ pool: poolOf(one, two), services, log }).run('new');
      const arrivals = [() => one.set(known), () => two.set(feed)];
      for (const arrive of order === 'before' ? arrivals.reverse() : arrivals) {
        arrive();
        await vi.advanceTimersByTimeAsync(0);
      }
      await done;
      const names = (all: Services) => all.all().map(({ reference, name }) => [reference.format(), name]);
      const both = [
        ['1:0:1:1:201:2114:C00000:0:0:0:', 'One'],
        ['1:0:1:1:201:2114:C0AD12:0:0:0:', 'Two'],
      ];
      expect([names(services), names(await Services.load(folder))]).toEqual([both, both]);
    },
  );

  it('does not scan known multiplexes under the policy `new`', async () => {
    const [tuner, services] = [new ScriptedTuner(), await Services.load(temporaryFolder())];
    tuner.set(multiplex([service(1, 'One')]));
    await new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    tuner.set(multiplex([service(1, 'Other')]));
    await new ServiceScanner({ pool: tuner.pool, services, log }).run('new');
    expect(services.all()[0]?.name).toBe('One');
    await new ServiceScanner({ pool: tuner.pool, services, log }).run('always');
    expect(services.all()[0]?.name).toBe('Other');
    await new ServiceScanner({ pool: tuner.pool, services, log }).run('never');
  });
});
