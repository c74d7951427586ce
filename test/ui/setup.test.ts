/** The setup assistant without a tuner: an IPTV list, its guide, favourites. test/ui/scan.test.ts has the steps of a scan. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { askEveryone, type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { browser, openPage, screens, untilToast } from './open-page.ts';

const hour = 3_600_000;
const time = (offset: number) => new Date(Date.now() + offset).toISOString().replace(/[-:T]|\..*/g, '');
const programme = (channel: string, title: string) =>
  `<programme start="${time(-hour)} +0000" stop="${time(24 * hour)} +0000" channel="${channel}"><title>${title}</title></programme>`;
const guideFile = `<tv>
  <channel id="news.example"><display-name>News</display-name></channel>
  <channel id="sports.example"><display-name>The Sports Channel</display-name></channel>
  ${programme('news.example', 'Headlines')}${programme('sports.example', 'The match')}
</tv>`;

const cards = [
  { source: 'dvb:0', name: 'Attic card', systems: ['DVB-S2'], trouble: '' },
  { source: 'dvb:1', name: 'Aerial card', systems: ['DVB-T2'], trouble: '' },
];

describe.skipIf(!browser)('the assistant without a tuner', () => {
  const folder = temporaryFolder();
  let provider: Server;
  let receiver: Program;
  let address = '';

  beforeAll(async () => {
    provider = createServer(({ url }, response) => {
      const list = `#EXTM3U url-tvg="${address}/guide.xml"
#EXTINF:-1 tvg-id="news.example",News One
${address}/1.ts
#EXTINF:-1,Sport Two
${address}/2.ts
`;
      const content = { '/list.m3u': list, '/guide.xml': guideFile }[url ?? ''];
      response.writeHead(content === undefined ? 404 : 200).end(content);
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const settings = join(folder, 'settings.yaml');
    writeFileSync(settings, 'iptv:\n  allow: [127.0.0.1]\n');
    receiver = await startProgram(folder, '--tuner', 'none', '--config', settings);
  });
  afterAll(async () => {
    await receiver?.stop();
    provider?.close();
    removeFolder(folder);
  });

  it('has no step for a scan, and says why a list cannot be imported', async () => {
    const { page, checkScreens, complaints } = await openPage(receiver, '#/');
    await page.getByText('after a scan or the import of an M3U list').waitFor();
    await page.getByRole('link', { name: 'Set up this receiver' }).click();
    await page.getByText('IPTV needs no tuner and no scan').waitFor();
    for (const name of ['SAT>IP servers in your network', 'HDHomeRuns in your network'])
      await page
        .getByRole('region', { name })
        .getByText(/^(None found|The receiver can use the tuners)/)
        .waitFor();
    const steps = await page.getByRole('navigation', { name: 'Steps' }).getByRole('link').allTextContents();
    expect(steps).toEqual([
      ...['1. Tuner', '2. IPTV', '3. Guide', '4. Favourites', '5. Recordings', '6. Password', '7. Done'],
    ]);
    await checkScreens('setup without tuner');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Enter an address or choose a file.').waitFor();
    await page.getByLabel('Address (http or https)').fill(`${address}/none`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('the server answers with status 404').waitFor();
    complaints();
  });

  it('says that the tuners cannot be chosen when they are named on the command line', async () => {
    const { page, complaints } = await openPage(receiver, '#/setup');
    const server = { host: '192.0.2.9', name: 'Attic', tuners: 2, used: false };
    await page.route('**/api/satipservers', (route) => route.fulfill({ json: { result: true, servers: [server] } }));
    const device = { ...server, host: '192.0.2.8', name: 'HDHR4-2DT' };
    await page.route('**/api/hdhomeruns', (route) => route.fulfill({ json: { result: true, servers: [device] } }));
    const box = { ...server, host: '192.0.2.7', name: 'Duo', login: true };
    await page.route('**/api/enigma2boxes', (route) => route.fulfill({ json: { result: true, servers: [box] } }));
    await page.route('**/api/frontends', (route) => route.fulfill({ json: { result: true, frontends: cards } }));
    await page.reload();
    await page.getByText('remove --tuner').waitFor();
    await page.getByText('Duo 192.0.2.7 · requires a login').waitFor();
    await page.getByText('Attic 192.0.2.9').waitFor();
    await page.getByText('HDHR4-2DT 192.0.2.8').waitFor();
    expect(await page.getByRole('button', { name: 'Use Attic' }).count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: /Attic card/ }).isDisabled()).toBe(true);
    complaints();
  });

  it('says how to take over the lists of a box, and reads them', async () => {
    const { page, complaints } = await openPage(receiver, '#/setup?step=list');
    const path = await page.getByLabel('Folder on this machine', { exact: true }).inputValue();
    writeFileSync(
      join(path, 'lamedb'),
      'eDVB services /4/\ntransponders\n00c00000:0001:0001\n\ts 11836500:27500000:0:4:192:2:0\n/\nend\nservices\n0001:00c00000:0001:0001:1:0\nOf the box\np:\nend\n',
    );
    await page.getByRole('button', { name: 'Read the lists' }).click();
    await untilToast(page, 'The lists have been read');
    expect(JSON.stringify(await receiver.json('/bouquets/services'))).toContain('Of the box');
    complaints();
  });

  it('imports a list and its guide, lets the user correct a match, and proposes favourites', async () => {
    const { page, checkScreens } = await openPage(receiver, '#/setup?step=list');
    await page.getByLabel('Address (http or https)').fill(`${address}/list.m3u`);
    await checkScreens('setup list');
    await page.getByLabel('Bouquet name (optional)').fill('My IPTV');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 channels imported into My IPTV').waitFor();
    await page.getByRole('link', { name: 'Import guide' }).click();
    await page.getByRole('heading', { name: 'Guide', exact: true, level: 2 }).waitFor();
    // The list names the address.
    expect(await page.getByLabel('Address (http or https)').inputValue()).toBe(`${address}/guide.xml`);
    await page.getByText('Programmes imported: 1. Channels of the file without a match here: 1.').waitFor();
    await page.getByText('Channels with a guide: 1, without: 1.').waitFor();
    await checkScreens('setup guide');
    // One that has a guide can be corrected too.
    await page.getByRole('searchbox', { name: 'Find a channel' }).fill('news');
    await page.getByRole('button', { name: 'Choose the guide of News One' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find a channel' }).fill('');
    await page.getByRole('button', { name: 'Choose the guide of News One' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('All channels');
    await page.getByText('news.example · matched by id', { exact: true }).waitFor();
    await checkScreens('setup guide matches');
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('Without a guide, or chosen by hand');
    await page.getByRole('button', { name: 'Choose the guide of News One' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Choose the guide of Sport Two' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /The Sports Channel/ })
      .waitFor();
    await checkScreens('setup guide channel');
    await page.getByRole('dialog').getByRole('searchbox').fill('nonesuch');
    await page.getByText('No channel in the guide file has such a name.').waitFor();
    await page.getByRole('dialog').getByRole('searchbox').fill('the sports');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /The Sports Channel/ })
      .click();
    await page.getByText('Channels with a guide: 2, without: 0.').waitFor();
    await page
      .getByRole('region', { name: 'Channels and their guide' })
      .getByText('sports.example · chosen by hand')
      .waitFor();
    // The address is read again and again from now on.
    const sources = page.getByRole('region', { name: 'Sources' });
    await sources.getByText('programmes: 2, channels without a match: 0.').waitFor();
    await sources.getByRole('button', { name: /^Refresh now: 127/ }).click();
    await untilToast(page, 'The guide has been refreshed');
    await sources.getByLabel(/^Priority: 127/).selectOption('Replaces the broadcast guide');
    await untilToast(page, 'Saved. The guide is read again in a minute.');
    expect(await receiver.json('/api/guidesources')).toMatchObject({ sources: [{ priority: 5 }] });

    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('checkbox', { name: 'Sport Two' }).check();
    await page.getByRole('checkbox', { name: 'News One' }).check();
    await checkScreens('setup favourites');
    await page.getByRole('button', { name: 'Save favourites (2)' }).click();
    await page.getByText('The bouquet Favourites contains your favourites.').waitFor();
    await page.getByRole('link', { name: '7. Done' }).click();
    await checkScreens('setup done');
    await page.getByRole('region', { name: 'Done' }).getByRole('link', { name: 'Home' }).click();
    await page.getByText('The match').first().waitFor();
    const { services } = await receiver.json<{ services: readonly { servicename: string; subservices: object[] }[] }>(
      '/api/getallservices',
    );
    expect(services.map(({ servicename }) => servicename)).toEqual(['Favourites', 'My IPTV']);
    expect(services[0]?.subservices).toMatchObject([{ servicename: 'Sport Two' }, { servicename: 'News One' }]);
  });

  it('says when a choice takes effect, and undoes it', async () => {
    const { page } = await openPage(receiver, '#/setup?step=guide');
    await page.getByRole('button', { name: 'Choose the guide of Sport Two' }).click();
    await page.getByRole('button', { name: 'Match automatically again' }).click();
    await untilToast(page, 'Saved. The guide is read again in a minute.');
    await page
      .getByRole('region', { name: 'Channels and their guide' })
      .getByText('sports.example')
      .waitFor({ state: 'detached' });
    const sources = page.getByRole('region', { name: 'Sources' });
    await sources.getByRole('button', { name: /^Delete: 127/ }).click();
    await sources.waitFor({ state: 'detached' });
    expect(await receiver.json('/api/guidesources')).toMatchObject({ sources: [] });
    await page.getByRole('searchbox', { name: 'Find a channel' }).fill('sport');
    await page.getByRole('button', { name: 'Choose the guide of Sport Two' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /The Sports Channel/ })
      .click();
    await untilToast(page, 'Saved. The choice takes effect with the next import of the guide file.');
  });

  it.each([
    ['en-US', 'Next: Tomorrow 1:43 PM.', 'Mon, Jan 5 1:43 PM,'],
    ['es-MX', 'Próxima: Mañana 1:43 p.m.', 'lun 5 de ene 1:43 p.m.,'],
    ['de-DE', 'Nächster: Morgen 13:43.', 'Mo., 5. Jan. 13:43,'],
  ])('writes dates and times as usual in %s', async (locale, next, imported) => {
    const { page } = await openPage(receiver, '#/', { ...screens[0], locale });
    const afternoon = new Date(Date.now() + 24 * hour).setHours(13, 43, 0, 0) / 1000;
    const read = new Date(2026, 0, 5, 13, 43).getTime() / 1000;
    const sources = [source({ imported: read, checked: read, next: afternoon })];
    await page.route('**/api/guidesources', (route) => route.fulfill({ json: { result: true, sources } }));
    await page.goto(page.url().replace(/#.*/, '#/setup?step=guide'));
    const text = (await page.locator('.guide-sources li small').first().innerText()).replace(/\s/g, ' ');
    expect(text).toContain(imported);
    expect(text.endsWith(next), text).toBe(true);
  });

  it('shows when a guide source was last checked, and why it has failed', async () => {
    const { page, checkScreens, complaints } = await openPage(receiver, '#/');
    const [imported, checked] = [Date.UTC(2026, 0, 5, 12) / 1000, Date.UTC(2026, 0, 6, 12) / 1000];
    const sources = [
      source({ id: 'a', imported, checked: imported }),
      source({ id: 'b', imported, checked }),
      source({ id: 'c', imported, checked, failures: 2, problem: 'no answer' }),
      source({ id: 'd', imported, checked: imported, problem: 'none of its channels' }),
    ];
    await page.route('**/api/guidesources', (route) => route.fulfill({ json: { result: true, sources } }));
    await page.goto(page.url().replace(/#.*/, '#/setup?step=guide'));
    const region = page.getByRole('region', { name: 'Sources' });
    await region.waitFor();
    const lines = await region.locator('li > span:first-child').allInnerTexts();
    expect(lines.map((line) => line.replace(/[A-Z]\w\w \d+ [A-Z]\w\w \d\d:\d\d/g, 'THEN').trim())).toEqual([
      'tv.example Last import: THEN, programmes: 5, channels without a match: 0.',
      'tv.example Last import: THEN, programmes: 5, channels without a match: 0. Checked THEN: unchanged.',
      'tv.example Last import: THEN, programmes: 5, channels without a match: 0. Failed THEN: no answer',
      'tv.example Last import: THEN, programmes: 5, channels without a match: 0. none of its channels',
    ]);
    const colour = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await colour('.matches .trouble')).not.toBe(await colour('.matches small:not(.trouble)'));
    await checkScreens('setup guide sources');
    complaints();
  });
});

/** A guide source as the receiver answers it. */
const source = (fields: object) => ({
  ...{ id: 'a', kind: 'url', name: 'tv.example', fixed: false, every: 86_400, times: [], priority: 0, running: false },
  ...{ checked: null, imported: null, next: null, failures: 0, problem: null },
  ...{ programmes: 5, matched: 1, unmatched: 0, channels: [], ...fields },
});

describe.skipIf(!browser)('the assistant with cards', () => {
  const folder = temporaryFolder();
  let receiver: Program;

  beforeAll(async () => {
    const settings = join(folder, 'settings.yaml');
    writeFileSync(settings, 'tuners: [satip:192.0.2.9]\n');
    receiver = await startProgram(folder, '--config', settings);
  });
  afterAll(async () => {
    await receiver?.stop();
    removeFolder(folder);
  });

  const tuners = async () => {
    const { settings } = await receiver.json<{ settings: readonly { name: string; value: string }[] }>(
      '/api/configuration',
    );
    return JSON.parse(settings.find(({ name }) => name === 'tuners')?.value ?? '');
  };

  it('lets the user choose cards, and leave others out', async () => {
    const { page, checkScreens, complaints } = await openPage(receiver, '#/');
    await page.route('**/api/frontends', (route) => route.fulfill({ json: { result: true, frontends: cards } }));
    await page.goto(page.url().replace(/#.*/, '#/setup'));
    const box = (name: string) => page.getByRole('checkbox', { name: new RegExp(name) });
    const save = page.getByRole('button', { name: 'Save' });
    await box('Attic card').check();
    await checkScreens('setup with cards');
    await save.click();
    await page.getByText('Settings saved. Some changes require a restart.').waitFor();
    expect(await tuners()).toEqual(['dvb:0', 'satip:192.0.2.9']);
    expect([await box('Attic card').isChecked(), await box('Aerial card').isChecked()]).toEqual([true, false]);
    await box('Aerial card').check();
    await save.click();
    await eventually(async () => (await tuners()).includes('dvb:*') || undefined, 'all cards');
    expect(await tuners()).toEqual(['dvb:*', 'satip:192.0.2.9']);
    complaints();
  });

  it('adds a box that was found, and one by its address', async () => {
    const { page, complaints } = await openPage(receiver, '#/');
    const found = { host: '192.0.2.7:8080', name: 'Cellar', tuners: 2, used: false, login: false };
    await page.route('**/api/enigma2boxes', (route) => route.fulfill({ json: { result: true, servers: [found] } }));
    await page.goto(page.url().replace(/#.*/, '#/setup'));
    await page.getByRole('button', { name: 'Use Cellar' }).click();
    const boxes = page.getByRole('region', { name: 'Enigma2 boxes' });
    await boxes.getByText('In use').waitFor();
    await boxes.getByLabel('Address of a box').fill('192.0.2.8');
    await boxes.getByRole('button', { name: 'Use', exact: true }).click();
    await eventually(async () => (await tuners()).includes('enigma2:192.0.2.8') || undefined, 'the box');
    expect(await tuners()).toEqual(expect.arrayContaining(['satip:192.0.2.9', 'enigma2:192.0.2.7:8080']));
    complaints();
  });

  it('adds two boxes, the second while the first is being saved', async () => {
    const { page, complaints } = await openPage(receiver, '#/');
    const servers = ['Loft', 'Shed'].map((name, at) => ({
      ...{ host: `192.0.2.${20 + at}`, name, tuners: 2, used: false, login: false },
    }));
    await page.route('**/api/enigma2boxes', (route) => route.fulfill({ json: { result: true, servers } }));
    const { promise: released, resolve: release } = withResolvers();
    let saved = 0;
    await page.route('**/api/configuration', async (route) => {
      if (route.request().method() === 'POST' && ++saved === 1) await released;
      await route.continue();
    });
    await page.goto(page.url().replace(/#.*/, '#/setup'));
    const saving = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Use Loft' }).click();
    await saving;
    await page.getByRole('button', { name: 'Use Shed' }).click();
    release();
    const added = servers.map(({ host }) => `enigma2:${host}`);
    await eventually(async () => {
      const given: readonly string[] = await tuners();
      return added.every((spec) => given.includes(spec)) || undefined;
    }, 'both boxes');
    complaints();
  });

  it('adds a box with a password by its address, and says what is in use', async () => {
    const [attic, cellar] = [temporaryFolder(), temporaryFolder()];
    const ports = [await freePort(), await freePort()].map(String) as [string, string];
    const given = ['--tuner', 'demo', '--http-port', ports[0], '--stream-port', ports[1]];
    const above = await startProgram(attic, ...given, '--config', askEveryone(attic));
    const account = { method: 'PUT', body: new URLSearchParams({ password: 'correct horse' }) };
    expect((await fetch(`${above.http}/accounts/user/root`, account)).status).toBe(200);
    const settings = join(cellar, 'receiverd.yaml');
    writeFileSync(settings, 'tuners: [none]\ndiscovery: false\niptv:\n  allow: [127.0.0.1]\n');
    const below = await startProgram(cellar, '--config', settings);
    onTestFinished(async () => {
      await Promise.all([above.stop(), below.stop()]);
      for (const folder of [attic, cellar]) removeFolder(folder);
    });
    const { page, checkScreens } = await openPage(below, '#/setup');
    const boxes = page.getByRole('region', { name: 'Enigma2 boxes' });
    await boxes.getByLabel('Address of a box').fill('127.0.0.1');
    await boxes.getByText('Other ports').click();
    await boxes.getByLabel('Web port').fill(ports[0]);
    await boxes.getByLabel('Stream port').fill(ports[1]);
    await boxes.getByRole('button', { name: 'Use', exact: true }).click();
    const row = boxes.getByRole('listitem').filter({ hasText: ports[0] });
    await row.getByText('requires a login').waitFor();
    await row.getByText('In use after a restart').waitFor();
    await checkScreens('setup with a box');
    await row.getByLabel('Password').fill('correct horse');
    await row.getByRole('button', { name: 'Log in' }).click();
    await row.getByText('1 tuner').waitFor();
    await page.getByText('The tuners change after a restart').waitFor();
    await page.getByRole('paragraph').getByRole('button', { name: 'Restart receiverd' }).first().click();
    await page.getByText('The receiver uses the tuners of the boxes below').waitFor();
    await row.getByText('In use', { exact: true }).waitFor();
    await page.getByText('The tuners change after a restart').waitFor({ state: 'detached' });
    await boxes.getByRole('button', { name: /^Remove / }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('asks where to scan as long as there was no scan', async () => {
    const { page } = await openPage(receiver, '#/');
    await page.route('**/api/setupguess', (route) =>
      route.fulfill({ json: { place: '', country: '', satellites: [], result: true } }),
    );
    await page.route('**/api/tunerstatus', async (route) => {
      const tuner = { number: 0, name: 'Tuner A', model: 'HDHR4', type: 'DVB-T2', source: 'hdhomerun:192.0.2.8' };
      const response = await route.fetch();
      await route.fulfill({ response, json: { tuners: [{ ...tuner, reason: '', users: [] }], result: true } });
    });
    await page.goto(page.url().replace(/#.*/, '#/setup?step=scan'));
    const country = page.getByLabel('Country (aerial or cable)');
    await country.waitFor();
    // That of the browser's language, as the time zone names none.
    await eventually(async () => (await country.inputValue()) === 'gb' || undefined, 'the country');
    await country.selectOption('');
    await page.getByRole('button', { name: 'Scan for channels' }).click();
    await page.getByText('Choose a country, or enter satellites.').waitFor();
  });

  it('proposes what the country suggests, and saves it before the scan', async () => {
    const { page, checkScreens, complaints } = await openPage(receiver, '#/');
    const guess = { place: 'jp', country: 'jp', satellites: [], result: true };
    await page.route('**/api/setupguess', (route) => route.fulfill({ json: guess }));
    await page.route('**/api/tunerstatus', async (route) => {
      const response = await route.fetch();
      const tuner = {
        number: 0,
        name: 'Tuner A',
        model: 'Card',
        type: 'ISDB-T',
        source: 'dvb:0',
        reason: '',
        users: [],
      };
      await route.fulfill({ response, json: { ...(await response.json()), tuners: [tuner] } });
    });
    await page.route('**/api/setup', (route) => route.fulfill({ json: { result: true, message: '' } }));
    await page.goto(page.url().replace(/#.*/, '#/setup?step=place'));
    await page.getByRole('checkbox', { name: 'Asia/Tokyo, guide in Japanese, prime time from 19:00' }).waitFor();
    await page.getByLabel('Country (aerial or cable)').selectOption('br');
    await page.getByRole('checkbox', { name: 'guide in Portuguese, prime time from 21:00' }).waitFor();
    await checkScreens('setup with a country');
    await page.getByRole('button', { name: 'Scan for channels' }).click();
    await page.waitForURL(/step=scan/);
    const { settings } = await receiver.json<{ settings: readonly { name: string; value: string }[] }>(
      '/api/configuration',
    );
    const value = (name: string) => settings.find((one) => one.name === name)?.value;
    expect(value('languages')).toBe('["por"]');
    expect(value('config.epgselection.grid.primetime')).toContain('21:00');
    complaints();
  });
});
