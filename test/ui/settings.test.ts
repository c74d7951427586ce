/** The settings: searching, changing, refused values, and changes that require a restart. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/patience.ts';
import { browser, openTelevision, type Television, untilToast } from './open-page.ts';

describe.skipIf(!browser)('the settings', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  const file = () => join(television.program.folder, 'receiverd.yaml');
  const text = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : '');

  it('are listed with their descriptions', async () => {
    const { page, checkScreens } = await television.open('#/settings');
    await page.getByRole('heading', { name: 'Clean-up' }).waitFor();
    await page.getByText('seconds for which past events are kept').waitFor();
    await page
      .getByText(/is given on the command line, which the file cannot change/)
      .first()
      .waitFor();
    await checkScreens('settings');
  });

  it('include the margins of recordings', async () => {
    const { page } = await television.open('#/settings?filter=margin');
    await page.getByRole('heading', { name: 'Recordings and channels' }).waitFor();
    await page.getByRole('spinbutton', { name: 'config.recording.margin_before' }).fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await untilToast(page, 'Settings saved and applied');
    const { settings } = await television.program.json<{ settings: [string, string][] }>('/api/settings');
    expect(new Map(settings).get('config.recording.margin_before')).toBe('12');
  });

  it('are saved to the file; some take effect immediately, some after a restart', async () => {
    const { page, check, complaints } = await television.open('#/settings');
    await page.getByLabel('Search settings').fill('recording days');
    await page.getByRole('spinbutton', { name: 'cleaning.deleteAfter' }).fill('30');
    await page.getByText('1 unsaved change').waitFor();
    await page.getByRole('link', { name: 'Timers' }).click();
    await page.getByRole('heading', { name: 'Timers', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('1 unsaved change').waitFor();
    await check('settings changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await untilToast(page, 'Settings saved and applied');
    expect(text()).toBe('cleaning:\n  deleteAfter: 30\n');
    await page.getByLabel('Search settings').fill('receiver name');
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('Kitchen');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Restart now' }).click();
    const question = page.getByRole('dialog', { name: 'Restart receiverd?' });
    await question.getByRole('button', { name: 'Restart receiverd' }).click();
    await eventually(async () => {
      // The receiver does not respond during the restart.
      const about = await television.program.json<{ info: { model: string } }>('/api/about').catch(() => undefined);
      return about?.info.model === 'Kitchen' || undefined;
    }, 'the new name');
    complaints();
    await page.getByRole('button', { name: 'Restart now' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reset name' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => !text().includes('Kitchen') || undefined, 'the default');
  });

  it('are refused with a reason next to the field, and nothing is written', async () => {
    const { page } = await television.open('#/settings?filter=keepTag');
    const before = text();
    await page.getByRole('textbox', { name: 'cleaning.keepTag' }).fill('two words');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .locator('.setting')
      .getByText(/it must be a text without blanks/)
      .waitFor();
    expect(text()).toBe(before);
    await page.getByRole('button', { name: 'Undo change to cleaning.keepTag' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  });
});
