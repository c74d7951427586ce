/** The grid of channels by time, with a guide of 1,300 channels by 14 days. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldOf, localTime } from '../fixtures/fixed-demo.ts';
import { eventually, waitTimeoutMs } from '../fixtures/waits.ts';
import { type LargeTelevision, openLargeTelevision } from './large-television.ts';
import { browser, screens } from './open-page.ts';

/** Bound for the number of elements on any screen. */
const maxElements = 1500;
const hour = 3600;

/** A timer in /api/timerlist. */
interface Listed {
  readonly serviceref: string;
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly eit: number;
}
/** Label of the button for a day. */
const evening = (later: number) => localTime(later, 20, 15);

/** The focused element. */
const focused = (page: Page) => page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? ""');

describe.skipIf(!browser)('the guide', () => {
  let television: LargeTelevision;

  beforeAll(async () => {
    television = await openLargeTelevision(1300);
  });
  afterAll(() => television?.close());

  const titleAt = (service: number, time: number) => television.guide.at(service, time)?.title ?? 'no event';
  const eventAt = (page: Page, service: number, time: number) =>
    page.getByRole('gridcell').getByRole('link', { name: new RegExp(`^${titleAt(service, time)}, `) });
  const elements = (page: Page) => page.evaluate<number>('document.querySelectorAll("*").length');

  it('shows the current events', async () => {
    const { page, checkScreens } = await television.open('#/guide');
    await checkScreens('guide', async () => {
      for (const service of [1, 2, 3, 4, 5]) await eventAt(page, service, television.now()).waitFor();
      await page.getByRole('rowheader', { name: /Channel 1$/ }).waitFor();
      await page.locator('[aria-current=date]').waitFor();
      expect(await elements(page)).toBeLessThan(maxElements);
    });
  });

  it('loads only the visible part, with few requests', async () => {
    const { page } = await television.open('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/eventlookup')) asked.push(request.url());
    });
    await page.goto(`${television.program.http}/#/guide?time=${evening(2)}`);
    await eventAt(page, 1, evening(2)).waitFor();
    expect(asked.length).toBeLessThanOrEqual(4);
    for (const url of asked) expect(new URL(url).searchParams.getAll('service_reference').length).toBeLessThan(100);
  });

  it('keeps few elements from the first to the last channel and day, and shows the right events', async () => {
    const { page, complaints } = await television.open('#/guide');
    const last = localTime(12, 12);
    await page.goto(`${television.program.http}/#/guide?time=${last}&row=1290`);
    for (const service of [1295, 1300]) await eventAt(page, service, last + 600).waitFor();
    expect(await elements(page)).toBeLessThan(maxElements);
    const grid = page.getByRole('grid');
    await grid.hover();
    await page.mouse.wheel(0, -40_000);
    await page.getByRole('rowheader', { name: /Channel 600$/ }).waitFor();
    await eventAt(page, 600, last + 600).waitFor();
    await page.mouse.wheel(-20_000, 0);
    await eventAt(page, 600, last + 600).waitFor({ state: 'detached' });
    expect(await elements(page)).toBeLessThan(maxElements);
    expect(complaints()).toEqual([]);
  });

  it('frees what it has shown', async () => {
    const { page } = await television.open('#/guide');
    await eventAt(page, 1, television.now()).waitFor();
    const client = await page.context().newCDPSession(page);
    const nodes = async () => {
      await client.send('HeapProfiler.collectGarbage');
      return (await client.send('Memory.getDOMCounters')).nodes;
    };
    const before = await nodes();
    await page.getByRole('grid').hover();
    for (const [right, down] of [
      [0, 1400],
      [600, 0],
      [0, -1400],
      [-600, 0],
    ] as const)
      for (let n = 0; n < 20; n++) {
        await page.mouse.wheel(right, down);
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      }
    await eventAt(page, 1, television.now()).waitFor();
    await expect.poll(nodes, { timeout: waitTimeoutMs }).toBeLessThan(2 * before);
  });

  it('jumps to a day, the evening, a date and the current time, and keeps the position in the address', async () => {
    const { page } = await television.open('#/guide');
    await eventAt(page, 1, television.now()).waitFor();
    const name = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' }).format(localTime(3) * 1000);
    await page.getByRole('navigation', { name: 'Days' }).getByRole('button', { name }).click();
    await page.getByRole('button', { name: /^Evening/ }).click();
    await eventAt(page, 1, evening(3)).waitFor();
    await page.waitForURL((url) => url.hash.includes(`time=${evening(3)}`));
    await page.reload();
    await eventAt(page, 1, evening(3)).waitFor();
    await page.getByLabel('Go to a day and time').fill(fieldOf(localTime(5, 9)));
    await page.waitForURL((url) => /time=\d+/.test(url.hash) && !url.hash.includes(`time=${evening(3)}`));
    await page.getByRole('button', { name: 'Now' }).click();
    await eventAt(page, 1, television.now()).waitFor();
    await page.waitForURL((url) => !url.hash.includes('time='));
  });

  it('works with the keyboard only', async () => {
    const time = evening(2);
    const { page, complaints } = await television.open(`#/guide?time=${time}`);
    await eventAt(page, 1, time + 600).waitFor();
    await eventAt(page, 1, time + 600).focus();
    const isAt = (service: number, at: number) =>
      eventually(async () => (await focused(page)).startsWith(`${titleAt(service, at)}, `) || undefined, `${service}`);
    const first = television.guide.at(1, time + 600);
    const next = (first?.start ?? 0) + (first?.duration ?? 0);
    await page.keyboard.press('ArrowRight');
    await isAt(1, next);
    await page.keyboard.press('ArrowDown');
    await isAt(2, next);
    await page.keyboard.press('ArrowUp');
    await isAt(1, next);
    await page.keyboard.press('Control+End');
    await isAt(1300, next);
    await page.keyboard.press('Control+Home');
    await isAt(1, next);
    await page.keyboard.press('PageDown');
    await eventually(async () => !(await focused(page)).startsWith(`${titleAt(1, next)}, `) || undefined, 'a page on');
    await page.keyboard.press('PageUp');
    await isAt(1, next);
    // Into the next day, whose events are not loaded yet.
    let at = next;
    while (at < next + 20 * hour) {
      const event = television.guide.at(1, at);
      at = (event?.start ?? at) + (event?.duration ?? hour);
      await page.keyboard.press('ArrowRight');
      await isAt(1, at);
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: titleAt(1, at) });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await isAt(1, at);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Channel 1' }).waitFor();
    await page.locator('main:focus').waitFor();
    await page.goBack();
    await page.locator('[data-row="0"] a[data-channel]:focus').waitFor();
    expect(complaints()).toEqual([]);
  });

  it('marks events that will be recorded', async () => {
    // A service of the demo, which its tuner can receive.
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.LastScanned.tv" ORDER BY bouquet';
    const query = new URLSearchParams({ bouquet, time: String(localTime(1, 12)) });
    const { page } = await television.open(`#/guide?${query}`);
    const event = page
      .getByRole('row')
      .filter({ hasText: 'Talblick 24' })
      .getByRole('gridcell')
      .getByRole('link')
      .nth(2);
    await event.click();
    const dialog = page.getByRole('dialog');
    // From the dialog, not from the cell, which moves while the guide fills. The dialog has its title once it has buttons.
    await dialog
      .getByRole('button', { name: /^Record / })
      .first()
      .waitFor();
    const title = (await dialog.getByRole('heading').first().textContent()) ?? '';
    await dialog.getByRole('button', { name: `Record ${title}`, exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel recording', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const marked = page.getByRole('link', { name: new RegExp(`^${title}, .*will be recorded$`) });
    await marked.waitFor();
    // Apps, and entries of bouquets, may have the name of the service in its reference.
    const { timers } = await television.program.json<{ timers: readonly Listed[] }>('/api/timerlist');
    const { serviceref: sRef = '', begin = 0, end = 0, eit = 0 } = timers.find(({ name }) => name === title) ?? {};
    const change = async (operation: string, values: Readonly<Record<string, string | number>>) => {
      const query = new URLSearchParams(
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
      );
      expect(await television.program.json(`/api/${operation}?${query}`)).toMatchObject({ result: true });
    };
    await change('timerdelete', { sRef, begin, end });
    await marked.waitFor({ state: 'detached' });
    await change('timeradd', { sRef: `${sRef}:Another name`, begin, end, eit, name: title });
    await marked.waitFor();
  });

  it('records an event by the button at its end, and cancels that by a key', async () => {
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.LastScanned.tv" ORDER BY bouquet';
    const query = new URLSearchParams({ bouquet, time: String(localTime(2, 12)) });
    const { page, check } = await television.open(`#/guide?${query}`);
    const cells = page.getByRole('row').filter({ hasText: 'Talblick 24' }).getByRole('gridcell');
    const event = cells.filter({ hasText: /:/ }).getByRole('link').nth(2);
    const title = (await event.locator('span').textContent()) ?? '';
    await event.hover();
    await page.getByRole('button', { name: `Record ${title}`, exact: true }).click();
    await page.getByRole('button', { name: `Cancel recording: ${title}`, exact: true }).waitFor();
    await check('guide with a record button');
    await page.getByRole('link', { name: new RegExp(`^${title}, .*will be recorded$`) }).press('r');
    await page.getByRole('button', { name: `Record ${title}`, exact: true }).waitFor();
    const { timers } = await television.program.json<{ timers: readonly Listed[] }>('/api/timerlist');
    expect(timers.filter(({ name }) => name === title)).toEqual([]);
  });

  it('marks the current event of each channel', async () => {
    const { page } = await television.open('#/guide');
    const marked = page.getByRole('gridcell').locator('a[aria-current="time"]');
    await eventually(async () => {
      const titles = await marked.locator('span').allTextContents();
      const wanted = titles.map((_, index) => titleAt(index + 1, television.now()));
      return (titles.length >= 5 && titles.join() === wanted.join()) || undefined;
    }, 'the marks');
  });

  it('keeps its parts above the foot of the page in a low window', async () => {
    const { page } = await television.open('#/guide');
    for (const width of [1000, 700]) {
      await page.setViewportSize({ width, height: 450 });
      await page.getByRole('gridcell').first().waitFor();
      const edges = await page.evaluate<readonly number[]>(
        `['.guide-grid', '.guide-genres', '.bottom'].flatMap((part) => {
          const { top, bottom } = document.querySelector(part).getBoundingClientRect();
          return [top, bottom];
        })`,
      );
      expect(edges, `${width} px`).toEqual(edges.toSorted((one, other) => one - other));
    }
  });

  it('shows another bouquet', async () => {
    const { page } = await television.open('#/guide');
    await page.getByRole('button', { name: /^Bouquet: / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Last Scanned' }).click();
    await page.getByRole('rowheader', { name: /Talblick 24/ }).waitFor();
    await page.reload();
    await page.getByRole('rowheader', { name: /Talblick 24/ }).waitFor();
  });

  it('highlights the chosen genres, and keeps them in the address', async () => {
    const { page, check } = await television.open('#/guide');
    const legend = page.getByRole('list', { name: 'Genres' });
    await legend.getByRole('button', { name: 'Sports' }).click();
    const colourOf = (genre: number) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('.guide-cell.genre-${genre}:not(.over)')).backgroundColor`,
      );
    for (const genre of [2, 4]) await page.locator(`.guide-cell.genre-${genre}:not(.over)`).first().waitFor();
    await check('guide of one genre');
    const [sports, others] = [await colourOf(4), await colourOf(2)];
    await page.emulateMedia({ forcedColors: 'active' });
    const textOf = (genre: number) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('.guide-cell.genre-${genre}:not(.over) a')).color`,
      );
    expect(await textOf(2)).not.toBe(await textOf(4));
    await page.emulateMedia({ forcedColors: null });
    await page.reload();
    await legend.getByRole('button', { name: 'Sports', pressed: true }).click();
    await legend.getByRole('button', { name: 'Sports', pressed: false }).waitFor();
    for (const genre of [2, 4]) await page.locator(`.guide-cell.genre-${genre}:not(.over)`).first().waitFor();
    expect(await colourOf(4)).toBe(sports);
    expect(await colourOf(2)).not.toBe(others);
  });

  it('has its title and the genres on a phone, these in one line that can be scrolled', async () => {
    const { page, check } = await television.open('#/guide', screens[2]);
    const genres = page.getByRole('list', { name: 'Genres' }).getByRole('button');
    await genres.last().waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.guide h1')).clipPath")).toBe('none');
    const tops = await genres.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await genres.last().click();
    await page.getByRole('gridcell').first().waitFor();
    await check('genres on a phone');
  });

  it('zooms, keeps the time at its left edge, and remembers that', async () => {
    const { page } = await television.open(`#/guide?time=${localTime(1, 12)}`);
    await page.getByRole('gridcell').first().waitFor();
    const widthOf = () =>
      page.evaluate<number>("parseFloat(document.querySelector('.guide-grid')?.style.getPropertyValue('--hour'))");
    const narrow = await widthOf();
    const out = page.getByRole('button', { name: 'Zoom out' });
    expect(await out.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(async () => (await widthOf()) > narrow * 1.3 || undefined, 'wider events');
    expect(new URLSearchParams(page.url().replace(/.*[?]/, '')).get('time')).toBe(String(localTime(1, 12)));
    await page.reload();
    await out.click();
    await eventually(async () => (await widthOf()) === narrow || undefined, 'narrow events');
  });
});
