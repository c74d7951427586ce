/** The settings: groups, search, controls, refused values, and changes that require a restart. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { browser, openTelevision, screens, showOn, type Television, untilToast } from './open-page.ts';

describe.skipIf(!browser)('the settings', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  const file = () => join(television.program.folder, 'receiverd.yaml');
  const text = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : '');
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  };
  /** Values of the settings in the Enigma2 folder. */
  const stored = async () =>
    new Map((await television.program.json<{ settings: [string, string][] }>('/api/settings')).settings);

  it('are in groups by purpose, without the names of the file', async () => {
    const { page, checkScreens } = await television.open('#/settings');
    await page.getByRole('heading', { name: 'Trash and clean-up' }).waitFor();
    for (const group of [
      'Recording',
      'Guide',
      'Channels and tuners',
      'Picture and sound',
      'Network and access',
      'Notifications',
    ]) {
      await page.getByRole('navigation', { name: 'Groups of settings' }).getByRole('link', { name: group }).click();
      await page.locator('.sections [aria-current]', { hasText: group }).waitFor();
      expect(await page.locator('.setting').count()).toBeGreaterThan(1);
      expect(await page.locator('.about code').count()).toBe(0);
      await checkScreens(`settings ${group}`);
    }
  });

  it('name a messaging service, and send a test to it', async () => {
    const { page, checkScreens } = await television.open('#/settings?group=notifications');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('No address is saved yet.').waitFor();
    await page.getByRole('combobox', { name: 'Messaging service' }).selectOption('Gotify');
    await page.getByRole('textbox', { name: 'Address at the service' }).fill('http://127.0.0.1:9');
    await page.getByRole('checkbox', { name: 'Timer added' }).check();
    await save(page);
    // Changed settings are applied soon after they were saved.
    await eventually(async () => {
      const { targets } = await television.program.json<{ targets: readonly object[] }>('/api/notifications/targets');
      return targets.length > 0 || undefined;
    }, 'the settings are applied');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/127\.0\.0\.1 is refused unless iptv\.allow contains it/).waitFor();
    expect(text()).toMatch(/service: gotify/);
    expect(text()).toMatch(/- timerAdded/);
    await page.route('**/api/notifications/test', (route) =>
      route.fulfill({ json: { targets: [{ name: 'gotify home', problem: '' }], result: true } }),
    );
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('gotify home delivered').waitFor();
    // With values from the file, which can be reset.
    await checkScreens('settings notifications saved');
  });

  it('have names in the configuration file, which Advanced shows', async () => {
    const { page, checkScreens } = await television.open('#/settings?group=advanced');
    await page.getByText('Can be changed only in the configuration file.').first().waitFor();
    await page.getByText('Set on the command line, so it cannot be changed here.').first().waitFor();
    await page.getByRole('checkbox', { name: 'Show the names used in the configuration file' }).check();
    await page.getByText('recording.queueBound').waitFor();
    await checkScreens('settings advanced');
    await page.getByRole('link', { name: 'Recording', exact: true }).click();
    await page.getByText('cleaning.keepTag').waitFor();
  });

  it.each([
    ['padding', ['Record earlier', 'Record later']],
    ['smart home', ['MQTT broker', 'Home Assistant topic']],
    ['cleaning.keepTag', ['Tag that protects recordings']],
    ['UMLAUTS', ['Plain file names']],
  ])('are found by %s', async (filter, expected) => {
    const { page } = await television.open('#/settings');
    await page.locator('.setting').nth(expected.length).waitFor();
    await page.getByLabel('Search settings').fill(filter);
    await page.locator('.setting').nth(expected.length).waitFor({ state: 'detached' });
    expect(await page.locator('.setting > label').allTextContents()).toEqual(expected);
  });

  it('show the current group and switches in forced colours, and fit right-to-left', async () => {
    const { page } = await television.open('#/settings');
    await page.getByRole('checkbox', { name: 'Use the trash' }).waitFor();
    await page.emulateMedia({ forcedColors: 'active' });
    const colourOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await colourOf('.sections [aria-current]')).not.toBe(await colourOf('.sections a:not([aria-current])'));
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.on-off')).appearance`)).toBe('auto');
    await page.evaluate("document.documentElement.dir = 'rtl'");
    for (const screen of screens) {
      await showOn(page, screen);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  });

  it('lead to the import of lists and guides, and to scans', async () => {
    const { page } = await television.open('#/settings?filter=m3u');
    await page.getByRole('link', { name: 'Import M3U' }).click();
    await page.getByRole('textbox', { name: /^Address/ }).waitFor();
    await page.goto(`${television.program.http}/#/settings?group=guide`);
    await page.getByRole('link', { name: 'Import guide' }).click();
    await page.waitForURL(/step=guide/);
  });

  it('lead to the language and the colours of the page', async () => {
    const { page } = await television.open('#/settings');
    await page.getByLabel('Search settings').fill('dark');
    const appearance = page.getByRole('region', { name: 'Appearance of this page' });
    await appearance.getByLabel('Colours').waitFor();
    await appearance.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
  });

  it('say when nothing is found', async () => {
    const { page, checkScreens } = await television.open('#/settings?filter=chocolate');
    await page.getByRole('heading', { name: 'No setting matches “chocolate”' }).waitFor();
    await checkScreens('settings not found');
    await page.getByRole('link', { name: 'Guide', exact: true }).last().click();
    await page.getByLabel('Prime time').waitFor();
  });

  it('are in the language of the page', async () => {
    const { page, check } = await television.open('#/settings?group=guide', { ...screens[0], locale: 'de-DE' });
    await page.getByText('Vergangene Sendungen behalten').waitFor();
    await page.locator('.unit', { hasText: 'Stunden' }).waitFor();
    await page.getByRole('combobox', { name: 'Sprachen des TV-Programms' }).selectOption('Französisch');
    await check('settings in German');
    await page.getByRole('combobox', { name: 'Sprache', exact: true }).selectOption('Français');
    await page.getByText('Garder les émissions passées').waitFor();
  });

  it('have numbers with a unit and a step', async () => {
    const { page } = await television.open('#/settings');
    await page.getByRole('spinbutton', { name: 'Record earlier' }).fill('12');
    await page.getByRole('button', { name: 'Record later: more' }).click();
    await page.getByRole('button', { name: 'Record later: more' }).click();
    await save(page);
    await untilToast(page, 'Settings saved and applied');
    expect((await stored()).get('config.recording.margin_before')).toBe('12');
    expect((await stored()).get('config.recording.margin_after')).toBe('7');
    await page.getByRole('link', { name: 'Guide', exact: true }).last().click();
    await page.getByRole('button', { name: 'Keep past programmes: more' }).click();
    await save(page);
    expect(text()).toContain('history: 3600\n');
    await page.getByRole('button', { name: 'Reset to default: Keep past programmes' }).click();
    await save(page);
    expect(text()).not.toContain('history');
  });

  it('have a time of day, an ordered list of languages, switches and permissions', async () => {
    const { page } = await television.open('#/settings?group=guide');
    await page.getByLabel('Prime time').fill('21:05');
    const languages = page.getByRole('combobox', { name: 'Languages of the guide' });
    await languages.selectOption('German');
    await languages.selectOption('French');
    await page.getByRole('button', { name: 'Move French up' }).click();
    await save(page);
    expect((await stored()).get('config.epgselection.grid.primetime')).toBe('21:05');
    expect(text()).toMatch(/languages:\s+(- fra\s+- deu|\[ ?fra, deu ?\])/);
    await page.getByRole('button', { name: 'Remove French' }).click();
    expect(await languages.evaluate('document.activeElement.tagName')).toBe('SELECT');
    await page.getByRole('link', { name: 'Network and access' }).click();
    await page.getByRole('checkbox', { name: 'Let apps find the receiver' }).uncheck();
    await page.getByRole('checkbox', { name: 'Timers and recordings' }).uncheck();
    await page.getByText('3 unsaved changes').waitFor();
    await save(page);
    const { settings } = await television.program.json<{ settings: { name: string; value: string }[] }>(
      '/api/configuration',
    );
    const values = new Map(settings.map(({ name, value }) => [name, JSON.parse(value || 'null')]));
    expect(values.get('languages')).toEqual(['deu']);
    expect(values.get('discovery')).toBe(false);
    expect(values.get('access.localNetwork')).toEqual(['view', 'control']);
  });

  it('have lists with one entry per row', async () => {
    const { page, check } = await television.open('#/settings?filter=satellites');
    const group = page.getByRole('group', { name: 'Order of satellites' });
    for (const position of ['19.2E', '13.0E']) {
      await group.getByRole('button', { name: 'Add to Order of satellites' }).click();
      await page.keyboard.type(position);
    }
    await group.getByRole('button', { name: 'Add to Order of satellites' }).click();
    await group.getByRole('button', { name: 'Move 13.0E up' }).click();
    await check('a setting with rows');
    await save(page);
    expect(text()).toMatch(/satellites:\s+(- 13.0E\s+- 19.2E|\[ ?13.0E, 19.2E ?\])/);
  });

  it('have recording folders that are chosen from those of the machine', async () => {
    const folder = join(television.program.folder, 'movie');
    mkdirSync(join(folder, 'Films', 'Old'), { recursive: true });
    const { page, check, complaints } = await television.open('#/settings');
    const setting = page.getByRole('group', { name: 'Recording folders' });
    await setting.getByRole('button', { name: 'Choose folder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose folder' });
    await dialog.getByRole('button', { name: folder }).click();
    await dialog.getByRole('button', { name: 'Films' }).click();
    await dialog.getByRole('button', { name: 'Old', exact: true }).click();
    await dialog.getByText('No folders here.').waitFor();
    await dialog.getByRole('button', { name: 'One level up' }).click();
    await dialog.getByRole('button', { name: 'Old', exact: true }).waitFor();
    await check('folder');
    await dialog.getByRole('button', { name: 'Use this folder' }).click();
    expect(await setting.getByRole('textbox').last().inputValue()).toBe(join(folder, 'Films/'));
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(complaints()).toEqual([]);
  });

  it('are saved to the file; some take effect immediately, some after a restart', async () => {
    const { page, check, complaints } = await television.open('#/settings');
    await page.getByLabel('Search settings').fill('older recordings');
    await page.getByRole('spinbutton', { name: 'Delete recordings after' }).fill('30');
    await page.getByText('1 unsaved change').waitFor();
    await page.getByRole('link', { name: 'Timers' }).click();
    await page.getByRole('heading', { name: 'Timers', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('1 unsaved change').waitFor();
    await check('settings changed');
    await save(page);
    await untilToast(page, 'Settings saved and applied');
    expect(text()).toContain('cleaning:\n  deleteAfter: 30\n');
    await page.getByLabel('Search settings').fill('receiver name');
    await page.getByRole('textbox', { name: 'Name of the receiver' }).fill('Kitchen');
    await page.getByText('Requires a restart').waitFor();
    await save(page);
    await page.locator('.setting').getByText('Saved. Takes effect after a restart.').waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Restart now' }).click();
    const question = page.getByRole('dialog', { name: 'Restart receiverd?' });
    await question.getByRole('button', { name: 'Restart receiverd' }).click();
    await eventually(async () => {
      // The receiver does not respond during the restart.
      const about = await television.program.json<{ info: { model: string } }>('/api/about').catch(() => undefined);
      return about?.info.model === 'Kitchen' || undefined;
    }, 'the new name');
    complaints();
    await page.locator('.notice').getByRole('button', { name: 'Restart now' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reset to default: Name of the receiver' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => !text().includes('Kitchen') || undefined, 'the default');
  });

  it('that are changed while others are being saved are still unsaved', async () => {
    const { page } = await television.open('#/settings');
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/api/configuration', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await page.getByRole('spinbutton', { name: 'Record earlier' }).fill('14');
    const saving = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Save' }).click();
    await saving;
    await page.getByRole('spinbutton', { name: 'Record later' }).fill('9');
    release();
    await untilToast(page, 'Settings saved and applied');
    await page.getByText('1 unsaved change', { exact: true }).waitFor();
    expect(await page.getByRole('spinbutton', { name: 'Record later' }).inputValue()).toBe('9');
    await save(page);
    expect((await stored()).get('config.recording.margin_before')).toBe('14');
    expect((await stored()).get('config.recording.margin_after')).toBe('9');
  });

  it('are refused with a reason next to the field, and nothing is written', async () => {
    const { page } = await television.open('#/settings?filter=protects');
    const before = text();
    await page.getByRole('textbox', { name: 'Tag that protects recordings' }).fill('two words');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .locator('.setting')
      .getByText('Tag that protects recordings is "two words"; it must be a text without blanks')
      .waitFor();
    expect(text()).toBe(before);
    await page.getByRole('button', { name: 'Undo change to Tag that protects recordings' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await page.getByLabel('Search settings').fill('recording folders first');
    await page.getByRole('textbox', { name: 'Recording folders, entry 1' }).fill('/etc');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .locator('.setting')
      .getByText(/Recording folders .*must be below a recording folder/)
      .waitFor();
    expect(text()).toBe(before);
  });
});
