/** The frame of all pages: the menu in all languages, the colours that the user chooses, and forced colours. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { browser, openTelevision, screens, type Television, violationsOf } from './open-page.ts';

describe.skipIf(!browser)('the frame', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it.each(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl'])('has all labels of the menu in one row in %s', async (locale) => {
    const { page } = await television.open('#/api', { ...screens[0], locale });
    await page.locator('.menu a[href="#/settings"]').waitFor();
    for (const width of [641, 720, 800, 1024, 1060, 1280, 1441]) {
      await page.setViewportSize({ width, height: 800 });
      const tops = await page
        .locator('.menu a')
        .evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().top)));
      expect(new Set(tops).size, `${width} px`).toBe(1);
    }
  });

  it.each(['fr', 'it', 'nl'])('cuts no label of the menu on a phone in %s', async (locale) => {
    const { page } = await television.open('#/api', { ...screens[2], locale });
    await page.locator('.menu-more').click();
    await page.locator('.menu.open').waitFor();
    const cut = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.menu, .menu a')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)",
    );
    expect(cut).toEqual([]);
  });

  it('keeps the menu of a phone open when a page changes its address', async () => {
    const { page } = await television.open('#/settings', screens[2]);
    const search = page.getByLabel('Search settings');
    await search.waitFor();
    await page.locator('.menu-more').click();
    await page.locator('.menu.open').waitFor();
    await search.fill('dark');
    await page.getByRole('region', { name: 'Appearance of this page' }).waitFor();
    // Effects follow a frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))');
    expect(await page.locator('.menu.open').count()).toBe(1);
    await page.locator('.menu').getByRole('link', { name: 'Settings' }).click();
    await page.locator('.menu:not(.open)').waitFor();
  });

  it('loads again what has changed before its event stream was open', async () => {
    const { page } = await television.open('about:blank');
    const add = () =>
      fetch(`${television.program.http}/bouquets`, {
        method: 'POST',
        body: new URLSearchParams({ name: 'Added meanwhile' }),
      });
    const opened = page.waitForRequest(/eventlookup.*flags=CX/);
    let isFirst = true;
    const { promise: isLoaded, resolve: loaded } = withResolvers();
    await page.route('**/api/events?*', async (route) => {
      await isLoaded;
      await route.continue();
    });
    await page.route(
      (url) => url.pathname === '/bouquets',
      async (route) => {
        const response = await route.fetch();
        if (isFirst) {
          isFirst = false;
          await add();
          loaded();
          await opened;
        }
        await route.fulfill({ response });
      },
    );
    await page.goto(`${television.program.http}/#/bouquets`);
    await page.getByRole('link', { name: 'Added meanwhile' }).waitFor();
  });

  it('keeps the toast above the footer when the page changes', async () => {
    const { page } = await television.open('');
    const record = page.getByRole('region', { name: 'Sport' }).getByRole('button', { name: /^Record / });
    await record.last().click();
    const toast = page.locator('.toast.shown');
    await toast.hover();
    await page.evaluate("location.hash = '#/guide'");
    await page.getByRole('gridcell').first().waitFor();
    await eventually(async () => {
      const [shown, foot] = [await toast.boundingBox(), await page.locator('.bottom').boundingBox()];
      return (shown && foot && shown.y + shown.height <= foot.y) || undefined;
    }, 'the toast is above the footer');
  });

  it('keeps the colours that the user chooses', async () => {
    const { page, checkScreens } = await television.open('#/api');
    const brightness = () =>
      page.evaluate<number>('Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0])');
    expect(await brightness()).toBeGreaterThan(200);
    const choice = page.getByRole('combobox', { name: 'Colours' });
    await choice.selectOption('Dark');
    expect(await brightness()).toBeLessThan(50);
    const bar = await page.evaluate(
      "[...document.querySelectorAll('meta[media]')].find(({ media }) => matchMedia(media).matches)?.content",
    );
    expect(bar).toBe('#0f1518');
    await page.reload();
    expect(await brightness()).toBeLessThan(50);
    expect(await choice.inputValue()).toBe('dark');
    await checkScreens('chosen dark', () => choice.waitFor());
    await choice.selectOption('As the system');
    expect(await brightness()).toBeGreaterThan(200);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await brightness()).toBeLessThan(50);
    await choice.selectOption('Light');
    expect(await brightness()).toBeGreaterThan(200);
  });

  it('can be read with forced colours', async () => {
    const { page } = await television.open('#/channels');
    const pages = {
      '': 'Home',
      channels: 'Channels',
      guide: 'Guide',
      'search?genre=film': 'Search',
      timers: 'Timers',
      recordings: 'Recordings',
      settings: 'Settings',
      'connect?app=vlc': 'Connect an app',
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme });
      for (const [path, name] of Object.entries(pages)) {
        await page.evaluate(`location.hash = '#/${path}'`);
        await page.getByRole('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
        expect(await violationsOf(page), path).toEqual([]);
      }
    }
  });

  it.each(['channels', 'connect', 'settings'])('shows what is selected on #/%s with forced colours', async (path) => {
    const { page } = await television.open(`#/${path}`);
    await page.emulateMedia({ forcedColors: 'active' });
    const selected = page.locator('.menu [aria-current], .sections [aria-current]');
    await selected.last().waitFor();
    const highlight = await page.evaluate<string>(
      "(document.body.style.cssText = 'forced-color-adjust: none; background: Highlight', getComputedStyle(document.body).backgroundColor)",
    );
    const shown = await page.evaluate(
      "[...document.querySelectorAll('.menu [aria-current], .sections [aria-current]')].map((one) => getComputedStyle(one).backgroundColor)",
    );
    expect([...new Set(shown as readonly string[])]).toEqual([highlight]);
  });
});
