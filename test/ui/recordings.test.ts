/** The recordings page, with real recordings of the demo tuner. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCuts } from '../../src/recordings/files/cuts-file.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { eventually } from '../fixtures/waits.ts';
import { browser, openTelevision, screens, stopRecording, type Television, untilToast } from './open-page.ts';

interface Recording {
  readonly label: string;
  readonly filename: string;
  readonly recording: boolean;
  readonly length: number | null;
}

describe.skipIf(!browser)('the recordings', () => {
  let television: Television;
  let location: string;
  let reference: string;
  /** The file of the first recording, and its length in seconds. */
  let seen: string;
  let seenSeconds: number;
  let written = 0;

  const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, form: object = {}) => {
    const response = await fetch(`${television.program.http}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    const answer = (await response.json()) as { result: boolean; items?: readonly { timer_id: number }[] };
    expect(answer.result).toBe(true);
    return answer;
  };

  async function recordings(folder = location): Promise<readonly Recording[]> {
    const path = `/recordings?recursive=0&folder=${encodeURIComponent(folder)}`;
    return (await television.program.json<{ items: readonly Recording[] }>(path)).items;
  }

  const titles = async (folder = location) => (await recordings(folder)).map(({ label }) => label);

  /** Records some seconds of the demo. */
  async function record(title: string): Promise<Recording> {
    const begin = television.now();
    const order = { service_reference: reference, title, shortinfo: 'Made by a test', start_time: begin };
    const { items } = await send('POST', '/timers', { ...order, end_time: begin + 3600 });
    const path = `/timers/${encodeURIComponent(reference)}/t${items?.[0]?.timer_id}`;
    const find = async (isRunning: boolean) =>
      (await recordings()).find(
        (one) => one.label === title && one.recording === isRunning && (isRunning || (one.length ?? 0) > 0),
      );
    await eventually(async () => {
      const running = await find(true);
      return (running?.length ?? 0) >= 2 || undefined;
    }, `Recording ${title}`);
    await send('PUT', path, { end_time: television.now() });
    return eventually(() => find(false), `${title} is recorded`);
  }

  /** A copy of the first recording, dated a minute after the previous copy. */
  function write(title: string, text = 'Made by a test'): string {
    const path = join(location, `${title} ${++written}.ts`);
    const meta = readFileSync(`${seen}.meta`, 'utf8').split('\n');
    meta[1] = title;
    meta[2] = text;
    meta[3] = String(Number(meta[3]) + 60 * written);
    writeRecording(path, { content: readFileSync(seen), meta });
    copyFileSync(`${seen}.ap`, `${path}.ap`);
    return path;
  }

  beforeAll(async () => {
    television = await openTelevision();
    const { default: folder } = await television.program.json<{ default: string }>('/api/getlocations');
    location = folder;
    mkdirSync(join(location, 'series'), { recursive: true });
    const { services } = await television.program.json<{
      services: readonly { subservices: readonly { servicereference: string }[] }[];
    }>('/api/getallservices');
    reference = services[0]?.subservices[1]?.servicereference ?? '';
    await television.program.get(`/api/zap?sRef=${encodeURIComponent(reference)}`);
    const harbour = await record('The harbour');
    seen = harbour.filename;
    seenSeconds = harbour.length ?? 0;
    writeFileSync(`${seen}.cuts`, formatCuts([{ kind: 3, position: seenSeconds * 45_000 }]));
    write('Mountain weather');
  });
  afterAll(() => television?.close());

  it('are listed, with the free space in hours', async () => {
    const { page, checkScreens } = await television.open('#/recordings');
    await page.getByRole('link', { name: /The harbour.*Made by a test/ }).waitFor();
    await page.getByText(/ free, about [\d,]+ hours/).waitFor();
    await page.getByText('Assuming 4 GB per hour').waitFor();
    await page.getByRole('link', { name: 'series', exact: true }).waitFor();
    await checkScreens('recordings');
  });

  it('show their details', async () => {
    const { page, checkScreens } = await television.open('#/recordings');
    await page.getByRole('link', { name: /Mountain weather.*Made by a test/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Mountain weather' });
    await dialog.getByRole('button', { name: 'Rename' }).waitFor();
    const playlist = await dialog.getByRole('link', { name: 'Open in app' }).getAttribute('href');
    expect(await (await fetch(new URL(playlist ?? '', page.url()))).text()).toContain('#EXTM3U');
    await checkScreens('recording');
  });

  it('resume where playback was stopped', async () => {
    const { page } = await television.open('#/recordings');
    const middle = Math.floor(seenSeconds / 2);
    const position = `${Math.floor(middle / 60)}:${String(middle % 60).padStart(2, '0')}`;
    const link = page.getByRole('link', { name: `Resume at ${position}: The harbour` });
    expect(await link.getAttribute('href')).toContain('#/watch?recording=');
    await page.getByRole('link', { name: /The harbour.*Made by a test/ }).click();
    const fromStart = page.getByRole('dialog').getByRole('link', { name: 'Play from beginning' });
    expect(await fromStart.getAttribute('href')).toContain('&from=start');
  });

  it('get longer in the player while they are running', async () => {
    const begin = television.now();
    const order = { service_reference: reference, title: 'The tide', start_time: begin, end_time: begin + 3600 };
    const { items } = await send('POST', '/timers', order);
    const growing = await eventually(
      async () => (await recordings()).find(({ label, length }) => label === 'The tide' && length),
      'it is being made',
    );
    const { page } = await television.open(`#/watch?recording=${encodeURIComponent(growing.filename)}`);
    const end = async () => Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('max'));
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await end();
    await eventually(async () => (await end()) > before + 5 || undefined, 'its end is farther away');
    await send('DELETE', `/timers/${encodeURIComponent(reference)}/t${items?.[0]?.timer_id}`);
    // It is of the same series as the others.
    await send('POST', `/api/moviedelete?force&sRef=${encodeURIComponent(growing.filename)}`);
  });

  it('are searched and sorted', async () => {
    const { page } = await television.open('#/recordings');
    const rows = page.getByRole('link', { name: /Made by a test/ });
    await rows.first().waitFor();
    await page.getByLabel('Sort by').selectOption('Title');
    await rows.first().filter({ hasText: 'Mountain weather' }).waitFor();
    await page.getByLabel('Sort by').selectOption('Oldest first');
    await rows.first().filter({ hasText: 'The harbour' }).waitFor();
    await page.getByLabel('Search recordings').fill('háRbour');
    await page
      .getByRole('link', { name: /Mountain weather/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Search recordings').fill('nothing like it');
    await page.getByText('No matching recordings.').waitFor();
  });

  /** Without the requests for pictures of a file that has just been renamed or deleted. */
  const withoutLatePictures = (all: readonly string[]) =>
    all.filter((one) => !/^404 .*\/picture\//.test(one) && !one.startsWith('Failed to load resource'));

  it('are renamed', async () => {
    write('Misnomer');
    const { page, complaints } = await television.open('#/recordings');
    await page.getByRole('link', { name: /Misnomer.*Made by a test/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Misnomer' });
    await dialog.getByLabel('Title').fill('A quiet valley');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('link', { name: /A quiet valley.*Made by a test/ }).waitFor();
    const path = join(location, 'A quiet valley.ts');
    expect(existsSync(path)).toBe(true);
    // By another client.
    await television.program.get(`/api/movierename?sRef=${encodeURIComponent(path)}&newname=A+loud+valley`);
    await page.getByRole('link', { name: /A loud valley.*Made by a test/ }).click();
    await page.getByRole('dialog').getByLabel('Title').fill('Valley: the end');
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: 'Valley: the end' });
    await row.getByRole('link', { name: /^Play: / }).click();
    await page.getByRole('heading', { name: 'Valley: the end' }).waitFor();
    expect(withoutLatePictures(complaints())).toEqual([]);
  });

  it('are copied and moved into another folder', async () => {
    write('Ships');
    const { page, complaints } = await television.open('#/recordings');
    const open = async () => {
      await page.getByRole('link', { name: /Ships.*Made by a test/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Ships' });
      return dialog;
    };
    const first = await open();
    await first.getByLabel('Other folder').selectOption({ label: `${location}series/` });
    await first.getByRole('button', { name: 'Copy' }).click();
    await eventually(async () => (await titles(`${location}series/`)).includes('Ships') || undefined, 'it is copied');
    expect(await titles()).toContain('Ships');
    const copy = (await recordings(`${location}series/`))[0]?.filename ?? '';
    await send('POST', `/api/moviedelete?force&sRef=${encodeURIComponent(copy)}`);
    const second = await open();
    await second.getByLabel('Other folder').selectOption({ label: `${location}series/` });
    await second.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('link', { name: /Ships.*Made by a test/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'series', exact: true }).click();
    await page.getByRole('link', { name: /Ships.*Made by a test/ }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it('are moved into a new folder', async () => {
    write('Tides');
    const { page, check } = await television.open('#/recordings');
    await page.getByRole('link', { name: /Tides.*Made by a test/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Tides' });
    await dialog.getByLabel('Other folder').selectOption({ label: 'New folder…' });
    await dialog.getByRole('textbox', { name: 'New folder' }).fill('The sea');
    await check('new folder');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('link', { name: 'The sea' }).click();
    await page.getByRole('link', { name: /Tides.*Made by a test/ }).waitFor();
    expect(await titles(`${location}The sea/`)).toEqual(['Tides']);
  });

  it('are deleted and moved together', async () => {
    write('Lighthouse');
    write('Ferry');
    const { page, checkScreens } = await television.open('#/recordings');
    const bar = page.getByRole('region', { name: 'Select' });
    const choose = async () => {
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      for (const title of ['Lighthouse', 'Ferry']) await page.getByLabel(`Select ${title}`).check();
      await bar.getByText(/^2 recordings, /).waitFor();
    };
    await choose();
    await checkScreens('recordings selected');
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 recordings moved to trash').waitFor();
    expect(await titles()).not.toContain('Ferry');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /Ferry.*Made by a test/ }).waitFor();
    await page.getByRole('link', { name: /Lighthouse.*Made by a test/ }).waitFor();
    await choose();
    await bar.getByLabel('Other folder').selectOption({ label: `${location}series/` });
    await bar.getByRole('button', { name: 'Move' }).click();
    await untilToast(page, '2 recordings moved');
    expect(await titles(`${location}series/`)).toEqual(expect.arrayContaining(['Lighthouse', 'Ferry']));
    for (const { filename, label } of await recordings(`${location}series/`))
      if (/Lighthouse|Ferry/.test(label))
        await send('POST', `/api/moviedelete?force&sRef=${encodeURIComponent(filename)}`);
  });

  it('of a series are grouped by season, and marked as watched for all clients', async () => {
    const paths = ['S2 E1', 'S1 E2', 'S1 E1'].map((text) => write('The lighthouse', text));
    const { page, checkScreens } = await television.open('#/recordings');
    const row = page.getByRole('listitem').filter({ hasText: '3 unwatched' });
    await row.getByRole('link', { name: /^The lighthouse/ }).click();
    await page.getByRole('heading', { name: 'Season 1' }).waitFor();
    await page.getByRole('heading', { name: 'Season 2' }).waitFor();
    await page.getByRole('link', { name: 'Play: S1 E1', exact: true }).waitFor();
    await checkScreens('series of recordings');
    await page.getByRole('link', { name: /^S1 E1/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as watched' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as unwatched' }).waitFor();
    const { movie } = await television.program.json<{ movie: { lastseen: number; tags: string } }>(
      `/api/moviedetails?sRef=${encodeURIComponent(paths[2] ?? '')}`,
    );
    expect(movie).toMatchObject({ lastseen: 100, tags: expect.stringContaining('PlayCount=1') });
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Play: S1 E2', exact: true }).waitFor();
    // Several at once: all are watched first, and then none.
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    const bar = page.getByRole('region', { name: 'Select' });
    await bar.getByRole('button', { name: 'All' }).click();
    await bar.getByRole('button', { name: 'Mark as watched' }).click();
    await page.getByRole('button', { name: 'Unwatched' }).click();
    await page.getByText('No matching recordings.').waitFor();
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'All' }).click();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await bar.getByRole('button', { name: 'All' }).click();
    await bar.getByRole('button', { name: 'Mark as unwatched' }).click();
    await page.getByRole('link', { name: 'Recordings', exact: true }).last().click();
    await row.waitFor();
    for (const path of paths) await send('POST', `/api/moviedelete?force&sRef=${encodeURIComponent(path)}`);
  });

  it('are followed by the next episode, unless that is cancelled', async () => {
    const paths = ['S1 E1', 'S1 E2', 'S1 E3'].map((text) => write('The ferry', text));
    const { page, check } = await television.open('#/recordings');
    const watch = (path = '') => `#/watch?recording=${encodeURIComponent(path)}`;
    const offer = page.getByRole('region', { name: 'Next episode' });
    const end = async (text: string) => {
      await page.locator('video').dispatchEvent('ended');
      await offer.getByText(text).waitFor();
    };
    await page.clock.install({ time: television.now() * 1000 });
    await page.evaluate(`location.hash = '${watch(paths[0])}'`);
    await end('S1 E2');
    await check('next episode');
    await page.keyboard.press('Escape');
    await offer.waitFor({ state: 'detached' });
    const isWatched = (path = '') =>
      eventually(async () => {
        const { movie } = await television.program.json<{ movie: { tags: string } }>(
          `/api/moviedetails?sRef=${encodeURIComponent(path)}`,
        );
        return movie.tags.includes('PlayCount=1') || undefined;
      }, 'it counts as watched');
    await isWatched(paths[0]);
    // From now on, only the test lets time pass.
    await page.clock.pauseAt((television.now() + 3600) * 1000);
    await page.locator('video').dispatchEvent('ended');
    await eventually(async () => {
      await page.clock.runFor(100);
      return (await offer.getByText('Plays in 1 s').count()) > 0 || undefined;
    }, 'the countdown is nearly over');
    expect(page.url()).toContain(encodeURIComponent(paths[0] ?? ''));
    await page.clock.runFor(1_000);
    await page.clock.resume();
    await page.waitForURL((url) => url.hash.includes(encodeURIComponent(paths[1] ?? '').replaceAll('%20', '+')));
    await end('S1 E3');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash.includes(encodeURIComponent(paths[2] ?? '').replaceAll('%20', '+')));
    // After the last one, nothing is offered. The page looks for an episode when it marks this one as watched.
    await page.locator('video').dispatchEvent('ended');
    await isWatched(paths[2]);
    expect(await offer.count()).toBe(0);
    await page.goto('about:blank');
    for (const path of paths) await send('POST', `/api/moviedelete?force&sRef=${encodeURIComponent(path)}`);
  });

  it('that are long show the progress of a copy, which can be cancelled', async () => {
    const huge = join(location, 'Huge.ts');
    writeFileSync(huge, '');
    // So long that the copy is not done before a slow page cancels it, and no longer than there is room for.
    const { bavail, bsize } = statfsSync(location);
    truncateSync(huge, Math.min(64 * 2 ** 30, Math.floor((bavail * bsize) / 2)));
    const { page, check } = await television.open('#/recordings');
    await page.locator('.library').getByRole('link', { name: /^Huge/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Huge' });
    await dialog.getByLabel('Other folder').selectOption({ label: `${location}series/` });
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('progressbar', { name: 'Progress of Huge.ts' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Transfers' }).waitFor({ state: 'detached' });
    await eventually(
      async () => !readdirSync(join(location, 'series')).some((name) => name.includes('Huge')) || undefined,
      'nothing of the copy is left',
    );
    await check('copying');
    rmSync(huge);
  });

  it.each(['en-GB', 'fr-FR'])('are exported by a form whose choices fit each screen in %s', async (locale) => {
    const marked = write('With breaks');
    const breaks = [
      { kind: 1, position: 45_000 },
      { kind: 0, position: 90_000 },
    ] as const;
    writeFileSync(`${marked}.cuts`, formatCuts(breaks));
    const path = `#/recordings?recording=${encodeURIComponent(marked)}`;
    const { page, checkScreens } = await television.open(path, { ...screens[0], locale });
    const choices = page.getByRole('dialog').locator('form .choice');
    await checkScreens(`export form in ${locale}`, async () => {
      await choices.nth(1).waitFor();
      for (const choice of await choices.all()) {
        const [height, size] = await choice.evaluate((element) => [
          element.getBoundingClientRect().height,
          Number.parseFloat(element.ownerDocument.defaultView?.getComputedStyle(element).fontSize ?? ''),
        ]);
        expect(height).toBeLessThan(2 * size);
      }
      await page.locator('.dialog').evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
    });
    rmSync(marked);
  });

  it.skipIf(!haveFfmpeg)('are exported, and downloaded', async () => {
    const { page, complaints } = await television.open(`#/recordings?recording=${encodeURIComponent(seen)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Export as' }).selectOption('mp4');
    await dialog.getByRole('checkbox', { name: 'Named for Plex, Jellyfin and Kodi' }).check();
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('heading', { name: 'Exports', exact: true }).waitFor();
    const link = page.getByRole('link', { name: 'Download', exact: true });
    const bytes = Buffer.from(
      await (await fetch(new URL((await link.getAttribute('href')) ?? '', page.url()))).arrayBuffer(),
    );
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
    const [show = ''] = readdirSync(join(location, 'Exports'));
    const [season = ''] = readdirSync(join(location, 'Exports', show));
    await page.getByText(`${show} - `).waitFor();
    await page.goto(
      new URL(`#/recordings?folder=${encodeURIComponent(join(location, 'Exports', show, season, '/'))}`, page.url())
        .href,
    );
    await page.getByText(/ · export · MP4$/).waitFor();
    // In a list with sub-folders, the folders to move to are those of the listed folder.
    const found = readdirSync(join(location, 'Exports', show, season)).find((name) => name.endsWith('.mp4')) ?? '';
    const path = encodeURIComponent(join(location, 'Exports', show, season, found));
    await page.evaluate(`location.hash = '#/recordings?find=${encodeURIComponent(show)}&recording=${path}'`);
    const targets = dialog.getByRole('combobox', { name: 'Other folder' }).locator('option');
    await targets.filter({ hasText: /Exports\/$/ }).waitFor({ state: 'attached' });
    expect((await targets.allInnerTexts()).filter((folder) => /Season 0\d\/Exports/.test(folder))).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove from list' }).click();
    await link.waitFor({ state: 'detached' });
    rmSync(join(location, 'Exports'), { recursive: true });
    expect(complaints()).toEqual([]);
  });

  it('are deleted, and restored by undoing', async () => {
    const filename = write('Old films');
    const { page, complaints } = await television.open('#/recordings');
    await page.getByRole('link', { name: /Old films.*Made by a test/ }).click();
    await page.getByRole('dialog', { name: 'Old films' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: /Old films.*Made by a test/ }).waitFor({ state: 'detached' });
    expect(existsSync(filename)).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /Old films.*Made by a test/ }).waitFor();
    expect(existsSync(filename)).toBe(true);
    expect(withoutLatePictures(complaints())).toEqual([]);
  });

  it('are restored from the trash, which is emptied', async () => {
    for (const title of ['Kept', 'Not kept'])
      await send('POST', `/api/moviedelete?sRef=${encodeURIComponent(write(title))}`);
    const { page, checkScreens } = await television.open('#/recordings');
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByText(/^2 recordings/).waitFor();
    await checkScreens('trash');
    await page.getByRole('link', { name: /^Kept.*Made by a test/ }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(/^1 recording,/).waitFor();
    expect(await titles()).toContain('Kept');
    await page.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('The trash is empty.').waitFor();
    expect(readdirSync(join(location, '.Trash'))).toEqual([]);
  });

  it('are deleted while running only after a confirmation', async () => {
    const { page, complaints } = await television.open('#/recordings');
    await page.getByRole('button', { name: /^Record now: / }).click();
    const running = await eventually(
      async () => (await recordings()).find(({ recording }) => recording),
      'it is being recorded',
    );
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/recordings?recording=${encodeURIComponent(running.filename)}'`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the running recording?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor({ state: 'detached' });
    expect(complaints()).toEqual([]);
  });

  it('start from the current service or from its timeshift', async () => {
    const { page, complaints } = await television.open('#/recordings');
    await page.getByRole('button', { name: /^Record now: / }).click();
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Timeshift' }).click();
    const keep = page.getByRole('button', { name: /^Keep the last/ });
    await keep.waitFor();
    const before = (await recordings()).length;
    await keep.click();
    await eventually(async () => (await recordings()).length > before || undefined, 'timeshift is kept');
    await page.getByRole('button', { name: 'Timeshift' }).click();
    await keep.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Stop / }).click();
    await stopRecording(page);
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor({ state: 'detached' });
    expect(complaints()).toEqual([]);
  });
});
