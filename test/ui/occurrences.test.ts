/** The occurrences of a repeating timer in the week view. */
import { afterEach, describe, expect, it, vi } from 'vitest';

interface Module {
  occurrences(timer: object, begin: number, end: number): readonly { readonly start: number; readonly end: number }[];
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/timers/occurrences.ts', import.meta.url);
const { occurrences } = (await import(href)) as Module;

describe('a repeating timer', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['Europe/Berlin', '2026-03-27'],
    ['America/New_York', '2026-10-30'],
    ['UTC', '2026-01-14'],
  ])('keeps its local time in %s in the week from %s', (zone, day) => {
    vi.stubEnv('TZ', zone);
    const start = new Date(`${day}T20:15`).getTime() / 1000;
    const timer = { start_time: start, end_time: start + 3600, duration: 3600, repeat_mask: 127 };
    const spans = occurrences(timer, start - 3600, start + 6.5 * 86_400);
    expect(spans.map((span) => new Date(span.start * 1000).toTimeString().slice(0, 5))).toEqual(Array(7).fill('20:15'));
    expect(spans.every((span) => span.end - span.start === 3600)).toBe(true);
  });
});
