/** The page of the receiver: machine, tuners, signal, streams, log, doctor. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findingKinds } from '../../src/host/host.ts';
import type { Texts } from '../../src/ui/pages/box/languages/en.ts';
import { freePort } from '../fixtures/free-port.ts';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { askEveryone, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { browser, openPage, openTelevision, type Television, untilToast } from './open-page.ts';

describe.skipIf(!browser)('the page of the receiver', () => {
  let television: Television;
  /** A streaming client, so that the tuner is in use. */
  const watching = new AbortController();

  beforeAll(async () => {
    television = await openTelevision();
    const { program } = television;
    const { services } = await program.json<{ services: readonly { servicereference: string }[] }>(
      `/api/getservices?sRef=${encodeURIComponent('1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet')}`,
    );
    const response = await fetch(`${program.stream}/${services[0]?.servicereference}`, { signal: watching.signal });
    void response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  });
  afterAll(async () => {
    watching.abort();
    await television?.close();
  });

  it('shows the machine', async () => {
    const { page, checkScreens } = await television.open('#/box');
    await page.getByRole('heading', { name: 'Memory' }).waitFor();
    await page
      .getByText(/free of/)
      .first()
      .waitFor();
    await checkScreens('box');
  });

  it('shows the users of a tuner and their purposes', async () => {
    const { page, checkScreens } = await television.open('#/box');
    await page.getByRole('link', { name: 'Tuners' }).click();
    const tuner = page.getByRole('region', { name: 'Tuner A' });
    await tuner.getByText('Receiving').waitFor();
    await tuner.getByText(/127\.0\.0\.1 · Aldermoor One/).waitFor();
    await checkScreens('tuners');
  });

  it('shows the boxes that are used as tuners', async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const settings = join(folder, 'receiverd.yaml');
    writeFileSync(settings, 'iptv:\n  allow: [127.0.0.1]\n');
    const program = await startProgram(folder, '--tuner', `enigma2:127.0.0.1:${port}`, '--config', settings);
    onTestFinished(async () => {
      await program.stop();
      removeFolder(folder);
    });
    const { page, checkScreens } = await openPage(program, '#/box?view=tuners');
    const box = page.getByRole('region', { name: `127.0.0.1:${port}` });
    await box.getByText(/^Not reachable · it does not answer .*is it switched on\?$/).waitFor();
    await checkScreens('box that is missing');
    const use = { purpose: 'stream', user: '192.0.2.20', servicereference: '', servicename: 'Far away' };
    const state = {
      name: 'attic',
      source: 'enigma2:attic',
      model: 'Duo',
      state: 'receiving',
      reason: '',
      users: [use],
    };
    const boxes = [{ ...state, tuners: 2, services: 430, streams: 1 }];
    await page.route('**/api/enigma2status', (route) => route.fulfill({ json: { result: true, boxes } }));
    await page.reload();
    await page.getByRole('region', { name: 'attic' }).getByText('192.0.2.20 · Far away').waitFor();
    await checkScreens('box in use');
  });

  it('asks for the login of a box that requires one, and shows its password nowhere', async () => {
    const [attic, cellar] = [temporaryFolder(), temporaryFolder()];
    const password = 'correct horse';
    const ports = [await freePort(), await freePort()];
    const given = ['--tuner', 'demo', '--http-port', `${ports[0]}`, '--stream-port', `${ports[1]}`];
    const above = await startProgram(attic, ...given, '--config', askEveryone(attic));
    const account = { method: 'PUT', body: new URLSearchParams({ password }) };
    expect((await fetch(`${above.http}/accounts/user/root`, account)).status).toBe(200);
    const settings = join(cellar, 'receiverd.yaml');
    const source = `enigma2:127.0.0.1:${ports[0]},stream=${ports[1]}`;
    writeFileSync(settings, `tuners: ['${source}']\niptv:\n  allow: [127.0.0.1]\n`);
    const below = await startProgram(cellar, '--config', settings);
    onTestFinished(async () => {
      await Promise.all([above.stop(), below.stop()]);
      for (const folder of [attic, cellar]) removeFolder(folder);
    });
    const { page, checkScreens, complaints } = await openPage(below, '#/box?view=tuners');
    const box = page.getByRole('region', { name: `127.0.0.1:${ports[0]}` });
    await box.getByText('Requires a login').waitFor();
    await checkScreens('login of a box');
    await box.getByLabel('Password').fill('wrong battery');
    await box.getByRole('button', { name: 'Log in' }).click();
    await box.getByText('Wrong user name or password.').waitFor();
    await box.getByLabel('Password').fill(password);
    await box.getByRole('button', { name: 'Log in' }).click();
    await untilToast(page, 'The box has accepted the login');
    await box.getByText('Idle').waitFor();
    await box.getByRole('button', { name: 'Log in' }).waitFor({ state: 'detached' });
    const channel = await eventually(async () => {
      const { services } = await below.json<{ services: { subservices: { servicereference: string }[] }[] }>(
        '/api/getallservices',
      );
      return services.flatMap(({ subservices }) => subservices)[0];
    }, 'the channels of the box');
    expect((await fetch(`${below.stream}/${channel.servicereference}`)).status).toBe(200);
    for (const path of [
      'configuration',
      'enigma2status',
      'enigma2boxes',
      'log',
      'doctor',
      'getallservices',
      'loglevel',
    ])
      expect(await (await below.get(`/api/${path}`)).text(), path).not.toMatch(/correct.{1,3}horse/);
    expect(JSON.stringify(below.log)).not.toMatch(/(?:correct|wrong).{1,3}(?:horse|battery)/);
    expect(complaints().filter((text) => !text.includes('403'))).toEqual([]);
  });

  it('plots the signal', async () => {
    const { page, checkScreens } = await television.open('#/box?view=signal');
    await page.getByRole('img', { name: /^Quality: now \d+ %, lowest \d+ %, highest \d+ %/ }).waitFor();
    await page.getByRole('img', { name: /^Bit errors: now/ }).waitFor();
    await checkScreens('signal');
  });

  it('lists streaming clients', async () => {
    const { page, checkScreens } = await television.open('#/box?view=streams');
    await page.getByRole('listitem').getByText('127.0.0.1').waitFor();
    await checkScreens('streams');
  });

  it('shows the log', async () => {
    const { page, checkScreens } = await television.open('#/box?view=log');
    await page.getByRole('log').locator('p').first().waitFor();
    await checkScreens('log');
  });

  it('shows the log even if a response takes longer than the time between two requests', async () => {
    const { page } = await television.open('#/box');
    await page.clock.install();
    await page.reload();
    await page.getByRole('heading', { name: 'Memory' }).waitFor();
    const { promise: released, resolve: release } = withResolvers();
    let asked = 0;
    await page.route('**/api/log?*', async (route) => {
      if (++asked > 1) return;
      await released;
      await route.continue();
    });
    const request = page.waitForRequest('**/api/log?*');
    await page.evaluate(`location.hash = '#/box?view=log'`);
    await request;
    await page.clock.runFor(10_000);
    release();
    await page.getByRole('log').locator('p').first().waitFor();
  });

  it('changes the log level, and shows new lines from the selected level up', async () => {
    const { page } = await television.open('#/box?view=log');
    const log = page.getByRole('log');
    await page.getByLabel('Log level').selectOption('debug');
    await log
      .getByText(/path=\/api\/loglevel/)
      .first()
      .waitFor();
    await page.getByLabel('Show').selectOption('info');
    await log
      .getByText(/path=\/api\/loglevel/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Log level').selectOption('info');
    expect(await page.evaluate('location.hash')).toContain('level=info');
  });

  it('shows the findings of the doctor', async () => {
    const { page, checkScreens } = await television.open('#/box?view=doctor');
    await page.getByText('No problems found').waitFor();
    await page.getByText(/^\d+ checks passed$/).click();
    await page.getByText(/for the web interface, in use by the running receiver/).waitFor();
    await checkScreens('doctor');
  });

  it('leads from a problem to the settings that help', async () => {
    const { page, checkScreens } = await television.open('#/box');
    const finding = {
      kind: 'folder',
      subject: 'folder /srv',
      ok: false,
      problem: 'no space is left',
      remedy: 'mount it',
    };
    await page.route('**/api/doctor', (asked) => asked.fulfill({ json: { findings: [finding], result: true } }));
    await page.getByRole('link', { name: 'Diagnostics' }).click();
    await page.getByText('1 problem found').waitFor();
    const problem = page.getByRole('listitem').filter({ hasText: 'A folder cannot be used' });
    await problem.getByText('/srv', { exact: true }).waitFor();
    await checkScreens('doctor with a problem');
    await problem.getByText('Details').click();
    await problem.getByText('folder /srv: no space is left').waitFor();
    await problem.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Recording folders, entry 1' }).waitFor();
  });

  it('has sentences for each check in each language', async () => {
    const folder = new URL('../../src/ui/pages/box/languages/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const { default: texts } = (await import(new URL(file, folder).href)) as { default: Texts };
      expect(Object.keys(texts.checks).sort(), file).toEqual([...findingKinds].sort());
      for (const text of Object.values(texts.checks)) expect(text.filter((part) => /\S/.test(part))).toHaveLength(3);
    }
  });
});
