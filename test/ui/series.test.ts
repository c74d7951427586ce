/** The series page: rules, their preview, and import of rules. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, waitTimeoutMs } from '../fixtures/waits.ts';
import { browser, openTelevision, type Television } from './open-page.ts';

interface Rule {
  readonly id: number;
  readonly name: string;
  readonly match: string;
  readonly enabled: boolean;
  readonly services: readonly string[];
  readonly bouquets: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly weekdays: number;
  readonly exclude: readonly { readonly where: string; readonly text: string }[];
  readonly timers: number;
}

/** A longer timeout of assertions, for busy machines. */
const longTimeout = { timeout: waitTimeoutMs };

describe.skipIf(!browser)('the series', () => {
  let television: Television;
  let reference: string;
  /** A title with several events on the channel `reference`. */
  let title: string;
  /** Another such title, without timers of other rules. */
  let otherTitle: string;

  const rules = async () => (await television.program.json<{ items: readonly Rule[] }>('/autotimers')).items;
  const rule = async (name: string) => (await rules()).find((one) => one.name === name);

  async function make(form: object): Promise<void> {
    const response = await fetch(`${television.program.http}/autotimers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    expect(response.status).toBe(201);
  }

  beforeAll(async () => {
    television = await openTelevision();
    const { services } = await television.program.json<{
      services: readonly { subservices: readonly { servicereference: string }[] }[];
    }>('/api/getallservices');
    reference = services[0]?.subservices[1]?.servicereference ?? '';
    [title, otherTitle] = await eventually(async () => {
      const { events } = await television.program.json<{ events: readonly { title: string }[] }>(
        `/api/epgservice?sRef=${encodeURIComponent(reference)}`,
      );
      const titles = events.slice(1).map((event) => event.title);
      const [first, ...others] = new Set(titles.filter((one, index) => titles.indexOf(one) !== index));
      const other = first && others.find((one) => !one.includes(first));
      return first && other ? ([first, other] as const) : undefined;
    }, 'two series are in the guide');
    await make({
      match: title,
      name: 'Something weekly',
      services: [reference],
      from: '18:00',
      to: '23:00',
      weekdays: 31,
    });
    await make({ match: 'no such thing', enabled: false });
  });
  afterAll(() => television?.close());

  it('are listed', async () => {
    const { page, checkScreens } = await television.open('#/series');
    await page.getByRole('link', { name: /Something weekly.*18:00 – 23:00/ }).waitFor();
    await page.getByRole('link', { name: /no such thing/ }).waitFor();
    await checkScreens('series');
  });

  it('have a preview', async () => {
    const { page, checkScreens } = await television.open(
      `#/series?title=${encodeURIComponent(title)}&service=${encodeURIComponent(reference)}`,
    );
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    expect(await dialog.getByLabel('Search text').inputValue()).toBe(title);
    await dialog.getByText(/in the guide$/).waitFor();
    await dialog.getByRole('listitem').first().waitFor();
    await checkScreens('rule');
    await dialog.getByText('More', { exact: true }).click();
    await checkScreens('rule with everything');
  });

  it('are recorded by a rule for an event, edited with a live preview', async () => {
    const { page, complaints } = await television.open(
      `#/series?title=${encodeURIComponent(title)}&service=${encodeURIComponent(reference)}`,
    );
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    const found = dialog.getByRole('status');
    await found.filter({ hasText: /in the guide$/ }).waitFor();
    await dialog.getByLabel(/^Repeats/).selectOption('Record all');
    await found.filter({ hasText: /^([2-9]|\d{2,}) now/ }).waitFor();
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add pattern' }).nth(1).click();
    await dialog.getByRole('textbox', { name: 'Pattern' }).fill('.');
    await found.filter({ hasText: /^0 / }).waitFor();
    await dialog.getByRole('button', { name: 'Remove pattern' }).click();
    await found.filter({ hasText: /^([2-9]|\d\d)/ }).waitFor();
    await dialog.getByLabel('Rule name').fill('By hand');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: /By hand.*timers/ }).waitFor();
    expect(await rule('By hand')).toMatchObject({ match: title, services: [reference], exclude: [], enabled: true });
    expect(complaints()).toEqual([]);
  });

  it('are limited to several channels and bouquets, and show which of these no longer exist', async () => {
    const gone = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.gone.tv" ORDER BY bouquet';
    const { page, checkScreens, complaints } = await television.open('#/series?rule=new');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByLabel('Search text').fill('Several');
    const channels = dialog.getByRole('group', { name: 'Channels' });
    const picker = channels.getByRole('combobox');
    const shown = () =>
      picker.evaluate(
        (select) => (select as unknown as { selectedOptions: ArrayLike<{ text: string }> }).selectedOptions[0]?.text,
      );
    expect(await shown()).toBe('All channels');
    await picker.locator('optgroup option').nth(1).waitFor({ state: 'attached' });
    const [first = '', second = ''] = await picker
      .locator('optgroup option')
      .evaluateAll((options) => (options as unknown as { text: string }[]).map(({ text }) => text));
    for (const name of [first, second]) {
      await picker.selectOption({ label: name });
      await channels.getByRole('button', { name: `Remove ${name}` }).waitFor();
      expect(await shown()).toBe('Add a channel…');
    }
    await channels.getByRole('button', { name: 'Add bouquet' }).click();
    const bouquets = page.getByRole('dialog', { name: 'Bouquets' });
    const bouquet = bouquets.getByRole('listitem').getByRole('button').first();
    const bouquetName = (await bouquet.textContent()) ?? '';
    await bouquet.click();
    await channels.getByRole('button', { name: `Remove ${bouquetName}` }).waitFor();
    await checkScreens('rule for several channels');
    await channels.getByRole('button', { name: `Remove ${first}` }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: /^Several/ }).waitFor();
    const stored = await rule('Several');
    expect([stored?.services.length, stored?.bouquets.length]).toEqual([1, 1]);
    // The interface of the plug-in accepts bouquets that do not exist.
    const form = new URLSearchParams({ id: String(stored?.id), bouquets: gone });
    await fetch(`${television.program.http}/autotimer/edit`, { method: 'POST', body: form });
    await page.getByRole('link', { name: /^Several.*1 channel or bouquet no longer exists/ }).click();
    const again = page.getByRole('dialog', { name: 'Several' });
    await again.getByText('no longer exists; finds nothing').waitFor();
    await again.getByRole('button', { name: /^Remove .*userbouquet.gone/ }).click();
    await again.getByRole('button', { name: 'Save' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await rule('Several')).toMatchObject({ services: stored?.services, bouquets: [] });
    expect(complaints()).toEqual([]);
  });

  it('are edited to match every channel, every day, at any time', async () => {
    await make({ match: 'weather', name: 'Changing', services: [reference], from: '18:00', weekdays: 1 });
    const { page, complaints } = await television.open('#/series');
    await page.getByRole('link', { name: /Changing/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Changing' });
    await dialog
      .getByRole('group', { name: 'Channels' })
      .getByRole('button', { name: /^Remove/ })
      .click();
    await dialog.getByLabel('Earliest start').fill('');
    await dialog.getByLabel('Latest start').fill('22:30');
    await dialog.getByRole('checkbox', { name: 'Mon' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await rule('Changing')).toMatchObject({ services: [], from: null, to: '22:30', weekdays: 0 });
    expect(complaints()).toEqual([]);
  });

  it('show why a rule is refused', async () => {
    const { page } = await television.open('#/series?rule=new');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByLabel('Search text').fill('weather');
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add pattern' }).first().click();
    await dialog.getByRole('textbox', { name: 'Pattern' }).fill('(');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('include').waitFor();
  });

  it('are switched off and on', async () => {
    await make({ match: 'weather', name: 'Switched' });
    const { page } = await television.open('#/series');
    const toggle = page.getByRole('switch', { name: 'Rule Switched' });
    await toggle.click();
    await expect.poll(async () => (await rule('Switched'))?.enabled, longTimeout).toBe(false);
    await expect.poll(() => toggle.getAttribute('aria-checked'), longTimeout).toBe('false');
    await toggle.click();
    await expect.poll(async () => (await rule('Switched'))?.enabled, longTimeout).toBe(true);
  });

  it('are deleted with their timers, and both are restored by undoing', async () => {
    await make({ match: otherTitle, name: 'Taken back', searchType: 'exact', marginBefore: 11 });
    const before = await rule('Taken back');
    /** Start times of its timers. */
    const begins = async () => {
      const { timers } = await television.program.json<{ timers: readonly { name: string; begin: number }[] }>(
        '/api/timerlist',
      );
      return timers.filter(({ name }) => name === otherTitle).map(({ begin }) => begin);
    };
    const planned = await begins();
    expect(planned.length).toBeGreaterThan(0);
    const { page, complaints } = await television.open('#/series');
    await page.getByRole('button', { name: 'Delete rule Taken back' }).click();
    await page.getByRole('link', { name: /Taken back/ }).waitFor({ state: 'detached' });
    expect(await rule('Taken back')).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /Taken back/ }).waitFor();
    expect(await rule('Taken back')).toEqual({ ...before, id: expect.any(Number), timers: expect.any(Number) });
    // The timers follow after the rule. Meanwhile the guide may have grown, or an event may have started.
    await eventually(async () => {
      const again = new Set(await begins());
      const now = television.now();
      return planned.every((begin) => begin <= now || again.has(begin)) || undefined;
    }, 'all timers that are still to come');
    expect(complaints()).toEqual([]);
  });

  it('are imported from an autotimer.xml of Enigma2, with a report of what was left out', async () => {
    const file = join(television.program.folder, 'autotimer.xml');
    const timers = '<timer name="Imported" match="harbour" enabled="yes"/>\n<timer name="Third"/>';
    writeFileSync(file, `<?xml version="1.0" ?>\n<autotimer version="8">\n${timers}\n</autotimer>\n`);
    const { page, complaints } = await television.open('#/series');
    await page.getByLabel('Import autotimer.xml').last().setInputFiles(file);
    const dialog = page.getByRole('dialog', { name: '1 rule imported' });
    await dialog.getByText('Third').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /Imported/ }).waitFor();
    expect(await rule('Imported')).toMatchObject({ match: 'harbour', enabled: true });
    expect(complaints()).toEqual([]);
  });
});
