/** Who may in: the first account, further ones, and what somebody with few rights sees of the page. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser, openTelevision, type Television } from './open-page.ts';

describe.skipIf(!browser)('accounts', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  async function logIn(page: Page, user: string, password: string): Promise<void> {
    await page.getByLabel('User').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('are added, changed and removed; whoever adds the first is logged in', async () => {
    const { page, check, complaints } = await television.open('#/box?view=accounts');
    await page.getByLabel('User').fill('anna');
    await page.getByLabel('Password (at least 8 characters)').fill('correct horse');
    await page.getByLabel('Password once more').fill('correct horse');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User').fill('kids');
    await dialog.getByLabel('Password').fill('battery staple');
    // The first account ends the event stream of those who have not logged in.
    complaints();
    await check('account dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Watch · Zap, volume, power · Timers and recordings').waitFor();
    await page.getByRole('button', { name: 'Change kids' }).click();
    await dialog.getByLabel('Timers and recordings').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Watch · Zap, volume, power', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a token' }).click();
    await dialog.getByLabel('What it is for').fill('backup');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'The new token' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Token' }).inputValue()).toMatch(/^rcv_/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Lately here' }).waitFor();
    await page.getByText(/^Chrome\/\d+$/).waitFor();
    await check('accounts');
    await page.getByRole('button', { name: 'Remove backup' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('backup is removed').waitFor();
    await page.getByRole('button', { name: 'Remove anna' }).click();
    await page.getByText('One account must be able to administer the receiver.').waitFor();
    await page.getByRole('button', { name: 'Change anna' }).click();
    expect(await dialog.getByLabel('Everything, settings too').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await dialog.getByLabel('User').fill('kids');
    await dialog.getByLabel('Password').fill('another staple');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is one called kids already').waitFor();
  });

  it('show only what somebody has a right to', async () => {
    const { page, checkScreens, complaints } = await television.open('#/timers');
    await logIn(page, 'kids', 'battery staple');
    complaints();
    await page.getByText('Nothing is planned').waitFor();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    expect(await page.getByText('New timer').isVisible()).toBe(false);
    await page.goto(`${television.program.http}/#/box`);
    await page.getByRole('link', { name: 'Tuners' }).waitFor();
    await checkScreens('receiver of a viewer', async () => {
      for (const name of ['Log', 'Accounts', 'Bouquets', 'Settings'])
        expect(await page.getByRole('link', { name, exact: true }).isVisible()).toBe(false);
    });
    for (const path of ['settings', 'bouquets', 'setup', 'scan', 'box?view=log', 'box?view=accounts']) {
      await page.goto(`${television.program.http}/#/${path}`);
      await page.getByText('You may not do that').waitFor();
    }
    await page.goto(`${television.program.http}/#/`);
    await page
      .getByRole('button', { name: /^Zap to/ })
      .first()
      .waitFor();
  });

  it('change their own password, also without a right, and the language before they are known', async () => {
    const { page, check, complaints } = await television.open('#/');
    await page.getByRole('dialog').getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('dialog', { name: 'Anmelden' }).getByLabel('Sprache').selectOption('English');
    await logIn(page, 'kids', 'battery staple');
    complaints();
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    await dialog.getByLabel('Current password').fill('wrong');
    await dialog.getByLabel('Password (at least 8 characters)').fill('another staple');
    await dialog.getByLabel('Password once more').fill('another staple');
    await check('change password');
    await dialog.getByRole('button').last().click();
    await dialog.getByText('The user or the password is wrong').waitFor();
    await dialog.getByLabel('Current password').fill('battery staple');
    await dialog.getByRole('button').last().click();
    await page.getByText('The password is changed').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Change password' }).waitFor();
  });

  it('that are gone need no login any more, on pages that are open too', async () => {
    const { page } = await television.open('#/');
    await page.getByRole('dialog', { name: 'Log in' }).waitFor();
    const as = { authorization: `Basic ${Buffer.from('anna:correct horse').toString('base64')}` };
    for (const name of ['kids', 'anna']) {
      const gone = await fetch(`${television.program.http}/accounts/user/${name}`, { method: 'DELETE', headers: as });
      expect(gone.status).toBe(200);
    }
    await page.getByRole('dialog', { name: 'Log in' }).waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Zap to/ })
      .first()
      .waitFor();
    expect(await page.getByText('The receiver is not responding').count()).toBe(0);
  });
});
