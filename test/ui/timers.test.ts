/** The timers page: adding, editing, undoing and stopping. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldOf, localTime } from '../fixtures/fixed-demo.ts';
import { waitTimeoutMs } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { removeFolder, temporaryFolder } from '../receiver/program.ts';
import { browser, openPage, openTelevision, screens, showOn, stopRecording, type Television } from './open-page.ts';

interface Timer {
  readonly title: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly state: string;
  readonly disabled: boolean;
  readonly repeat_mask: number;
  readonly service_name: string;
  readonly justplay: boolean;
}

/** A longer timeout of assertions, for busy machines. */
const longTimeout = { timeout: waitTimeoutMs };

describe.skipIf(!browser)('the timers', () => {
  let television: Television;
  let references: ReadonlyMap<string, string>;

  async function plan(channel: string, title: string, start: number, length: number, more: object = {}): Promise<void> {
    const form = { service_reference: references.get(channel), title, start_time: start, end_time: start + length };
    const response = await fetch(`${television.program.http}/timers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...form, ...more }),
    });
    expect(response.status).toBe(201);
  }

  async function planned(title: string): Promise<Timer | undefined> {
    const { items } = await television.program.json<{ items: readonly Timer[] }>('/timers?all=1');
    return items.find((timer) => timer.title === title);
  }

  beforeAll(async () => {
    television = await openTelevision();
    const { services } = await television.program.json<{
      services: readonly { subservices: readonly { servicename: string; servicereference: string }[] }[];
    }>('/api/getallservices');
    references = new Map(
      services.flatMap(({ subservices }) =>
        subservices.map(({ servicename, servicereference }) => [servicename, servicereference]),
      ),
    );
    const now = television.now();
    await plan('Aldermoor One', 'The harbour', now - 60, 7200);
    await plan('Aldermoor One', 'Evening news', localTime(1, 20), 900, { repeat_mask: 31 });
    await plan('Talblick 24', 'Mountain weather', localTime(1, 20), 3600, { disabled: true });
    await plan('Talblick 24', 'A quiet valley', localTime(2, 9), 5400, { justplay: true, shortinfo: 'The last part' });
    await plan('Talblick 24', 'Long over', now - 7200, 3600);
  });
  afterAll(() => television?.close());

  it('are up to date after the page was hidden', async () => {
    const { page } = await television.open('#/timers');
    const show = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('link', { name: /Evening news/ }).waitFor();
    await show(true);
    await plan('Talblick 24', 'Added meanwhile', localTime(3, 9), 1800);
    await show(false);
    await page.getByRole('link', { name: /Added meanwhile/ }).waitFor();
  });

  it('are up to date even if the event stream opens late', async () => {
    const { page } = await television.open('#/channels');
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/api/events?*', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${television.program.http}/#/timers`);
    await page.reload();
    await page.getByRole('link', { name: /Evening news/ }).waitFor();
    await plan('Talblick 24', 'Added early', localTime(3, 10), 1800);
    release();
    await page.getByRole('link', { name: /Added early/ }).waitFor();
  });

  it('are listed by day, with running ones', async () => {
    const { page, checkScreens } = await television.open('#/timers');
    await page.getByRole('heading', { name: 'Timers', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor();
    await page.getByRole('heading', { name: /Tomorrow/ }).waitFor();
    await page.getByRole('link', { name: /Evening news/ }).waitFor();
    await page.getByText('switch only').waitFor();
    await page.getByText('Finished (1)').click();
    await page.getByRole('link', { name: /Long over/ }).waitFor();
    await checkScreens('timers');
  });

  it('are shown as a week', async () => {
    const { page, checkScreens } = await television.open('#/timers?view=week');
    await page
      .getByRole('link', { name: /The harbour/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: /A quiet valley/ }).waitFor();
    expect(await page.getByRole('link', { name: /Evening news/ }).count()).toBeGreaterThan(2);
    await checkScreens('week');
    await page.getByRole('button', { name: 'Next week' }).click();
    await page.getByRole('link', { name: /A quiet valley/ }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: /Evening news/ }).count()).toBe(5);
  });

  it('can be edited in place', async () => {
    const { page, checkScreens } = await television.open('#/timers');
    await page.getByRole('link', { name: /Evening news/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Evening news' });
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'Mon' }).isChecked()).toBe(true);
    await dialog.getByText('More').click();
    await checkScreens('timer');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('are added for a chosen channel and time, and listed', async () => {
    const { page, complaints } = await television.open('#/timers');
    await page.getByRole('button', { name: 'New timer' }).click();
    const dialog = page.getByRole('dialog', { name: 'New timer' });
    await dialog.getByLabel('Title').fill('The film at nine');
    await dialog.getByLabel(/^Channel/).selectOption({ label: 'Talblick 24' });
    await dialog.getByLabel('Start', { exact: true }).fill(fieldOf(localTime(3, 21)));
    await dialog.getByLabel('End', { exact: true }).fill(fieldOf(localTime(3, 23)));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /The film at nine/ }).waitFor();
    expect(await planned('The film at nine')).toMatchObject({
      start_time: localTime(3, 21),
      end_time: localTime(3, 23),
      service_name: 'Talblick 24',
    });
    expect(complaints()).toEqual([]);
  });

  it('are moved to another channel and day, and repeated', async () => {
    await plan('Aldermoor One', 'Ships', localTime(4, 18), 3600);
    const { page, complaints } = await television.open('#/timers');
    await page.getByRole('link', { name: /Ships/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Ships' });
    await dialog.getByLabel(/^Channel/).selectOption({ label: 'Talblick 24' });
    await dialog.getByLabel('Start', { exact: true }).fill(fieldOf(localTime(5, 17)));
    await dialog.getByRole('checkbox', { name: 'Sat' }).check();
    await dialog.getByRole('checkbox', { name: 'Sun' }).check();
    await dialog.getByLabel('Action').selectOption('Only switch channel');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Sat Sun').waitFor();
    const timer = await planned('Ships');
    expect(timer).toMatchObject({ service_name: 'Talblick 24', repeat_mask: 96, justplay: true });
    expect((timer?.end_time ?? 0) - (timer?.start_time ?? 0)).toBe(3600);
    expect(complaints()).toEqual([]);
  });

  it('of an event have margins, whose fields keep typed text while the list changes', async () => {
    const { events } = await television.program.json<{
      events: readonly { id: number; begin_timestamp: number; duration_sec: number; title: string }[];
    }>(`/api/epgservice?sRef=${encodeURIComponent(references.get('Talblick 24') ?? '')}`);
    const event = events[20];
    expect(event).toBeDefined();
    if (event === undefined) return;
    const { id, title } = event;
    const response = await television.program.get(
      `/api/timeraddbyeventid?sRef=${encodeURIComponent(references.get('Talblick 24') ?? '')}&eventid=${id}`,
    );
    expect(await response.json()).toMatchObject({ result: true });
    const { page } = await television.open('#/timers');
    await page
      .getByRole('link', { name: new RegExp(title) })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: title });
    expect(await dialog.getByLabel('Minutes before the event').inputValue()).toBe('3');
    const after = dialog.getByLabel('Minutes after the event');
    await after.press('ControlOrMeta+a');
    await after.pressSequentially('30');
    // The field still has the focus when another client adds a timer.
    await plan('Aldermoor One', 'Tunnels', localTime(5, 14), 1800);
    await page.getByText('Tunnels').first().waitFor({ state: 'attached' });
    expect(await after.inputValue()).toBe('30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await planned(title)).toMatchObject({
      start_time: event.begin_timestamp - 180,
      end_time: event.begin_timestamp + event.duration_sec + 1800,
    });
  });

  it('of an event keep their margins when the end is edited, and show what they record', async () => {
    const reference = references.get('Talblick 24') ?? '';
    const { events } = await television.program.json<{
      events: readonly { id: number; begin_timestamp: number; duration_sec: number; title: string }[];
    }>(`/api/epgservice?sRef=${encodeURIComponent(reference)}`);
    const { id = 0, title = '', begin_timestamp: begin = 0, duration_sec: duration = 0 } = events[24] ?? {};
    await fetch(`${television.program.http}/timers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ service_reference: reference, id }),
    });
    const ofEvent = async () => {
      const { items } = await television.program.json<{ items: readonly (Timer & { readonly id: number })[] }>(
        '/timers?all=1',
      );
      return items.find((timer) => timer.id === id);
    };
    const before = await ofEvent();
    expect(before).toMatchObject({ start_time: begin - 180, end_time: begin + duration + 300 });
    const timeOf = (seconds: number) => new Date(seconds * 1000).toTimeString().slice(0, 5);
    const { page } = await television.open('#/timers');
    const row = page
      .getByRole('link')
      .filter({ hasText: `Records ${timeOf(begin - 180)} – ${timeOf(begin + duration + 300)}` });
    expect(await row.first().textContent()).toContain(`${timeOf(begin)}– ${timeOf(begin + duration)}`);
    await row.first().click();
    const dialog = page.getByRole('dialog', { name: title });
    const end = dialog.getByLabel('End', { exact: true });
    expect(await end.inputValue()).toBe(fieldOf(begin + duration));
    await end.fill(fieldOf(begin + duration + 900));
    await end.blur();
    expect(await dialog.getByLabel('Minutes after the event').inputValue()).toBe('5');
    await dialog.getByText(`– ${timeOf(begin + duration + 1200)}`).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [longer, margins] = [duration + 900, { margin_before: 180, margin_after: 300 }];
    expect(await ofEvent()).toMatchObject({ start_time: begin - 180, end_time: begin + longer + 300, ...margins });
    // A time for which the guide has no event.
    const later = localTime(60, 20);
    const recording = (start: number) =>
      page.getByRole('link').filter({ hasText: `Records ${timeOf(start - 180)} – ${timeOf(start + longer + 300)}` });
    await recording(begin).click();
    await dialog.getByLabel('Start', { exact: true }).fill(fieldOf(later));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await recording(later).textContent()).toContain(`${timeOf(later)}– ${timeOf(later + longer)}`);
  });

  it('ask before edits are discarded', async () => {
    const { page, check } = await television.open('#/timers?timer=new');
    const dialog = page.getByRole('dialog', { name: 'New timer' });
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    const title = dialog.getByLabel('Title');
    await title.fill('Kept');
    for (let time = 0; time < 3; time++) {
      await page.keyboard.press('Escape');
      await question.waitFor();
      if (time === 0) await check('discard');
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await title.inputValue()).toBe('Kept');
    }
    await dialog.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('report below the list, not over the footer', async () => {
    await plan('Aldermoor One', 'Over the footer', localTime(6, 4), 600);
    const { page } = await television.open('#/timers');
    await page.getByRole('button', { name: 'Delete timer for Over the footer' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    for (const screen of screens) {
      await showOn(page, screen);
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      const isOver = () =>
        page.evaluate(`document.querySelector('.toast').getBoundingClientRect().bottom >
          document.querySelector('.bottom').getBoundingClientRect().top`);
      await expect.poll(isOver, longTimeout).toBe(false);
    }
  });

  it('are switched off and on', async () => {
    await plan('Aldermoor One', 'Gardens', localTime(5, 8), 1800);
    const { page } = await television.open('#/timers');
    const toggle = page.getByRole('switch', { name: 'Timer for Gardens' });
    await toggle.click();
    await expect.poll(() => toggle.getAttribute('aria-checked'), longTimeout).toBe('false');
    expect(await planned('Gardens')).toMatchObject({ disabled: true });
    await toggle.press(' ');
    await expect.poll(() => toggle.getAttribute('aria-checked'), longTimeout).toBe('true');
    expect(await planned('Gardens')).toMatchObject({ disabled: false });
  });

  it('are deleted, and restored by undoing', async () => {
    await plan('Aldermoor One', 'Old films', localTime(6, 22), 5400);
    const before = await planned('Old films');
    const { page, complaints } = await television.open('#/timers');
    await page.getByRole('button', { name: 'Delete timer for Old films' }).click();
    await page.getByRole('link', { name: /Old films/ }).waitFor({ state: 'detached' });
    expect(await planned('Old films')).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /Old films/ }).waitFor();
    expect(await planned('Old films')).toEqual(before);
    expect(complaints()).toEqual([]);
  });

  it('can be restored for ten seconds after their deletion, and while the pointer is on the message', async () => {
    await plan('Aldermoor One', 'Old films', localTime(6, 20), 5400);
    const { page } = await television.open('#/timers');
    await page.getByRole('button', { name: 'Delete timer for Old films' }).first().waitFor();
    await page.clock.install({ time: television.now() * 1000 });
    await page.getByRole('button', { name: 'Delete timer for Old films' }).first().click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.hover();
    // From now on, only the test lets time pass.
    await page.clock.pauseAt((television.now() + 3600) * 1000);
    expect(await undo.isVisible()).toBe(true);
    await page.mouse.move(0, 0);
    await page.clock.fastForward(9_900);
    expect(await undo.isVisible()).toBe(true);
    await page.clock.fastForward(200);
    await undo.waitFor({ state: 'detached' });
  });

  it('that are running can be extended, and continue when their deletion is undone', async () => {
    const before = await planned('The harbour');
    const { page, complaints } = await television.open('#/timers');
    const dialog = page.getByRole('dialog', { name: 'The harbour' });
    const running = page.getByRole('button', { name: 'Stop The harbour' });
    await page.getByRole('link', { name: /The harbour/ }).click();
    await dialog.getByLabel('End', { exact: true }).fill(fieldOf(localTime(1, 23)));
    await dialog.getByRole('button', { name: 'Save' }).click();
    // Until then, it has a link with the title too.
    await dialog.waitFor({ state: 'detached' });
    expect((await planned('The harbour'))?.end_time).toBe(localTime(1, 23));
    await page.getByRole('link', { name: /The harbour/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await stopRecording(page, 'The harbour');
    await running.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('Control+z');
    await running.waitFor();
    expect(await planned('The harbour')).toMatchObject({ start_time: before?.start_time, state: 'running' });
    expect(complaints()).toEqual([]);
  });

  it('that are running are stopped by the receiver’s clock, if the browser’s differs', async () => {
    const { page } = await openPage(television.program, '#/timers');
    await page.getByRole('heading', { name: /Tomorrow/ }).waitFor();
    const stop = page.getByRole('button', { name: 'Stop The harbour' });
    await stop.click();
    const question = page.getByRole('dialog', { name: 'Stop recording The harbour?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await planned('The harbour')).toMatchObject({ state: 'running' });
    await stop.click();
    await stopRecording(page, 'The harbour');
    await stop.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await stop.click();
    await stopRecording(page, 'The harbour');
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor({ state: 'detached' });
    expect(await planned('The harbour')).toMatchObject({ state: 'ended' });
  });

  it('that have ended lead to their recording', async () => {
    const { page } = await television.open('#/timers');
    await page.getByText(/^Finished/).click();
    await page.getByRole('link', { name: 'Recording of The harbour' }).click();
    await page
      .getByRole('dialog', { name: 'The harbour' })
      .getByRole('link', { name: /^Play|^Resume/ })
      .waitFor();
    await page.evaluate(`location.hash = '#/recordings?recording=%2Fmissing.ts'`);
    await page.getByText('This recording has been moved or deleted.').waitFor();
  });

  it('repeat by the receiver’s clock, with a hint if the browser’s differs', async () => {
    const hint = /^The receiver’s clock shows \d\d:\d\d/;
    const { page } = await television.open('#/timers?timer=new', { ...screens[0], timezoneId: 'Asia/Kathmandu' });
    await page.getByText(hint).waitFor();
    const { page: near } = await television.open('#/timers');
    const answer = near.waitForResponse('**/api/currenttime');
    await near.getByRole('button', { name: 'New timer' }).click();
    await near.getByRole('group', { name: 'Repeats on' }).waitFor();
    await (await answer).finished();
    // The page has read its own answer before this one.
    await near.evaluate("fetch('/api/currenttime').then((response) => response.text())");
    expect(await near.getByText(hint).count()).toBe(0);
  });

  it.each([
    ['es-MX', /^El reloj del receptor marca las \d+:\d\d\s[ap]\.\s?m\. Las programaciones/],
    ['en-US', /^The receiver’s clock shows \d+:\d\d\s[AP]M\. Repeating/],
  ])('say the time of the receiver’s clock as usual in %s, and end the sentence once', async (locale, hint) => {
    const { page } = await television.open('#/timers?timer=new', {
      ...{ ...screens[0], locale, timezoneId: 'Asia/Kathmandu' },
    });
    await page.getByText(hint).waitFor();
  });

  it('are added from a link that fills in the form', async () => {
    const service = encodeURIComponent(references.get('Talblick 24') ?? '');
    const begin = localTime(3, 6);
    const { page } = await television.open(`#/timers?timer=new&service=${service}&begin=${begin}&title=Early+birds`);
    const dialog = page.getByRole('dialog', { name: 'New timer' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: /Early birds/ }).waitFor();
    expect(await planned('Early birds')).toMatchObject({ start_time: begin, service_name: 'Talblick 24' });
  });
});

