/** Accounts on the page: the first administrator, other accounts, and the page with few permissions. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askEveryone, removeFolder, temporaryFolder } from '../receiver/program.ts';
import { browser, openTelevision, screens, type Television, untilToast } from './open-page.ts';

const phone = { ...screens[2], isElsewhere: true };

describe.skipIf(!browser)('accounts', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  async function logIn(page: Page, user: string, password: string): Promise<void> {
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await dialog.getByLabel('User name').fill(user);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  it('are added, edited and deleted; adding the first logs in', async () => {
    const { page, check, complaints } = await television.open('#/box?view=accounts');
    await page.getByLabel('User name').fill('anna');
    await page.getByLabel('Password (at least 8 characters)').fill('correct horse');
    await page.getByLabel('Repeat password').fill('correct horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User name').fill('kids');
    await dialog.getByLabel('Password').fill('battery staple');
    await check('account dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Watch · Zap, volume, power · Timers and recordings').waitFor();
    await page.getByRole('button', { name: 'Edit kids' }).click();
    await dialog.getByLabel('Timers and recordings').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Watch · Zap, volume, power', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add token' }).click();
    await dialog.getByLabel('Token name').fill('my backup');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must be 1 to 32 characters without blanks and colons').waitFor();
    complaints();
    await dialog.getByLabel('Token name').fill('backup');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'New token' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Token' }).inputValue()).toMatch(/^rcv_/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Recent activity' }).waitFor();
    await page.getByText(/^Chrome\/\d+$/).waitFor();
    await check('accounts');
    await page.getByRole('button', { name: 'Delete backup' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await untilToast(page, 'backup deleted');
    await page.getByRole('button', { name: 'Delete anna' }).click();
    await page.getByText('At least one account must be an administrator.').waitFor();
    await page.getByRole('button', { name: 'Edit anna' }).click();
    expect(await dialog.getByLabel('Administrator: settings and everything else').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add user' }).click();
    await dialog.getByLabel('User name').fill('kids');
    await dialog.getByLabel('Password').fill('another staple');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('kids already exists').waitFor();
  });

  it('show only what their permissions allow', async () => {
    const { page, checkScreens, complaints } = await television.open('#/timers');
    await logIn(page, 'kids', 'battery staple');
    complaints();
    await page.getByText('No timers').waitFor();
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
      await page.getByText('Your account does not have permission').waitFor();
    }
    await page.goto(`${television.program.http}/#/channels`);
    await page
      .getByRole('button', { name: /^More: / })
      .first()
      .click();
    await page
      .getByRole('button', { name: /^Zap to/ })
      .first()
      .waitFor();
  });

  it('are required by some pages, which show a login form and can be left', async () => {
    const { page, checkScreens, complaints } = await television.open('#/settings');
    const asks = () => page.getByText('Log in to use this page.').waitFor();
    await checkScreens('settings without a login', asks);
    await page.goto(`${television.program.http}/#/box?view=log`);
    await page.getByRole('heading', { name: 'Receiver', exact: true }).waitFor();
    await asks();
    await page.goto(`${television.program.http}/#/settings`);
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('contentinfo').getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('dialog', { name: 'Log in' }).getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('User name').fill('anna');
    await page.getByLabel('Password').fill('wrong horse');
    const enter = page.getByRole('main').getByRole('button', { name: 'Log in' });
    await enter.click();
    await page.getByText('Wrong user name or password').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await enter.click();
    await page.getByRole('searchbox', { name: 'Search settings' }).waitFor();
    expect(complaints()).toEqual([expect.stringContaining('401'), expect.stringContaining('401')]);
  });

  it('change their own password, even without permissions', async () => {
    // The footer of a long page moves when that has loaded.
    const { page, check, complaints } = await television.open('#/timers');
    await logIn(page, 'kids', 'battery staple');
    complaints();
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    await dialog.getByLabel('Current password').fill('wrong');
    await dialog.getByLabel('Password (at least 8 characters)').fill('another staple');
    await dialog.getByLabel('Repeat password').fill('another staple');
    await check('change password');
    await dialog.getByRole('button').last().click();
    await dialog.getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill('battery staple');
    await dialog.getByRole('button').last().click();
    await untilToast(page, 'Password changed');
    await page.reload();
    await page.getByRole('button', { name: 'Change password' }).waitFor();
  });
});

describe.skipIf(!browser)('the first administrator', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it('can type immediately, and is notified if the receiver does not respond', async () => {
    const { page } = await television.open('#/');
    const focused = await page.evaluate(`new Promise((done) => {
      new MutationObserver(() => {
        if (document.querySelector('input[name=password]')) done(document.activeElement?.getAttribute('name'));
      }).observe(document, { childList: true, subtree: true });
      location.hash = '#/setup?step=password';
    })`);
    expect(focused).toBe('password');
    await page.route('**/accounts/**', (route) => route.abort());
    for (const label of ['Password (at least 8 characters)', 'Repeat password'])
      await page.getByLabel(label).fill('correct horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The receiver did not respond').waitFor();
  });

  it('sets a password on a phone, with the link that the receiver prints', async () => {
    const link = television.program.printed.find((line) => line.startsWith('Set a password'))?.split('#')[1];
    expect(link).toMatch(/^\/setup\?code=[A-Z2-9]{4}-[A-Z2-9]{4}$/);
    const { page, checkScreens } = await television.open(`#${link}`, phone);
    await checkScreens('first password', () => page.getByLabel('Code').waitFor());
    expect(await page.getByLabel('Code').inputValue()).toBe(link?.split('=')[1]);
    const set = async (code: string) => {
      await page.getByLabel('Code').fill(code);
      await page.getByLabel('Password (at least 8 characters)').fill('correct horse');
      await page.getByLabel('Repeat password').fill('correct horse');
      await page.getByRole('button', { name: 'Set password' }).click();
    };
    await set('AAAA-AAAA');
    await page.getByText('This code is wrong or has expired.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await set(link?.split('=')[1] ?? '');
    await page.getByRole('heading', { name: 'Setup', exact: true }).waitFor();
    await page.getByRole('contentinfo').getByText('admin').waitFor();
  });
});

describe.skipIf(!browser)('with a login required for everything', () => {
  const folder = temporaryFolder();
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision('--config', askEveryone(folder));
    const { http } = television.program;
    const password = 'correct horse';
    const put = (name: string, headers = {}) =>
      fetch(`${http}/accounts/user/${name}`, { method: 'PUT', body: new URLSearchParams({ password }), headers });
    expect((await put('anna')).status).toBe(200);
  });
  afterAll(async () => {
    await television?.close();
    removeFolder(folder);
  });

  it('the page asks for a login first, in the chosen language, and for the code after the last account is deleted', async () => {
    const { page, complaints } = await television.open('#/');
    await page.getByRole('dialog').getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('dialog', { name: 'Anmelden' }).getByLabel('Sprache').selectOption('English');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
    const as = { authorization: `Basic ${Buffer.from('anna:correct horse').toString('base64')}` };
    const gone = await fetch(`${television.program.http}/accounts/user/anna`, { method: 'DELETE', headers: as });
    expect(gone.status).toBe(200);
    await page.reload();
    await page.getByLabel('Code').waitFor();
    expect(await page.getByText('The receiver is not responding').count()).toBe(0);
    complaints();
  });
});
