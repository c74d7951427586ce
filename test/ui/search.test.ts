/** Search of a guide of 100 channels by 14 days. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { localTime } from '../fixtures/fixed-demo.ts';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { type LargeTelevision, openLargeTelevision } from './large-television.ts';
import { browser } from './open-page.ts';

describe.skipIf(!browser)('the search', () => {
  let television: LargeTelevision;

  beforeAll(async () => {
    television = await openLargeTelevision(100);
  });
  afterAll(() => television?.close());

  /** The number of events in the API's response. */
  const countOf = async (parameters: Readonly<Record<string, string | number>>) => {
    const asked = Object.entries({
      what: 'harbour',
      querytype: 'title+short',
      max_rows: 1,
      ...parameters,
    });
    const query = new URLSearchParams(Object.fromEntries(asked.map(([name, value]) => [name, String(value)])));
    const response = await television.program.get(`/api/eventsearch?${query}`);
    return Number(response.headers.get('x-total-count'));
  };
  let testStart = 0;
  beforeEach(() => {
    testStart = television.now();
  });
  /**
   * Waits until the page shows the number of events from the time of its request on. That is between the start of the test
   * and now; the page does not count again when an event ends.
   */
  const isCounted = (page: Page, count: (begin: number) => Promise<number>) =>
    eventually(async () => {
      const shown = (await page.getByRole('status').first().textContent()) ?? '';
      const number = Number(/^([\d,]+) events$/.exec(shown)?.[1]?.replaceAll(',', ''));
      const [most, least] = [await count(testStart), await count(television.now())];
      return (number >= least && number <= most) || undefined;
    }, 'the number of events');
  const type = (page: Page, text: string) =>
    page.getByRole('combobox', { name: 'Search the guide' }).pressSequentially(text);

  it('searches while the user types, with filters', async () => {
    const { page, checkScreens } = await television.open('');
    await type(page, 'harbour');
    await isCounted(page, (begin) => countOf({ begin }));
    await page.getByLabel('Genre').selectOption('Sports');
    await isCounted(page, (begin) => countOf({ genre: 4, begin }));
    await page.getByLabel('Time of day').selectOption('Evening (18–22)');
    await isCounted(page, (begin) => countOf({ genre: 4, from_minute: 1080, until_minute: 1320, begin }));
    await page.getByLabel('Day', { exact: true }).selectOption('Tomorrow');
    // After midnight, the next day is today.
    const day = await page.getByLabel('Day', { exact: true }).inputValue();
    const midnight = new Date(`${day}T00:00`).getTime() / 1000;
    const countOfDay = (begin: number) => {
      const span = { begin: Math.max(midnight, begin), end: localTime(1, 0, 0, midnight) };
      return countOf({ genre: 4, from_minute: 1080, until_minute: 1320, ...span });
    };
    await isCounted(page, countOfDay);
    await page
      .locator('.programmes')
      .getByText(/Tomorrow|Today/)
      .first()
      .waitFor();
    await checkScreens('search with filters');
    await page.reload();
    await isCounted(page, countOfDay);
  });

  it('suggests titles for the latest text, whichever response comes last', async () => {
    const { page } = await television.open('#/channels');
    const titles = page.locator('#titles option');
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/api/eventsuggest?*', async (route) => {
      if (!/what=ha(&|$)/.test(route.request().url())) return route.continue();
      await released;
      await route.fulfill({ json: { titles: [{ title: 'Hats' }], result: true } });
    });
    const late = page.waitForResponse(/what=ha(&|$)/);
    await type(page, 'harb');
    await titles.first().waitFor({ state: 'attached' });
    release();
    await (await late).finished();
    // The page has its response before this one.
    await page.evaluate("fetch('/api/currenttime').then((response) => response.text())");
    expect(await titles.count()).toBeGreaterThan(1);
  });

  it('searches descriptions and the channels of a bouquet', async () => {
    const { page, check } = await television.open('#/search?text=to+say+of+harbour');
    await page.getByText('Nothing found').waitFor();
    await page.getByLabel('Search descriptions too').check();
    await page
      .getByRole('link', { name: /Harbour/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Channels: All channels' }).click();
    await check('channels of a search');
    await page.getByLabel('Filter bouquets').fill('last');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Channels: Last Scanned' }).waitFor();
    await page.getByText('Nothing found').waitFor();
    // It is not the bouquet of the other pages.
    expect(await page.evaluate<string | null>("localStorage.getItem('bouquets')")).toBe(null);
    await page.getByRole('button', { name: 'Channels: Last Scanned' }).click();
    await page.getByRole('button', { name: 'All channels', exact: true }).click();
    await page
      .getByRole('link', { name: /Harbour/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Channels: All channels' }).click();
    await page.getByRole('button', { name: 'Last Scanned', exact: true }).click();
    await page.getByRole('link', { name: 'Remove filters' }).click();
    await page.getByRole('link', { name: 'Remove filters' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Channels: All channels' }).waitFor();
  });

  it('finds what is to come by the clock of the receiver, however wrong that of the browser is', async () => {
    const { page } = await television.open('about:blank');
    // Its event stream opens later, and has no events: those of the guide would make the page search again.
    await page.addInitScript(`const { fetch } = globalThis;
      const { now } = Date;
      Date.now = () => now() + 3e10;
      const opened = new Promise((open) => { globalThis.open = open; });
      const heartbeats = { start: (stream) => setInterval(() => stream.enqueue(new Uint8Array([58, 10, 10])), 500) };
      const headers = { 'content-type': 'text/event-stream' };
      globalThis.fetch = async (address, options) => {
        if (!String(address).includes('/api/events?')) return fetch(address, options);
        await opened;
        return new Response(new ReadableStream(heartbeats), { headers });
      }`);
    const tell = withResolvers();
    await page.route(/eventlookup.*flags=CX/, async (route) => {
      await tell.promise;
      await route.continue();
    });
    await page.goto(`${television.program.http}/#/search?text=harbour`);
    await page.getByText('Nothing found').waitFor();
    const again = page.waitForResponse(/eventsearch.*title-starts/);
    await page.evaluate('open()');
    await (await again).finished();
    tell.resolve();
    await page
      .getByRole('status')
      .filter({ hasText: /^[1-9][\d,]* events$/ })
      .waitFor();
  });

  it('says that no event matches the filters of a search without words', async () => {
    const { page } = await television.open('#/search?when=2001-01-01');
    await page.getByText('No event in the guide matches these filters.').waitFor();
  });

  it('offers what to browse once its field is clicked', async () => {
    const { page } = await television.open('#/channels');
    await page.getByRole('combobox', { name: 'Search the guide' }).click();
    await page.getByRole('link', { name: 'Sports', exact: true }).waitFor();
  });

  it('browses without a text, from an address or by filters', async () => {
    const { page, checkScreens } = await television.open('#/search');
    await page.getByText('Nothing found').waitFor({ state: 'detached' });
    await checkScreens('topics', () => page.getByRole('link', { name: 'Sports', exact: true }).waitFor());
    await page.getByRole('link', { name: 'Sports', exact: true }).click();
    await isCounted(page, (begin) => countOf({ what: '', genre: 4, begin }));
    await page.getByLabel('Genre').selectOption('Any genre');
    await page.getByRole('link', { name: 'Sports', exact: true }).waitFor();
    await page.goto(`${television.program.http}/#/search?genre=sports&when=tonight`);
    await page.getByRole('status').filter({ hasText: /event/ }).waitFor();
    expect(await page.getByLabel('Day', { exact: true }).inputValue()).toBe('tonight');
    const starts = await page
      .locator('.event time')
      .evaluateAll((all) => all.map((one) => Date.parse(one.getAttribute('datetime') ?? '')));
    expect(starts.length).toBeGreaterThan(0);
    for (const start of starts)
      expect(new Date(start).getHours() * 60 + new Date(start).getMinutes()).toBeGreaterThanOrEqual(1195);
  });

  it('loads more events when the user scrolls', async () => {
    const { page } = await television.open('#/search?genre=sports');
    const lines = page.locator('.day').getByRole('listitem').getByRole('link');
    await eventually(async () => (await lines.count()) === 200 || undefined, 'the first events');
    await lines.last().scrollIntoViewIfNeeded();
    await eventually(async () => (await lines.count()) > 200 || undefined, 'further events');
  });

  it('saves a search, and lists recent ones', async () => {
    const { page, check } = await television.open('#/search?text=harbour&genre=4');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByLabel('Name').fill('Sports at sea');
    await check('save search');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(
      async () => (await page.evaluate<string | null>("localStorage.getItem('latest-searches')")) ?? undefined,
      'the search is one of the latest',
    );
    await page.getByRole('combobox', { name: 'Search the guide' }).fill('');
    await page.getByLabel('Genre').selectOption('Any genre');
    await page.getByRole('link', { name: 'Sports at sea' }).waitFor();
    await page.getByRole('link', { name: 'harbour', exact: true }).waitFor();
    await check('saved searches');
    await page.reload();
    await page.getByRole('link', { name: 'Sports at sea' }).click();
    await isCounted(page, (begin) => countOf({ genre: 4, begin }));
    await page.goBack();
    await page.getByRole('button', { name: 'Remove Sports at sea' }).click();
    await page.getByRole('button', { name: 'Clear recent searches' }).click();
    await page.getByRole('link', { name: 'Sports', exact: true }).waitFor();
    expect(await page.evaluate<string | null>("localStorage.getItem('searches')")).toBe('[]');
  });

  it('keeps the chosen bouquet between the pages and after a reload', async () => {
    const { page, check } = await television.open('#/channels');
    await page.getByRole('button', { name: /^Bouquet: / }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox').fill('last');
    await check('bouquets');
    await dialog.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    await dialog.getByRole('searchbox').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const chosen = page.getByRole('button', { name: 'Bouquet: Last Scanned' });
    await chosen.waitFor();
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.getByRole('grid').waitFor();
    await chosen.waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('heading', { name: 'On now' }).waitFor();
    await page.reload();
    await chosen.waitFor();
  });
});
