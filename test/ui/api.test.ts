/** The API page: finding an entry, reading it, and sending a request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser, openTelevision, type Television } from './open-page.ts';

describe.skipIf(!browser)('the API page', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it('lists all entries, and filters them', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    // The footer moves when the list of channels arrives.
    await page.getByRole('link', { name: /^1 Aldermoor One/ }).waitFor();
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('heading', { name: 'API', exact: true }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^\d{3} entries$/ })
      .waitFor();
    await checkScreens('api');
    await page.getByLabel('Filter').pressSequentially('sleep timer');
    await page
      .getByRole('status')
      .filter({ hasText: /^1 entry$/ })
      .waitFor();
    await page.getByText('sleeptimer', { exact: true }).first().waitFor();
    const badges = page.getByText('changes the receiver', { exact: true });
    expect(await badges.count()).toBe(1);
    await page.getByLabel('Filter').fill('/health');
    await page.locator('summary', { hasText: '/health' }).first().waitFor();
    expect(await badges.count()).toBe(0);
    await page.getByLabel('Filter').fill('no such thing');
    await page.getByText('No entry contains all of these words.').waitFor();
  });

  it('sends a request to an operation', async () => {
    const { page, checkScreens } = await television.open('#/api?find=vol');
    await page.locator('summary', { has: page.getByText('vol', { exact: true }) }).click();
    await page.getByLabel('Format').selectOption('/api/vol');
    await page.getByLabel('set', { exact: true }).fill('set42');
    await page.getByText('GET /api/vol?set=set42').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('status').locator('pre');
    await answer.getByText(/^200 OK[\s\S]*"current": 42/).waitFor();
    expect(await television.program.json('/api/vol')).toMatchObject({ current: 42 });
    await checkScreens('api entry');
  });

  it('fills in path parameters, and sends a form', async () => {
    const { page } = await television.open(`#/api?${new URLSearchParams({ entry: '/timers/{service_reference}' })}`);
    await page.getByLabel('service_reference', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('status').locator('pre');
    await answer.getByText(/^400 [\s\S]*invalid-reference/).waitFor();

    await page.goto(`${television.program.http}/#/api?${new URLSearchParams({ entry: '/api/evil' })}`);
    await page.getByLabel('uma', { exact: true }).fill('echo');
    await page.getByRole('button', { name: 'Send' }).click();
    await answer.getByText(/^200 OK[\s\S]*"stdout":"echo"/).waitFor();
  });

  it('works with the keyboard only, and can be linked', async () => {
    const { page, complaints } = await television.open('#/api');
    await page.getByLabel('Filter').focus();
    await page.keyboard.type('powerstate');
    await page.getByText(/^\d entr(y|ies)$/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Parameters' }).waitFor();
    expect(page.url()).toMatch(/#\/api\?find=powerstate&entry=powerstate$/);
    await page.reload();
    await page.getByRole('heading', { name: 'Parameters' }).waitFor();
    await page.getByText('powerstate', { exact: true }).first().click();
    await page.getByRole('heading', { name: 'Parameters' }).waitFor({ state: 'detached' });
    expect(complaints()).toEqual([]);
  });
});