describe.skipIf(!browser)('timers that compete for a tuner', () => {
  let television: Television;
  const lists = temporaryFolder();
  const begin = localTime(1, 20);

  const listed = (service: string, name: string, from: number, to: number) =>
    `<timer begin="${begin + from}" end="${begin + to}" serviceref="${service}" repeated="0" name="${name}" description="" afterevent="auto"/>`;
  const ships = '1:0:1:1:777:1:FFFF0000:0:0:0:';
  const match = '1:0:1:1:778:1:FFFF0000:0:0:0:';

  beforeAll(async () => {
    mkdirSync(lists, { recursive: true });
    const timers = [listed(ships, 'Ships', 0, 5400), listed(match, 'The match', 1800, 7200)].join('\n');
    writeFileSync(join(lists, 'timers.xml'), `<?xml version="1.0" ?>\n<timers>\n${timers}\n</timers>\n`);
    // Null packets: the multiplex of this tuner is unknown, so it may carry any service that the demo does not.
    const packet = Buffer.from([0x47, 0x1f, 0xff, 0x10, ...Buffer.alloc(184, 0xff)]);
    const capture = join(lists, 'unknown.ts');
    writeFileSync(capture, Buffer.concat(Array.from({ length: 1000 }, () => packet)));
    television = await openTelevision('--tuner', `file:${capture}`, '--enigma2-dir', lists);
  });
  afterAll(async () => {
    await television?.close();
    removeFolder(lists);
  });

  it('are shown with the one that gets it', async () => {
    const { page, checkScreens } = await television.open('#/timers');
    await page.getByRole('heading', { name: 'Not enough tuners' }).waitFor();
    const conflict = page.getByRole('figure');
    await conflict.getByText('The match').waitFor();
    await conflict.getByText('gets no tuner').waitFor();
    await conflict.getByText('can use Tuner B').first().waitFor();
    await checkScreens('conflict');
  });

  it('are shown when a new timer is refused', async () => {
    const query = `timer=new&service=${encodeURIComponent(match)}&begin=${begin}&title=More+football`;
    const { page } = await television.open(`#/timers?${query}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Not enough tuners: Ships').waitFor();
    await dialog.getByRole('figure').getByText('Ships').waitFor();
  });

  it('are no longer in conflict after one is deleted, until that is undone', async () => {
    const { page } = await television.open('#/timers');
    const remove = page.getByRole('button', { name: 'Delete timer for The match' });
    const conflict = page.getByRole('heading', { name: 'Not enough tuners' });
    // The conflict and the list are two responses.
    await conflict.waitFor();
    await remove.click();
    await remove.waitFor({ state: 'detached' });
    await conflict.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await remove.waitFor();
    await conflict.waitFor();
  });

  it('are named when a timer cannot be enabled, with a link to the conflict', async () => {
    const { page } = await television.open('#/timers');
    const match = (checked: boolean) => page.getByRole('switch', { name: /The match/, checked });
    await match(true).click();
    await match(false).click();
    await page.getByText('Not enough tuners: Ships').waitFor();
    await page.getByRole('status').getByRole('link', { name: 'Timers' }).click();
    await match(false).waitFor();
  });

  it('warn before saving if their time is in the past', async () => {
    const end = television.now() - 3600;
    const { page } = await television.open(`#/timers?timer=new&title=Late&begin=${end - 3600}&end=${end}`);
    const hint = page.getByText('This time is in the past. Nothing will be recorded.');
    await hint.waitFor();
    await page.getByRole('checkbox').first().check();
    await hint.waitFor({ state: 'detached' });
  });

  it('show failed recordings until they are dismissed', async () => {
    const failure = {
      id: 'x',
      title: 'The harbour',
      service: 'Alpha HD',
      problem: 'no signal',
      begin: television.now(),
    };
    let failures = [{ ...failure, ongoing: true }];
    const { page, checkScreens } = await television.open('#/nothing');
    await page.route('**/api/notifications', (route) => route.fulfill({ json: { failures, result: true } }));
    await page.route('**/api/notifications/dismiss', (route) => {
      failures = [];
      return route.fulfill({ json: { result: true } });
    });
    for (const name of ['Home', 'Recordings', 'Timers']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('status', { name: 'Failed recordings' }).getByText('no signal · still trying').waitFor();
    }
    await checkScreens('failed recordings');
    await page.getByRole('button', { name: 'Dismiss: The harbour' }).click();
    await page.getByRole('status', { name: 'Failed recordings' }).waitFor({ state: 'detached' });
  });
});
