/** The current event while present/following is received, and afterwards. */
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { GuideStore } from '../../src/epg/guide-store.ts';
import { eitSections, followingSection, presentSection } from '../fixtures/eit.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const service = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
const nine = Date.UTC(2026, 2, 10, 21) / 1000;
const ten = nine + 3600;
const gala = { id: 10, start: nine, duration: 3600, title: 'Gala Night' };
const weather = { id: 11, start: ten, duration: 1800, title: 'Weather' };
const film = { id: 12, start: ten + 1800, duration: 3600, title: 'Night Film' };
const present = presentSection(service, { ...gala, runningStatus: 4 });
const following = followingSection(service, weather);

let now: number;
let guide: Guide;
const newGuide = () => new Guide({ clock: { now: () => now, synchronised: true }, history: 0 });

async function receive(...sections: readonly Buffer[]): Promise<void> {
  for (const section of sections) guide.ingestSection(section);
  await guide.flush();
}

/** The titles of the current and the next event, then those of the list from now. */
async function shown(): Promise<string> {
  const [both] = await guide.nowNext([service]);
  const list = await guide.window([service], now);
  const slots = [both?.now, both?.next].map((event) => event?.title ?? 'nothing');
  return `${slots.join(', ')} | ${list.map(({ title }) => title).join(', ')}`;
}
const overruns = 'Gala Night, Weather | Gala Night, Weather, Night Film';
const asPlanned = 'Weather, Night Film | Weather, Night Film';

beforeEach(async () => {
  now = ten + 600;
  guide = newGuide();
  await receive(...eitSections(service, now, [gala, weather, film]), present, following);
});

it('is the present event for as long as it is received', async () => {
  expect(await shown()).toBe(overruns);
  for (; now < film.start + film.duration; now += 60) {
    await receive(present, following);
    expect(await guide.expire()).toBe(0);
    expect(await shown()).toBe(overruns);
  }
  const weatherNow = presentSection(service, { ...weather, runningStatus: 4 }, 1);
  await receive(weatherNow, followingSection(service, film, 1));
  expect(await shown()).toBe('Weather, Night Film | Weather, Night Film');
});

it('is nothing while the present section is empty', async () => {
  now = ten - 600;
  await receive(presentSection(service, undefined, 1));
  expect(await shown()).toBe('nothing, Weather | Weather, Night Film');
});

it('is that of the schedule after the multiplex was left', async () => {
  expect(await shown()).toBe(overruns);
  now += 120;
  expect(await shown()).toBe(asPlanned);
  // The multiplex is received again.
  await receive(present);
  expect(await shown()).toBe(overruns);
  // The same after it was left for longer, although the scheduled end of the show has passed.
  now += 120;
  expect(await guide.expire()).toBe(0);
  expect(await shown()).toBe(asPlanned);
  await receive(present);
  expect(await shown()).toBe(overruns);
  now += 4 * 3600;
  expect(await guide.expire()).toBe(2);
  expect(await shown()).toBe('nothing, nothing | ');
});

it('counts as received at the last update of the guide, not at the time of a query hours later', async () => {
  await guide.expire();
  now += 600;
  expect(await shown()).toBe(asPlanned);
});

it('is that of the schedule after a restart, until present/following is received again', async () => {
  const path = join(temporaryFolder(), 'guide.snapshot');
  await guide.save(path);
  guide = newGuide();
  expect(await guide.load(path)).toMatchObject({ events: 3 });
  expect(await shown()).toBe(asPlanned);
  await receive(present, following);
  expect(await shown()).toBe(overruns);
});

it('is the present event while the guide moves into its file', async () => {
  const path = join(temporaryFolder(), 'guide.snapshot');
  const store = new GuideStore({ guide, log: pino({ level: 'silent' }) }, { path, saveIntervalSeconds: 0 });
  expect(await guide.moveInto(path, await store.save())).toBe(true);
  expect(await shown()).toBe(overruns);
  await store.stop();
});

it('hides no event of the schedule after the start of the following event, whatever its duration', async () => {
  now = ten - 600;
  await receive(presentSection(service, { ...gala, runningStatus: 4, duration: 24 * 3600 }, 1));
  expect(await shown()).toBe('Gala Night, Weather | Gala Night, Weather, Night Film');
  expect((await guide.search({ text: 'Film' })).events.map(({ title }) => title)).toEqual(['Night Film']);
});

it('hides no event that begins after a following event of a whole day, if the schedule is more detailed', async () => {
  now = ten - 600;
  const day = { id: 20, start: ten, duration: 24 * 3600, title: 'Programmes' };
  const late = { id: 13, start: ten + 5400, duration: 3600, title: 'Late News' };
  await receive(followingSection(service, day, 1));
  // One event is no more detailed than the placeholder.
  expect(await shown()).toBe('Gala Night, Programmes | Gala Night, Programmes');
  guide = newGuide();
  await receive(...eitSections(service, now, [gala, weather, film, late]), present, followingSection(service, day, 1));
  expect(await shown()).toBe('Gala Night, Programmes | Gala Night, Programmes, Night Film, Late News');
  // Many hours are still a show, which has replaced what was planned.
  await receive(followingSection(service, { ...day, duration: 12 * 3600 }, 2));
  expect(await shown()).toBe('Gala Night, Programmes | Gala Night, Programmes');
});
