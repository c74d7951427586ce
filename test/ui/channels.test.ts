/** The channels of a bouquet, the guide of a channel, an event, and the search. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually, waitTimeoutMs } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import {
  browser,
  openTelevision,
  screens,
  startBrowser,
  type Television,
  violationsOf,
  windowed,
} from './open-page.ts';

const installable = { ...screens[0], serviceWorker: true };

describe.skipIf(!browser)('the page', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
    await eventually(async () => (await titles()).length > 1 || undefined, 'what is on');
  });
  afterAll(() => television?.close());

  /** Titles of the present and the following event of the first channel, because the present one may end during a test. */
  async function titles(): Promise<readonly string[]> {
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';
    const { events } = await television.program.json<{ events: readonly { title: string | null }[] }>(
      `/api/epgnownext?bRef=${encodeURIComponent(bouquet)}`,
    );
    return events.slice(0, 2).flatMap(({ title }) => title ?? []);
  }
  /** The title in the row of the first channel. */
  async function shownIn(page: Page): Promise<Locator> {
    const row = page.getByRole('link', { name: /^1 Aldermoor One/ });
    const [now = '', next = ''] = await titles();
    return row
      .getByText(now, { exact: true })
      .or(row.getByText(next, { exact: true }))
      .first();
  }

  async function timers() {
    const path = '/api/timerlist';
    return (await television.program.json<{ timers: readonly { servicename: string; state: number }[] }>(path)).timers;
  }
  const waiting = async () => (await timers()).filter(({ state }) => state === 0);

  async function openGuideOf(page: Page, channel: string): Promise<void> {
    await page.getByRole('button', { name: `More: ${channel}` }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Guide' }).click();
  }

  it.each([
    ['the favourites if they have channels', 'Chosen', 20],
    ['the first bouquet if they have none', 'Scanned', 10],
  ])('shows %s until the user chooses another, first in the list', async (_, shown, after) => {
    const { page } = await television.open('#/nothing');
    const bouquet = (file: string, name: string, startpos: number) => {
      const servicereference = `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.${file}.tv" ORDER BY bouquet`;
      return { servicereference, servicename: name, program: 0, pos: 0, startpos };
    };
    const services = [
      bouquet('LastScanned', 'Scanned', 0),
      bouquet('favourites', 'Chosen', 10),
      bouquet('films', 'Films', after),
    ];
    await page.route(
      (url) => url.pathname === '/api/getservices' && url.search.includes('bouquets.tv'),
      (route) => route.fulfill({ json: { services, pos: 3, result: true } }),
    );
    await page.goto(`${television.program.http}/?again#/guide`);
    await page.getByRole('button', { name: `Bouquet: ${shown}`, exact: true }).click();
    expect(await page.getByRole('dialog').getByRole('listitem').first().textContent()).toBe(shown);
  });

  it('shows the channels with their present events', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    await (await shownIn(page)).waitFor();
    await page.getByText('the built-in demo').waitFor();
    await checkScreens('channels');
  });

  it('plays a channel by a click on its row, and records what is on', async () => {
    const { page, complaints } = await television.open('#/channels');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Talblick 24' })
      .getByRole('button', { name: /^Record / })
      .click();
    const states = async () => (await timers()).map(({ servicename, state }) => `${servicename} ${state}`);
    await expect.poll(states, { timeout: waitTimeoutMs }).toEqual(['Talblick 24 2']);
    const stop = page.getByRole('button', { name: /^Stop recording: / });
    await stop.hover();
    const colour = "getComputedStyle(document.querySelector('button.record:hover')).color";
    expect(await page.evaluate<string>(colour)).toBe('rgb(211, 32, 47)');
    await stop.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop recording' }).click();
    await expect.poll(states, { timeout: waitTimeoutMs }).toEqual(['Talblick 24 3']);
    await page.getByRole('link', { name: /^2 Talblick 24/ }).click();
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    expect(page.url()).toContain('#/watch?');
    expect(complaints()).toEqual([]);
  });

  it('closes the menu of a channel when the address changes to another bouquet that has the channel', async () => {
    const { page } = await television.open('#/channels');
    await page.getByRole('button', { name: 'More: Talblick 24' }).click();
    const dialog = page.getByRole('dialog', { name: 'Talblick 24' });
    await dialog.waitFor();
    // The same bouquet by another address.
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv"';
    await page.goto(`${television.program.http}/#/channels?${new URLSearchParams({ bouquet })}`);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More: Talblick 24' }).waitFor();
  });

  it('shows no channels of the previous bouquet while those of another one are loading', async () => {
    const bouquets = `${television.program.http}/bouquets`;
    const added = await fetch(bouquets, { method: 'POST', body: new URLSearchParams({ name: 'Films' }) });
    const { file } = (await added.json()) as { readonly file: string };
    onTestFinished(async () => void (await fetch(`${bouquets}/${file}`, { method: 'DELETE' })));
    const { page } = await television.open('#/channels');
    const first = page.getByRole('link', { name: /^1 Aldermoor One/ });
    await first.waitFor();
    const { promise: released, resolve: release } = withResolvers();
    await page.route(
      (url) => url.pathname === '/api/getservices' && url.search.includes(file),
      async (route) => {
        await released;
        await route.continue();
      },
    );
    await page.getByRole('button', { name: /^Bouquet: / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Films' }).click();
    await page.getByRole('button', { name: 'Bouquet: Films' }).waitFor();
    await first.waitFor({ state: 'detached' });
    release();
    await page.getByRole('heading', { name: 'No channels' }).waitFor();
  });

  it('opens a channel and one of its events', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    await openGuideOf(page, 'Talblick 24');
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    await page.getByRole('heading', { name: /Today/ }).waitFor();
    await checkScreens('channel');
    await page.getByRole('link', { name: /min/ }).nth(2).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('button', { name: /^Record / })
      .first()
      .waitFor();
    await checkScreens('event');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('searches the guide while the user types', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    const [, title = ''] = await titles();
    await page.getByRole('combobox', { name: 'Search the guide' }).pressSequentially(title.slice(0, 6));
    await page.getByRole('link').filter({ hasText: title }).first().waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^(1 event|[\d,]+ events)$/ })
      .waitFor();
    await checkScreens('search');
  });

  it('records an event, and cancels it', async () => {
    const { page, complaints } = await television.open('#/channels');
    await openGuideOf(page, 'Talblick 24');
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    await page.getByRole('link', { name: /min/ }).nth(3).click();
    const dialog = page.getByRole('dialog');
    const cancel = dialog.getByRole('button', { name: 'Cancel recording', exact: true });
    await dialog
      .getByRole('button', { name: /^Record / })
      .first()
      .click();
    await cancel.waitFor();
    expect(await waiting()).toHaveLength(1);
    await cancel.click();
    await cancel.waitFor({ state: 'detached' });
    expect(await waiting()).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it("records an event from its row on a channel's page, and cancels it among search results", async () => {
    const { page, check } = await television.open('#/channels');
    await openGuideOf(page, 'Talblick 24');
    const event = page.getByRole('main').getByRole('listitem').nth(3);
    const title = (await event.locator('strong').textContent()) ?? '';
    await event.getByRole('button', { name: `Record ${title}, ` }).click();
    const cancel = event.getByRole('button', { name: `Cancel recording: ${title}, ` });
    const label = (await cancel.getAttribute('aria-label')) ?? '';
    await expect.poll(waiting, { timeout: waitTimeoutMs }).toHaveLength(1);
    const query = new URLSearchParams({ title });
    await page.goto(`${television.program.http}/#/search?${query}`);
    const found = page.getByRole('main').getByRole('button', { name: label, exact: true }).first();
    await found.waitFor();
    await check('search with a recording');
    await found.click();
    await expect.poll(waiting, { timeout: waitTimeoutMs }).toEqual([]);
    await found.waitFor({ state: 'detached' });
  });

  it('reports a lost receiver, and recovers when it is back', async () => {
    const { page } = await television.open('#/channels');
    await page.getByText('Aldermoor One').first().waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    television.program.signal('SIGSTOP');
    try {
      await page.getByRole('alert').getByText('not responding').waitFor();
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      television.program.signal('SIGCONT');
    }
    await page.getByRole('alert').getByText('not responding').waitFor({ state: 'detached' });
  });

  it.each(['offline', 'while the receiver does not respond'])('opens %s, with the last known state', async (state) => {
    const { page } = await television.open('#/channels', installable);
    await (await shownIn(page)).waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    // Served by the service worker from now on.
    await page.reload();
    const known = await shownIn(page);
    await known.waitFor();
    const home = page.getByRole('link', { name: 'Home', exact: true });
    const shelf = page.getByRole('link', { name: 'On now' });
    await home.click();
    await shelf.waitFor();
    await page.goBack();
    await known.waitFor();
    // Responses are cached shortly after they are shown.
    for (const path of ['/api/about', '/api/getservices', '/api/epgnownext', '/api/eventsearch']) {
      await eventually(
        async () => (await page.evaluate(`caches.match('${path}', { ignoreSearch: true }).then(Boolean)`)) || undefined,
        `${path} is cached`,
      );
    }
    television.program.signal('SIGSTOP');
    try {
      await page.context().setOffline(state === 'offline');
      await page.reload();
      await known.waitFor();
      await page.getByRole('alert').getByText('not responding').waitFor();
      await home.click();
      await shelf.waitFor();
    } finally {
      television.program.signal('SIGCONT');
    }
  });

  it.skipIf(!windowed)('can be installed', async () => {
    const own = await startBrowser([], windowed);
    onTestFinished(() => own.close());
    const page = await own.newPage();
    await page.goto(television.program.http);
    const client = await page.context().newCDPSession(page);
    const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
    // Tests use an incognito profile, from which nothing can be installed.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
  });
});
