/** A guide of a week ahead over a month: memory does not grow, and the index holds only current events. */
import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Guide } from '../../src/epg/guide.ts';
import { eitSections, type SentEvent } from '../fixtures/eit.ts';

const day = 86_400;
const hour = 3600;
const start = 1_767_225_600; // 2026-01-01 00:00 UTC
const servicesSent = 25;
const daysAhead = 7;

const services = Array.from({ length: servicesSent }, (_, number) => ({
  originalNetworkId: 1,
  transportStreamId: 1,
  serviceId: number + 1,
}));

const words = [
  'harbour',
  'Straße',
  'Новости',
  'detective',
  'café',
  'kitchen',
  'ocean',
  'Berlin',
  'winter',
  'the',
  'of',
];

/** Unique words derived from a number. */
function text(number: number, count: number): string {
  const chosen = Array.from({ length: count }, (_, at) => words[(number * (at + 3) + (number >> at)) % words.length]);
  return `${chosen.join(' ')} ${number}`;
}

function eventsOf(service: number, onDay: number): SentEvent[] {
  return Array.from({ length: 24 }, (_, at) => {
    const number = (onDay * 24 + at) * servicesSent + service;
    return {
      id: (onDay * 24 + at) & 0xffff,
      start: start + onDay * day + at * hour,
      duration: hour,
      title: `Programme of day${onDay} ${text(number % 400, 2)}`,
      extendedText: text(number, 20),
      genre: 0x10 + (number % 8),
    };
  });
}

test('a rolling guide does not grow, and finds exactly the events it has', async () => {
  let now = start;
  const clock: Clock = { now: () => now, synchronised: true };
  const guide = new Guide({ clock, history: 0 });
  const { memoryBytes: empty } = await guide.statistics();
  const memory: number[] = [];
  for (let today = 0; today < 30; today++) {
    for (const [index, service] of services.entries()) {
      const events = Array.from({ length: daysAhead }, (_, ahead) => eventsOf(index, today + ahead)).flat();
      for (const section of eitSections(service, now, events)) guide.ingestSection(section);
      await guide.flush();
    }
    expect((await guide.statistics()).events).toBe(servicesSent * 24 * daysAhead);
    expect((await guide.search({ text: `day${today + daysAhead - 1} ` })).total).toBe(servicesSent * 24);
    // Texts of the day added last, and of the day removed.
    expect((await guide.search({ text: 'harbour', within: 'all' })).total).toBeGreaterThan(0);
    if (today > 0) expect((await guide.search({ text: `day${today - 1} ` })).total).toBe(0);
    memory.push((await guide.statistics()).memoryBytes);
    for (let at = 0; at < 4; at++) {
      now += day / 4;
      await guide.expire();
    }
  }
  const settled = Math.max(...memory.slice(5, 10));
  expect(Math.max(...memory.slice(20))).toBeLessThan(settled * 1.1);
  now += 30 * day;
  await guide.expire();
  expect(await guide.statistics()).toMatchObject({ events: 0, texts: 0, services: 0 });
  expect((await guide.statistics()).memoryBytes).toBeLessThan(empty * 1.05);
});
