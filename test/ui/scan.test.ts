/** Scans and the setup assistant. The tuner is the demo of another receiver, used over SAT>IP. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fixedDemo } from '../fixtures/fixed-demo.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { eventually } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { browser, openPage, openTelevision, type Television } from './open-page.ts';

const table = '[A]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 474000000\n\tBANDWIDTH_HZ = 8000000\n';

describe.skipIf(!browser)('a scan', () => {
  const [attic, tables, empty] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  let server: Program;
  let television: Television;
  /** A receiver without channels. */
  let fresh: Program;

  beforeAll(async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    const lending = join(attic, 'lending.yaml');
    writeFileSync(lending, `satip:\n  server:\n    enabled: true\n    port: ${port}\n`);
    server = await startProgram(attic, ...fixedDemo, '--config', lending);
    await eventually(async () => {
      const list = await (await server.get('/web/services.m3u')).text();
      return list.includes('Aldermoor One') || undefined;
    }, 'its channels');
    mkdirSync(join(tables, 'dvb-t'));
    writeFileSync(join(tables, 'dvb-t', 'de-Test'), table);
    const settings = join(tables, 'receiverd.yaml');
    writeFileSync(settings, JSON.stringify({ scanTables: [tables] }));
    const tuner = `satip:127.0.0.1:${port},tuners=DVBT2-2`;
    television = await openTelevision('--tuner', tuner, '--config', settings);
    fresh = await startProgram(empty, '--tuner', tuner);
  });
  afterAll(async () => {
    await television?.close();
    await fresh?.stop();
    await server?.stop();
    for (const folder of [attic, tables, empty]) removeFolder(folder);
  });

  it('can be started from tables', async () => {
    const { page, checkScreens } = await television.open('#/scan');
    await page.getByRole('heading', { name: 'Start scan' }).waitFor();
    await page.getByRole('status').first().waitFor();
    await checkScreens('scan');
  });

  it('shows its progress and results', async () => {
    const { page, check } = await television.open('#/scan');
    await page.getByText('No scan since the last start.').waitFor();
    await page.getByLabel(/^Start from/).fill('dvb-t/de-Test');
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByText('Scan complete').waitFor();
    await page.getByText('New in the lists').waitFor();
    const status = await television.program.json('/api/scanstatus');
    expect(status).toMatchObject({ state: 'done', received: 1 });
    await check('scan done');
  });

  it('reports why it cannot start', async () => {
    const { page } = await television.open('#/scan');
    await page.getByLabel(/^Start from/).fill('dvb-t/none');
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByText(/not found/).waitFor();
  });

  it('is a step of the assistant', async () => {
    const { page, checkScreens } = await television.open('#/setup');
    await page.getByText('These tuners were found.').waitFor();
    await checkScreens('setup tuner');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByLabel('Country (aerial or cable)').waitFor();
    const countries = await page.getByLabel('Country (aerial or cable)').locator('option').allTextContents();
    expect(countries).toEqual(expect.arrayContaining(['Germany', 'Kosovo']));
    expect(countries.length).toBe(new Set(countries).size);
    expect(countries.filter((name) => /Pseudo|zone|Union/.test(name))).toEqual([]);
    await checkScreens('setup place');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'Scan', level: 2 }).waitFor();
    await page.getByRole('link', { name: '8. Password' }).click();
    await page.getByLabel('Repeat password').waitFor();
    await checkScreens('setup password');
  });

  it('saves no settings of the country if it is refused', async () => {
    const { page } = await openPage(fresh, '#/setup?step=place');
    const before = await fresh.json('/api/configuration');
    // The channels of the United States are ATSC.
    await page.getByLabel('Country (aerial or cable)').selectOption('us');
    await page.getByRole('checkbox', { name: /English/ }).waitFor();
    await page.getByRole('button', { name: 'Scan for channels' }).click();
    await page.getByText('no tuner can receive us').waitFor();
    expect(await fresh.json('/api/configuration')).toEqual(before);
  });

  it('is offered without channels, and the remaining steps follow', async () => {
    const { page } = await openPage(fresh, '#/');
    await page.getByRole('link', { name: 'Set up this receiver' }).click();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByLabel('Country (aerial or cable)').selectOption('de');
    await page.getByRole('button', { name: 'Scan for channels' }).click();
    await page.getByText('Scanning', { exact: true }).waitFor();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Stop scan' }).click();
    await page.getByText('Scan stopped. The lists are unchanged.').waitFor();
    await page.getByRole('link', { name: '6. Favourites' }).click();
    await page.getByText('There are no channels yet.').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Recording folder').fill(join(empty, 'films'));
    await save.click();
    await page.getByText(/must be below a recording folder, or below a folder that locationRoots names/).waitFor();
    await page.getByLabel('Recording folder').fill(join(empty, 'movie', 'films'));
    await save.click();
    await page.getByText('Settings saved. Some changes require a restart.').waitFor();
    expect(readFileSync(join(empty, 'receiverd.yaml'), 'utf8')).toContain(join(empty, 'movie', 'films'));
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByLabel('User name').fill('anna');
    await page.getByLabel('Password (at least 8 characters)').fill('correct horse');
    await page.getByLabel('Repeat password').fill('wrong horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The passwords do not match.').waitFor();
    await page.getByLabel('Repeat password').fill('correct horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('main').getByText('anna is logged in.').waitFor();
    expect(await page.getByRole('button', { name: 'Set password' }).count()).toBe(0);
    expect((await fresh.get('/api/log')).status).toBe(401);
    await page.getByRole('button', { name: 'Log out' }).waitFor();
  });

  it('is not offered for a capture', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'capture.ts');
    const services = [{ serviceId: 1, name: 'Captured' }];
    writeTransportStream(path, { transportStreamId: 1, originalNetworkId: 1, services, bitRate: 200_000, seconds: 10 });
    const playing = await startProgram(folder, '--tuner', `file:${path}`);
    onTestFinished(async () => {
      await playing.stop();
      removeFolder(folder);
    });
    const { page, checkScreens } = await openPage(playing, '#/setup');
    await page.getByText('The only tuner is a file.').waitFor();
    const steps = page.getByRole('navigation', { name: 'Steps' }).getByRole('link');
    await steps.getByText('2. IPTV').waitFor();
    expect(await steps.allTextContents()).not.toContain('3. Scan');
    await checkScreens('setup capture');
    await page.goto(`${playing.http}/#/scan`);
    await page.getByText('The only tuner is a file.').waitFor();
    expect(await page.getByRole('button', { name: 'Start scan' }).count()).toBe(0);
  });

  it('reports that it needs a tuner', async () => {
    const folder = temporaryFolder();
    const bare = await startProgram(folder, '--tuner', 'none');
    onTestFinished(async () => {
      await bare.stop();
      removeFolder(folder);
    });
    const { page } = await openPage(bare, '');
    await page.getByText('No channels yet').waitFor();
    expect(await page.getByText('the built-in demo').count()).toBe(0);
    await page.goto(`${bare.http}/#/guide`);
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Set up' }).waitFor();
    await page.goto(`${bare.http}/#/scan`);
    await page.getByText('This receiver has no tuner of its own.').waitFor();
    expect(await page.getByRole('button', { name: 'Start scan' }).count()).toBe(0);
  });
});
