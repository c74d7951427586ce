/** A fixture: the AutoTimer with a real guide, real service lists in a folder, and a clock that the test sets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { AutoTimer } from '../../src/autotimer/autotimer.ts';
import { buildRuleSpec, type Rule, type RuleSpec } from '../../src/autotimer/rule.ts';
import { RuleList } from '../../src/autotimer/rule-list.ts';
import { RulesFile } from '../../src/autotimer/rules-file.ts';
import { localTime } from '../../src/base/local-time.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { Guide } from '../../src/epg/guide.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { Services } from '../../src/services/services.ts';
import { TimerList } from '../../src/timers/timer-list.ts';
import { TimersFile } from '../../src/timers/timers-file.ts';
import { eitSections, type SentEvent } from '../fixtures/eit.ts';

/** Thu 01.01.2026 19:10 in Berlin. */
export const now = 1767291000;
export const hour = 3600;
export const day = 86_400;
/** Unix seconds of a local time in Berlin, `days` after 1 January 2026. Only for days in winter. */
export const at = (clock: string, days = 0) => Date.parse(`2026-01-01T${clock}:00+01:00`) / 1000 + days * day;

/** The triplet of service `n`. Each service is on a multiplex of its own. */
export const service = (n: number) => ({ originalNetworkId: 1, transportStreamId: n, serviceId: n });
export const reference = (n: number) =>
  `1:0:1:${n.toString(16).toUpperCase()}:${n.toString(16).toUpperCase()}:1:C00000:0:0:0:`;
export const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.second.tv" ORDER BY bouquet';

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;
const hex4 = (n: number) => n.toString(16).padStart(4, '0');
const numbers = [1, 2, 3, 4];

const open = new Set<World>();
afterEach(async () => {
  for (const world of open) await world.close();
  open.clear();
});

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'receiverd-autotimer-'));
  readonly clock = { time: now, synchronised: true, now: () => this.clock.time };
  readonly guide = new Guide({ clock: this.clock, history: 2 * hour });
  /** Numbers of the tuners. Each can receive every service. */
  tuners = [0, 1, 2, 3];
  readonly logged: string[] = [];
  readonly rulesFile = new RulesFile(join(this.folder, 'autotimers.json'));
  readonly timersFile = new TimersFile(join(this.folder, 'timers.xml'));
  timers!: TimerList;
  rules!: RuleList;
  autoTimer!: AutoTimer;

  static async open(): Promise<World> {
    const world = new World();
    open.add(world);
    mkdirSync(join(world.folder, 'movie'));
    const files = {
      lamedb: lines(
        'eDVB services /4/',
        'transponders',
        ...numbers.flatMap((n) => [`00c00000:${hex4(n)}:0001`, '\ts 11836000:27500000:0:3:192:2:0', '/']),
        'end',
        'services',
        ...numbers.flatMap((n) => [`${hex4(n)}:00c00000:${hex4(n)}:0001:1:0:0`, `Channel ${n}`, 'p:Demo']),
        'end',
      ),
      'bouquets.tv': lines('#NAME Bouquets', `#SERVICE ${bouquet}`),
      'bouquets.radio': lines('#NAME Radio'),
      'userbouquet.second.tv': lines('#NAME Second', `#SERVICE ${reference(3)}`, `#SERVICE ${reference(2)}`),
      settings: lines('config.recording.margin_before=2', 'config.recording.margin_after=4'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(world.folder, name), text);
    await world.restart();
    return world;
  }

  /** Starts all parts again from the stored files, like a restarted receiver. */
  async restart(): Promise<void> {
    await this.autoTimer?.stop();
    await this.timers?.flush();
    const { clock, guide, folder } = this;
    const zone = localTime('Europe/Berlin');
    const log = {
      info: (text: string) => void this.logged.push(text),
      warn: (text: string) => void this.logged.push(text),
      error: (error: unknown) => {
        throw error;
      },
    };
    this.timers = new TimerList(
      {
        file: this.timersFile,
        clock,
        zone,
        reception: ({ dvb }) => dvb && { multiplex: String(dvb.transportStreamId), tuners: this.tuners },
        log,
      },
      (await this.timersFile.read()).timers,
    );
    this.rules = new RuleList(this.rulesFile, await this.rulesFile.read());
    const locations = new RecordingFolders([join(folder, 'movie')]);
    this.autoTimer = new AutoTimer({
      rules: this.rules,
      timers: this.timers,
      guide,
      services: await Services.load(folder),
      recordings: new RecordingLibrary(locations, (bytes) => guide.eventOfFile(bytes)),
      settings: Settings.read(join(folder, 'settings')),
      locations,
      clock,
      zone,
      log,
    });
  }

  async close(): Promise<void> {
    await this.autoTimer.stop();
    await this.timers.flush();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sets the complete schedule of a service. */
  async broadcast(n: number, ...events: readonly SentEvent[]): Promise<void> {
    for (const section of eitSections(service(n), now, events)) this.guide.ingestSection(section);
    await this.guide.flush();
    this.guide.notifyChange();
  }

  rule(given: Partial<RuleSpec> & { match: string }): Promise<Rule> {
    return this.rules.add(buildRuleSpec(given));
  }

  /** The unfinished timers: title, and start of the event. By start. */
  get planned(): (readonly [title: string, start: number])[] {
    return this.timers.all
      .filter(({ state }) => state !== 'ended')
      .map(({ name, event, begin }) => [name, event?.start ?? begin] as const)
      .sort((a, b) => a[1] - b[1]);
  }
}

let id = 100;
/** A one-hour event with its own id. */
export const show = (title: string, start: number, more: Partial<SentEvent> = {}): SentEvent => ({
  id: ++id,
  start,
  duration: hour,
  title,
  ...more,
});
