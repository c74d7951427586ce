/** The first page: shelves of what is on, and of what comes. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { haveFfmpeg } from '../dvb/captures.ts';
import { eventually } from '../fixtures/waits.ts';
import { aldermoorOne, browser, openTelevision, screens, type Television } from './open-page.ts';

describe.skipIf(!browser)('the first page', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it('shows what is on and what comes, on few requests', async () => {
    const { page, checkScreens } = await television.open('#/nothing');
    // What the guide's first events make the page load again counts once.
    const requests = new Set<string>();
    page.on('request', (request) => requests.add(request.url().replace(/^[^/]*\/\/[^/]*|(begin|end)=\d+&?/g, '')));
    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click();
    for (const name of ['On now', 'Films', 'Sport', 'Series', 'Children'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('heading', { name: /^(Tonight|Tomorrow evening)$/ }).waitFor();
    await page.getByRole('link', { name: /^Watch .*Aldermoor One/ }).waitFor();
    // What is on comes with the last request.
    const record = page.getByRole('region', { name: 'On now' }).getByRole('button', { name: /^Record / });
    await record.first().waitFor();
    // Without those of the frame, and of the page before.
    const ofPage = /^\/(recordings|api\/(getservices|eventsearch|timerlist|settings)|api\/eventlookup\?.*querytype=0)/;
    expect([...requests].filter((path) => ofPage.test(path))).toHaveLength(12);
    await checkScreens('home', () => page.getByRole('heading', { name: 'Children' }).waitFor());
  });

  it('is requested before what the frame shows, since browsers open few connections', async () => {
    const { page } = await television.open('#/nothing');
    // The requests of this page may still be coming.
    await page.goto('about:blank');
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.goto(`${television.program.http}/?first#/`);
    const about = '/api/about';
    await eventually(async () => paths.includes(about) || undefined, 'the frame is requested');
    const lists = paths.filter((path) => ['/api/getservices', '/recordings', about].includes(path));
    // What came before the event stream was open would be requested again.
    expect(paths.indexOf('/api/events')).toBeLessThan(paths.indexOf('/api/getservices'));
    expect(lists.slice(0, 3)).toEqual(['/api/getservices', '/api/getservices', '/recordings']);
  });

  it.skipIf(!haveFfmpeg)('shows a still of what a tuner receives, and asks only for cards in view', async () => {
    // Otherwise the tuner is switched off once it has gathered the guide.
    const watching = new AbortController();
    onTestFinished(() => watching.abort());
    const stream = await fetch(`${television.program.stream}/${aldermoorOne}`, { signal: watching.signal });
    void stream.body?.pipeTo(new WritableStream()).catch(() => undefined);
    const { page, complaints } = await television.open('', { ...screens[0], width: 700 });
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/picture/live') && asked.push(request.url()));
    await page.reload();
    const cards = page.getByRole('region', { name: 'On now' }).getByRole('listitem');
    const still = cards.first().locator('img[src*="/picture/live"]');
    await still.waitFor();
    await eventually(
      () => still.evaluate((one: { readonly naturalWidth: number }) => one.naturalWidth === 480 || undefined),
      'it has loaded',
    );
    const last = (await cards.last().getByRole('link').getAttribute('href')) ?? '';
    const reference = new URLSearchParams(last.replace(/^[^?]*/, '')).get('service') ?? 'none';
    expect(asked.some((url) => new URL(url).searchParams.get('service_reference') === reference)).toBe(false);
    expect(complaints()).toEqual([]);
  });

  it('asks less and less often for a still that is not ready', async () => {
    const { page } = await television.open('#/nothing');
    // The event stream never opens: each event of the tuner would request the stills again.
    await page.route(
      (url) => url.pathname === '/api/events',
      () => undefined,
    );
    await page.reload();
    const asked: URLSearchParams[] = [];
    await page.route('**/picture/live?*', (route) => {
      asked.push(new URL(route.request().url()).searchParams);
      return route.fulfill({ status: 202 });
    });
    await page.clock.install({ time: television.now() * 1000 });
    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('link', { name: /^Watch .*Aldermoor One/ }).waitFor();
    const times = await eventually(async () => {
      await page.clock.runFor(500);
      const own = asked.filter((parameters) => parameters.get('service_reference') === aldermoorOne);
      return own.length > 4 ? own.map((parameters) => Number(parameters.get('at'))) : undefined;
    }, 'five requests');
    const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(delays[3]).toBeGreaterThan(2 * (delays[0] ?? 0));
  });

  /** A card that stays the same while the guide grows. */
  async function lastSport(page: Page) {
    const cards = page.getByRole('region', { name: 'Sport' }).getByRole('listitem');
    const title = (await cards.last().getByRole('link').locator('strong').textContent()) ?? '';
    return { title, card: cards.filter({ has: page.getByText(title, { exact: true }) }) };
  }

  it('records from a card, and shows that on the card and under what is coming up', async () => {
    const { page, complaints } = await television.open('');
    const { card, title } = await lastSport(page);
    await card.getByRole('button', { name: `Record ${title}`, exact: true }).click();
    await card.getByRole('link', { name: /will be recorded$/ }).waitFor();
    await page.getByRole('region', { name: 'Coming up' }).getByRole('link').getByText(title, { exact: true }).waitFor();
    await card.getByRole('button', { name: `Cancel recording: ${title}` }).click();
    await page.getByRole('region', { name: 'Coming up' }).waitFor({ state: 'detached' });
    expect(await television.program.json('/api/timerlist')).toMatchObject({ timers: [] });
    expect(complaints()).toEqual([]);
  });

  it('leads from a shelf to its whole list, and from a card to the event', async () => {
    const { page } = await television.open('');
    const { card, title } = await lastSport(page);
    await card.getByRole('link').click();
    await page.getByRole('dialog', { name: title }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Sport', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: / events?$/ })
      .waitFor();
    expect(await page.getByLabel('Genre').inputValue()).toBe('sports');
  });

  it.each([
    ['Films', 'long', (minutes: number) => minutes >= 75],
    ['Series', 'short', (minutes: number) => minutes < 75],
  ])('leads from %s to events of their length only', async (shelf, length, isOfLength) => {
    const { page } = await television.open('');
    const found = page.waitForResponse((one) => one.url().includes('/api/eventsearch?') && one.url().includes('=200'));
    await page.getByRole('region', { name: shelf }).getByRole('link', { name: shelf, exact: true }).click();
    const { events } = (await (await found).json()) as { events: readonly { duration: number }[] };
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter(({ duration }) => !isOfLength(duration / 60))).toEqual([]);
    expect(await page.getByLabel('Length').inputValue()).toBe(length);
  });

  it('moves between the cards with the arrow keys', async () => {
    const { page } = await television.open('');
    const links = page.getByRole('region', { name: 'On now' }).getByRole('listitem').getByRole('link');
    await links.first().focus();
    await page.keyboard.press('ArrowRight');
    const focused = () => page.evaluate<string>('document.activeElement.href');
    expect(await focused()).toBe(page.url().replace(/#.*/, '') + (await links.nth(1).getAttribute('href')));
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe(page.url().replace(/#.*/, '') + (await links.first().getAttribute('href')));
  });

  it('finds each programme once, with a link to all its showings', async () => {
    const { page } = await television.open('#/search?text=news');
    await page.locator('.programmes').waitFor();
    const titles = await page.locator('.programmes strong').allTextContents();
    expect(new Set(titles.map((title) => title.toLowerCase())).size).toBe(titles.length);
    const all = page.getByRole('link', { name: /^All showings of / }).first();
    const title = ((await all.getAttribute('aria-label')) ?? '').slice('All showings of '.length);
    await all.click();
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await page.locator('.day').first().waitFor();
    const shown = await page.locator('.event strong').allTextContents();
    expect(shown.length).toBeGreaterThan(3);
    expect(new Set(shown)).toEqual(new Set([title]));
  });

  it('forgives a typing error in a search', async () => {
    const { page, checkScreens } = await television.open('#/search?text=aldermoro+nwes');
    const similar = page.getByRole('link', { name: 'Aldermoor News', exact: true });
    await checkScreens('nothing found', () => similar.waitFor());
    await similar.click();
    await page.locator('.programmes').getByText('Aldermoor News').first().waitFor();
  });
});
