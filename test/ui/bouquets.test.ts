/** The bouquet editor, and the parental lock. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { browser, openTelevision, type Television, untilToast } from './open-page.ts';

interface Entry {
  readonly name: string;
  readonly reference: string;
  readonly kind: string;
  readonly own: string;
  readonly hidden: boolean;
}

describe.skipIf(!browser)('the bouquet editor', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  const names = async () => {
    const { bouquets } = await television.program.json<{ bouquets: readonly { name: string }[] }>('/bouquets');
    return bouquets.map(({ name }) => name);
  };
  const entries = async () =>
    (await television.program.json<{ entries: readonly Entry[] }>('/bouquets/userbouquet.favourites.tv')).entries;
  const until = (what: string, isSo: () => Promise<boolean>) =>
    eventually(async () => (await isSo()) || undefined, what);

  it('lists the bouquets', async () => {
    const { page, checkScreens } = await television.open('#/bouquets');
    await page
      .getByRole('button', { name: /^Rename / })
      .first()
      .waitFor();
    await checkScreens('bouquets');
  });

  it('lists the entries of a bouquet', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    await page.getByRole('link', { name: 'Edit this bouquet' }).click();
    await page.getByRole('button', { name: 'Rename Aldermoor One' }).waitFor();
    await checkScreens('bouquet');
  });

  it('adds a bouquet, renames it, fills it and deletes it', async () => {
    const { page, check, complaints } = await television.open('#/bouquets');
    await page.getByRole('button', { name: 'New bouquet' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Films');
    await check('new bouquet');
    await dialog.getByRole('button', { name: 'New bouquet' }).click();
    await page.getByRole('button', { name: 'Rename Films' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Cinema');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Cinema' }).click();
    await page.getByRole('button', { name: 'Add channels' }).click();
    await dialog.getByLabel('Channel name').fill('talblick');
    await dialog.getByRole('checkbox', { name: 'Talblick 24' }).check();
    await check('add channels');
    await dialog.getByRole('button', { name: 'Add 1 channel' }).click();
    await page.getByRole('button', { name: 'Remove Talblick 24' }).waitFor();
    await page.getByRole('link', { name: 'Back to the bouquets' }).click();
    await page.getByRole('button', { name: 'Delete Cinema' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Cinema' }).waitFor({ state: 'detached' });
    expect(await names()).not.toContain('Cinema');
    expect(complaints()).toEqual([]);
  });

  it('moves channels with the keyboard and by dragging', async () => {
    const [first = '', second = '', third = ''] = (await entries()).map(({ name }) => name);
    const { page, complaints } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: `Move ${first}`, exact: true }).press('ArrowDown');
    await page.getByText(`${first} is now 2 of`).waitFor();
    await until('the order', async () => (await entries())[0]?.name === second);
    await page
      .getByRole('listitem')
      .filter({ hasText: second })
      .dragTo(page.getByRole('listitem').filter({ hasText: third }));
    await until('the order', async () => (await entries())[0]?.name === first);
    expect((await entries()).slice(0, 3).map(({ name }) => name)).toEqual([first, third, second]);
    expect(complaints()).toEqual([]);
  });

  it('continues a drag while the list reloads', async () => {
    const [first = '', second = '', third = ''] = (await entries()).map(({ name }) => name);
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row(first).waitFor();
    let saved = 0;
    page.on('response', (response) => {
      if (response.request().method() === 'PUT') saved++;
    });
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/bouquets/userbouquet.favourites.tv', async (route) => {
      if (route.request().method() === 'GET') await released;
      await route.continue();
    });
    await page.getByRole('button', { name: `Move ${first}`, exact: true }).press('ArrowDown');
    await row(second).hover();
    await page.mouse.down();
    await row(third).hover();
    const again = page.waitForResponse(
      (response) => response.request().method() === 'GET' && response.url().endsWith('/userbouquet.favourites.tv'),
    );
    release();
    await (await again).finished();
    await row(first).hover();
    await page.mouse.up();
    await until('both moves are saved', async () => saved === 2);
    expect((await entries()).slice(0, 3).map(({ name }) => name)).toEqual([first, second, third]);
  });

  it('hides and renames a channel', async () => {
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: 'Hide Talblick 24' }).click();
    await until('it is hidden', async () =>
      (await entries()).some(({ name, hidden }) => name === 'Talblick 24' && hidden),
    );
    await page.getByRole('button', { name: 'Hide Talblick 24', pressed: true }).click();
    await until('it is shown', async () => !(await entries()).some(({ hidden }) => hidden));
    await page.getByRole('button', { name: 'Rename Talblick 24' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Valley');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Rename Valley' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Rename Talblick 24' }).waitFor();
    // The page shows it before it is saved.
    await until('it has its name again', async () => (await entries()).every(({ own }) => own === ''));
  });

  it('renames a channel that another client hides at the same time', async () => {
    const before = await entries();
    const put = (all: readonly object[]) =>
      fetch(`${television.program.http}/bouquets/userbouquet.favourites.tv`, {
        method: 'PUT',
        body: new URLSearchParams({ entries: JSON.stringify(all) }),
      });
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: 'Rename Talblick 24' }).click();
    await put(before.map((one) => ({ ...one, hidden: one.name === 'Talblick 24' })));
    await page.locator('li [aria-pressed=true]').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Valley');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const show = page.getByRole('button', { name: 'Hide Valley', pressed: true });
    await show.press('Enter');
    await show.waitFor({ state: 'detached' });
    // The row is still the same element.
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Hide Valley');
    expect((await entries()).filter(({ own }) => own !== '')).toMatchObject([{ own: 'Valley', hidden: false }]);
    await put(before);
  });

  it('keeps a change that the list on the screen does not show yet', async () => {
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: 'Hide Talblick 24' }).waitFor();
    // After the first change, the page cannot reload its list before the second one.
    const { promise: released, resolve: release } = withResolvers();
    let isChanged = false;
    await page.route('**/bouquets/userbouquet.favourites.tv', async (route) => {
      if (route.request().method() === 'PUT') isChanged = true;
      else if (isChanged) await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Hide Talblick 24' }).click();
    await until('the first change', async () => isChanged);
    await page.getByRole('button', { name: 'Hide Aldermoor One' }).click();
    release();
    const hidden = async () => (await entries()).filter((one) => one.hidden).map(({ name }) => name);
    await until('both are hidden', async () => (await hidden()).join() === 'Aldermoor One,Talblick 24');
    await page.getByRole('button', { name: 'Hide Talblick 24', pressed: true }).click();
    await page.getByRole('button', { name: 'Hide Aldermoor One', pressed: true }).click();
    await until('both are shown', async () => (await hidden()).length === 0);
  });

  it('moves a channel by keys that are pressed faster than the receiver saves', async () => {
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: 'Move Aldermoor One', exact: true }).focus();
    const names = async () => (await entries()).map(({ name }) => name);
    const [first = '', ...others] = await names();
    expect(first).toBe('Aldermoor One');
    // The first order is saved and loaded again while the second one waits.
    const { promise: released, resolve: release } = withResolvers();
    let [saved, reloaded] = [0, 0];
    await page.route('**/bouquets/userbouquet.favourites.tv', async (route) => {
      if (route.request().method() === 'PUT' && ++saved === 2) await released;
      await route.continue();
    });
    page.on('response', (response) => {
      if (saved > 0 && response.request().method() === 'GET' && response.url().includes('/bouquets/')) reloaded++;
    });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await until('the list is loaded after the first order', async () => reloaded > 0 && saved > 1);
    await page.keyboard.press('ArrowDown');
    release();
    const moved = [...others.slice(0, 3), first, ...others.slice(3)];
    await until('it has moved by three', async () => (await names()).join() === moved.join());
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Move Aldermoor One');
    await page.keyboard.press('Home');
    await until('it is back', async () => (await names()).join() === [first, ...others].join());
  });

  it('reports a change without a response, and repeats a request for the list', async () => {
    const { page } = await television.open('#/bouquets');
    const lost = new Set(['PUT', 'GET']);
    await page.route('**/bouquets/userbouquet.favourites.tv', (route) =>
      lost.delete(route.request().method()) ? route.abort() : route.continue(),
    );
    await page.goto(`${television.program.http}/#/bouquets?file=userbouquet.favourites.tv`);
    await page.getByRole('button', { name: 'Hide Talblick 24' }).click();
    await page.getByText('The receiver did not respond').waitFor();
    expect(lost.size).toBe(0);
    expect((await entries()).some(({ hidden }) => hidden)).toBe(false);
  });

  it('undoes the removal of an entry', async () => {
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    const names = () => page.getByRole('listitem').allTextContents();
    await page.getByRole('button', { name: 'Remove Talblick 24' }).waitFor();
    const before = await names();
    await page.getByRole('button', { name: 'Remove Talblick 24' }).click();
    await page.getByText('Talblick 24 removed').waitFor();
    await page.getByRole('button', { name: 'Remove Talblick 24' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove Talblick 24' }).waitFor();
    expect(await names()).toEqual(before);
  });

  /** A bouquet with the channels of the demo, in two sections. */
  const addBouquet = async (name: string) => {
    const post = await fetch(`${television.program.http}/bouquets`, {
      method: 'POST',
      body: new URLSearchParams({ name }),
    });
    const { file } = (await post.json()) as { readonly file: string };
    const all = (await entries()).filter(({ kind }) => kind === 'service');
    const marker = (text: string) => ({ reference: `1:64:0:0:0:0:0:0:0:0::${text}`, own: text });
    const filled = [marker('First'), ...all.slice(0, 3), marker('Second'), ...all.slice(3, 6)];
    await fetch(`${television.program.http}/bouquets/${file}`, {
      method: 'PUT',
      body: new URLSearchParams({ entries: JSON.stringify(filled) }),
    });
    const listed = async () =>
      (await television.program.json<{ entries: readonly Entry[] }>(`/bouquets/${file}`)).entries.map(
        ({ name: entry, hidden }) => (hidden ? `(${entry})` : entry),
      );
    return { file, listed, before: await listed(), address: `#/bouquets?file=${file}` };
  };

  it('hides the channels of a section that is found by its name, and undoes that', async () => {
    const { listed, before, address } = await addBouquet('Sections');
    const { page, check, complaints } = await television.open(address);
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill('second');
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'All', exact: true }).click();
    await bar.getByText('4 of 8 selected').waitFor();
    await check('selection');
    await bar.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByText('3 channels hidden').waitFor();
    const hidden = before.map((name, place) => (place > 4 ? `(${name})` : name));
    expect(await listed()).toEqual(hidden);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Select Second and its channels');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('they are shown', async () => (await listed()).join() === before.join());
    expect(complaints()).toEqual([]);
  });

  it('hides a channel in all bouquets that have it, and undoes that', async () => {
    const [one, two] = [await addBouquet('One of two'), await addBouquet('Two of two')];
    const { page, complaints } = await television.open(one.address);
    await page.getByRole('checkbox', { name: `Select ${one.before[1]}`, exact: true }).check();
    await page.getByRole('button', { name: 'Hide in all bouquets' }).click();
    await page.getByText(/Hidden in \d+ bouquets/).waitFor();
    const hidden = one.before.map((name, place) => (place === 1 ? `(${name})` : name));
    expect([await one.listed(), await two.listed()]).toEqual([hidden, hidden]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('it is shown', async () => (await two.listed()).join() === two.before.join());
    await until('it is shown here', async () => (await one.listed()).join() === one.before.join());
    expect(complaints()).toEqual([]);
  });

  it('finds a bouquet by its name', async () => {
    for (let count = 1; count <= 9; count++) await addBouquet(`Number ${count}`);
    const { page, checkScreens } = await television.open('#/bouquets');
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill('number 7');
    await until('one bouquet', async () => (await page.locator('.sortable li:visible').count()) === 1);
    await checkScreens('filtered bouquets');
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill('nothing like this');
    await page.getByText('No bouquets found.').waitFor();
  });

  it('chooses a range with the shift key, and removes it', async () => {
    const { listed, before, address } = await addBouquet('Range');
    const { page } = await television.open(address);
    const box = (place: number) => page.getByRole('checkbox', { name: `Select ${before[place]}`, exact: true });
    await box(1).click();
    await box(3).click({ modifiers: ['Shift'] });
    expect(await box(2).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('3 entries removed').waitFor();
    expect(await listed()).toEqual(before.toSpliced(1, 3));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('they are back', async () => (await listed()).join() === before.join());
  });

  it('chooses a section by the keyboard, and moves it to a position', async () => {
    const { listed, before, address } = await addBouquet('Positions');
    const { page, check } = await television.open(address);
    await page.getByRole('checkbox', { name: `Select ${before[3]}`, exact: true }).press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('4 of 8 selected').waitFor();
    await page.getByRole('button', { name: 'Move', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Move 4 entries' });
    await dialog.getByLabel('Position').selectOption('At a number');
    await dialog.getByRole('spinbutton').fill('2');
    await check('move');
    await dialog.getByRole('spinbutton').press('Enter');
    await page.getByText('4 entries moved').waitFor();
    const [first = '', ...rest] = before;
    expect(await listed()).toEqual([first, ...before.slice(4), ...rest.slice(0, 3)]);
    expect(await page.evaluate('document.activeElement.type')).toBe('checkbox');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('they are back', async () => (await listed()).join() === before.join());
  });

  it('moves and copies channels to another bouquet', async () => {
    const [from, to] = [await addBouquet('From'), await addBouquet('To')];
    const { page } = await television.open(from.address);
    const dialog = page.getByRole('dialog');
    const send = async (place: number, isCopy: boolean) => {
      await page.getByRole('checkbox', { name: `Select ${from.before[place]}`, exact: true }).check();
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await dialog.getByLabel('Bouquet').selectOption('To');
      if (isCopy) await dialog.getByLabel('Keep them in this bouquet too').check();
      await dialog.getByRole('button', { name: isCopy ? 'Copy' : 'Move' }).click();
    };
    await send(1, true);
    await page.getByText('1 entry copied to To').waitFor();
    expect(await from.listed()).toEqual(from.before);
    await send(2, false);
    await page.getByText('1 entry moved to To').waitFor();
    expect(await from.listed()).toEqual(from.before.toSpliced(2, 1));
    const [copied = '', moved = ''] = from.before.slice(1);
    expect(await to.listed()).toEqual([moved, copied, ...to.before]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('it is back', async () => (await from.listed()).join() === from.before.join());
    await until('it is gone there', async () => (await to.listed()).join() === [copied, ...to.before].join());
  });

  it('adds several channels that a filter finds, and undoes that', async () => {
    const { file, listed, before, address } = await addBouquet('Radio too');
    const { page } = await television.open(address);
    await page.getByRole('button', { name: 'Add channels' }).click();
    const dialog = page.getByRole('dialog');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    const free = dialog.getByRole('checkbox', { disabled: false });
    await dialog
      .getByRole('checkbox', { name: before[1] ?? '' })
      .and(page.locator(':disabled:checked'))
      .waitFor();
    await dialog.getByLabel('Resolution').selectOption('Radio');
    await until(
      'only radio is shown',
      async () => !(await dialog.getByRole('listitem').allInnerTexts()).some((text) => !text.includes('Radio')),
    );
    await free.nth(0).click();
    await free.nth(1).click({ modifiers: ['Shift'] });
    await dialog.getByRole('button', { name: 'Add 2 channels' }).click();
    await page.getByText('2 channels added').waitFor();
    const added = (await listed()).slice(before.length);
    expect(added).toHaveLength(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(`they are removed from ${file}`, async () => (await listed()).join() === before.join());
  });

  it('imports the channels of an M3U list', async () => {
    const { page } = await television.open('#/bouquets');
    await page.getByRole('button', { name: 'Import M3U' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('List (M3U)').setInputFiles({
      name: 'Provider.m3u',
      mimeType: 'audio/x-mpegurl',
      buffer: Buffer.from(
        '#EXTM3U url-tvg="http://192.0.2.7/guide.xml"\n#EXTINF:-1 group-title="News",Web One\nhttp://192.0.2.7/one.ts\nrtmp://x\n',
      ),
    });
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('1 channel imported into Provider').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['line 4: rtmp is not supported']);
    await dialog.getByText('The list names a guide.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Provider' }).click();
    await page.getByRole('button', { name: 'Rename Web One' }).waitFor();
  });

  it('finds a channel by a name without accents', async () => {
    const { page } = await television.open('#/bouquets?file=userbouquet.favourites.tv');
    await page.getByRole('button', { name: 'Add channels' }).click();
    await page.getByRole('dialog').getByRole('searchbox').fill('oree');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Canal Orée' }).first().waitFor();
  });

  it('locks a channel, and asks for the PIN before playing it', async () => {
    const { page } = await television.open('#/bouquets');
    await page.getByRole('button', { name: 'Parental lock' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^New PIN/).fill('4711');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await untilToast(page, 'PIN set');
    await page.goto(`${television.program.http}/#/bouquets?file=userbouquet.favourites.tv`);
    await page.getByRole('button', { name: 'Lock Aldermoor One' }).click();
    await dialog.getByLabel('Parental lock PIN').fill('1');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await page.getByText('the PIN of the parental lock is wrong').waitFor();
    await dialog.getByLabel('Parental lock PIN').fill('4711');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await page.getByRole('button', { name: 'Lock Aldermoor One', pressed: true }).waitFor();
    expect(readFileSync(join(television.program.folder, 'enigma2', 'blacklist'), 'utf8')).toMatch(/^1:0:/);
    await page.goto(`${television.program.http}/#/channels`);
    await page.getByRole('button', { name: 'More: Aldermoor One' }).click();
    await page.getByRole('button', { name: 'Zap to Aldermoor One' }).click();
    await page.getByRole('dialog', { name: 'Aldermoor One is locked' }).waitFor();
    await dialog.getByLabel('Parental lock PIN').fill('1');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await page.getByText('the PIN of the parental lock is wrong').waitFor();
    await dialog.getByLabel('Parental lock PIN').fill('4711');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await page.getByText('Switched to Aldermoor One').waitFor();
    await page.getByRole('link', { name: /^1 Aldermoor One/ }).click();
    await page.getByRole('dialog', { name: 'Aldermoor One is locked' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('video').count()).toBe(0);
    await page.getByRole('button', { name: 'Enter PIN' }).click();
    await dialog.getByLabel('Parental lock PIN').fill('4711');
    await page.keyboard.press('Enter');
    await page.locator('video').waitFor();
  });
});
