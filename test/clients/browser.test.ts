/** The page of the interface in a real browser, on a desktop and on a phone: contents, layout and operation. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { browser, openBrowser, type Page } from './browser.ts';

const screens = [
  { screen: 'a desktop', width: 1280, height: 900, isPhone: false },
  { screen: 'a phone', width: 360, height: 740, isPhone: true },
];

describe.skipIf(!browser)('a browser', () => {
  const folder = temporaryFolder();
  let program: Program;
  let page: Page;

  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
    page = await openBrowser(browser ?? '', join(folder, 'browser'));
  });

  afterAll(async () => {
    await page?.close();
    await program?.stop();
    removeFolder(folder);
  });

  const words = (selector: string) => page.evaluate<string>(`document.querySelector('${selector}').innerText`);
  /** The page is no wider than the screen: nothing needs sideways scrolling or is cut off. */
  const fits = async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  };
  /** For visual checks: saves screenshots to the folder in RECEIVERD_SCREENSHOTS. */
  const keep = async (name: string) => {
    const pictures = process.env.RECEIVERD_SCREENSHOTS;
    const picture = await page.screenshot();
    expect(picture.length).toBeGreaterThan(5000);
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, `${name}.png`), picture);
  };

  it('reports failures', async () => {
    await page.open(`${program.http}/ui/api.html`);
    await page.evaluate("fetch('/nothing').then(() => console.error('nothing'))");
    expect(page.complaints()).toContainEqual(expect.stringContaining('/nothing'));
  });

  describe.each(screens)('on $screen', ({ screen, width, height, isPhone }) => {
    beforeEach(() => page.resize(width, height, isPhone));

    it('shows the interface, and tries an operation', async () => {
      await page.open(`${program.http}/ui/api.html`);
      await page.until("document.querySelectorAll('.entry').length > 100");
      expect(await words('#about')).not.toBe('');
      await fits();
      await keep(`interface on ${screen}`);
      await page.evaluate(`[...document.querySelectorAll('.entry')].find((entry) =>
        entry.querySelector('summary code').innerText === 'vol').open = true`);
      await page.until("document.querySelector('.entry[open] .inside button')");
      await page.evaluate(`(() => {
        const inside = document.querySelector('.entry[open] .inside');
        const [field] = inside.querySelectorAll('[name=set]');
        field.value = 'set42';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        inside.querySelector('button').click();
      })()`);
      await page.until("document.querySelector('.entry[open] pre').innerText.includes('42')");
      expect(await words('.entry[open] pre')).toMatch(/^200 /);
      expect(await program.json('/api/vol')).toMatchObject({ current: 42 });
      await page.evaluate("document.querySelector('.entry[open]').scrollIntoView()");
      await fits();
      await keep(`an operation on ${screen}`);
      await page.evaluate(`(() => {
        const field = document.querySelector('#filter');
        field.value = 'sleeptimer';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
      expect(
        await page.evaluate(
          "[...document.querySelectorAll('.entry')].filter((entry) => entry.checkVisibility()).length",
        ),
      ).toBe(1);
      expect(page.complaints()).toEqual([]);
    });
  });
});
