/** The languages of the page: complete, chosen by the browser or by the user, and also right-to-left. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import english from '../../src/ui/languages/en.ts';
import { eventually } from '../fixtures/waits.ts';
import { browser, openTelevision, screens, showOn, type Television } from './open-page.ts';

interface Found {
  readonly id: number;
  readonly service_reference: string;
}

type Section = Readonly<Record<string, string | ((...values: readonly never[]) => string)>>;

const folder = new URL('../../src/ui/languages/', import.meta.url);
const others = readdirSync(folder).filter((file) => file !== 'en.ts');

describe.each(others)('%s', async (file) => {
  const { default: words } = (await import(new URL(file, folder).href)) as { default: Record<string, Section> };

  it.each(Object.entries(english as Record<string, Section>))('has every text of %s', (name, section) => {
    const own = words[name] ?? {};
    expect(Object.keys(own)).toEqual(Object.keys(section));
    for (const [key, word] of Object.entries(section)) {
      const translated = own[key];
      expect(typeof translated, key).toBe(typeof word);
      if (typeof word === 'function') expect(translated, key).toHaveLength(word.length);
      else expect(translated, key).toMatch(/\S/);
    }
  });
});

describe.skipIf(!browser)('the page', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it('is in the language that the browser requests', async () => {
    const { page, check } = await television.open('#/channels', { ...screens[2], locale: 'de-DE' });
    await page.getByRole('link', { name: 'Aufnahmen' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Sender' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    await check('channels in German');
  });

  it.each([
    ['en-US', /^[1-9]\d?:\d\d\s[AP]M$/],
    ['en-GB', /^\d\d:\d\d$/],
  ])('shows times as usual in %s', async (locale, form) => {
    const { page } = await television.open('#/channels', { ...screens[0], locale });
    await page.locator('.now progress').first().waitFor();
    const texts = await page.locator('.clock, .next time').allTextContents();
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(text).toMatch(form);
  });

  it('translates genres', async () => {
    const found = await eventually(async () => {
      const path = '/api/eventsearch?what=aldermoor+news&max_rows=1';
      return (await television.program.json<{ events: readonly Found[] }>(path)).events[0];
    }, 'the guide');
    const { id, service_reference: of } = found;
    const path = `#/?event=${id}&of=${encodeURIComponent(of)}`;
    const { page } = await television.open(path, { ...screens[0], locale: 'de-DE' });
    await page.getByRole('dialog').getByText('Nachrichten', { exact: true }).waitFor();
  });

  it('stays in the language that the user chooses', async () => {
    const { page, complaints } = await television.open('');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Français');
    await page.getByRole('link', { name: 'Enregistrements' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Enregistrements' }).click();
    await page.getByRole('heading', { level: 1, name: 'Enregistrements' }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it('can be right-to-left', async () => {
    const { page } = await television.open('#/channels');
    for (const path of ['home', 'channels', 'guide', 'timers', 'recordings', 'remote'] as const) {
      await page.goto(`${television.program.http}/#/${path === 'home' ? '' : path}`);
      await page.getByRole('heading', { level: 1, name: english.app[path], exact: true }).waitFor();
      await page.evaluate("document.documentElement.dir = 'rtl'");
      for (const screen of screens) {
        await showOn(page, screen);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
      }
    }
  });
});
