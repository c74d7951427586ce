/** The details of an event, and the actions on it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { aldermoorOne, browser, openTelevision, stopRecording, type Television } from './open-page.ts';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly start_time: number;
  readonly service_reference: string;
}

interface Running {
  readonly id: number;
  readonly sref: string;
  readonly title: string;
  readonly begin_timestamp: number;
  readonly duration_sec: number;
}

describe.skipIf(!browser)('an event', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  /** Starts in an hour or later, so that it does not end during the test. */
  const find = async (parameters: Readonly<Record<string, string | number>>): Promise<readonly Row[]> => {
    const asked = Object.entries({ flags: 'IBTR', begin: television.now() + 3600, ...parameters });
    const query = new URLSearchParams(Object.fromEntries(asked.map(([name, value]) => [name, String(value)])));
    return (await television.program.json<{ events: readonly Row[] }>(`/api/eventsearch?${query}`)).events;
  };
  const ofEvent = ({ service_reference, id }: Row) => ({ service_reference, event_id: id });
  /** An event that starts in an hour or later. */
  const later = (title: string) =>
    eventually(async () => {
      const found = await find({ what: title, querytype: 'title-is' });
      return found.find(({ start_time }) => start_time > television.now() + 3600);
    }, title);
  /** An event with another showing. */
  const film = () =>
    eventually(async () => {
      for (const one of await find({ what: 'Film', querytype: 'short', service_reference: aldermoorOne }))
        if ((await find({ querytype: 'similar', ...ofEvent(one) })).length > 0) return one;
      return undefined;
    }, 'a film that is shown again');
  const showing = ({ service_reference, start_time }: Row) => `${service_reference} ${start_time}`;
  const addressOf = ({ id, service_reference }: Row) =>
    `#/timers?${new URLSearchParams({ event: String(id), of: service_reference })}`;

  it('has details', async () => {
    const event = await film();
    const { page, checkScreens } = await television.open(addressOf(event));
    const dialog = page.getByRole('dialog', { name: event.title });
    await dialog.getByText(/Cast: /).waitFor();
    await dialog.getByText('Ages 12+').waitFor();
    await dialog.getByRole('link', { name: 'Aldermoor One', exact: true }).waitFor();
    await dialog.getByRole('heading', { name: 'Other showings' }).waitFor();
    await checkScreens('event in full');
  });

  it('lists other showings separately from other events of the series', async () => {
    const event = await eventually(async () => {
      for (const one of await find({ what: 'e', max_rows: 400 })) {
        // The page's own requests, without what may be over when it is open; the series first, because the guide grows.
        const asked = { ...ofEvent(one), begin: television.now() + 3600, max_rows: 20 };
        const series = await find({ querytype: 'series', ...asked });
        const same = await find({ querytype: 'similar', ...asked });
        const known = new Set([one, ...same].map(showing));
        if (known.size > 1 && series.some((row) => !known.has(showing(row)))) return one;
      }
      return undefined;
    }, 'an event of a series with another showing');
    const { page } = await television.open(addressOf(event));
    await page.getByRole('heading', { name: 'Other showings' }).waitFor();
    await page.getByRole('heading', { name: 'More from this series' }).waitFor();
  });

  it('can have a reminder, which can be cancelled', async () => {
    const event = await later('Aldermoor News');
    const { page, complaints } = await television.open(addressOf(event));
    await page.getByRole('button', { name: `Remind me of ${event.title}` }).click();
    await page.getByRole('button', { name: 'Cancel reminder' }).waitFor();
    expect(await television.program.json('/api/timerlist')).toMatchObject({ timers: [{ eit: event.id, justplay: 1 }] });
    await page.getByRole('button', { name: 'Cancel reminder' }).click();
    await page.getByRole('button', { name: `Remind me of ${event.title}` }).waitFor();
    expect(await television.program.json('/api/timerlist')).toMatchObject({ timers: [] });
    expect(complaints()).toEqual([]);
  });

  /** The running event that ends last, so that it does not end during the test. */
  const running = async () => {
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';
    const { events } = await television.program.json<{ events: readonly Running[] }>(
      `/api/epgnow?bRef=${encodeURIComponent(bouquet)}`,
    );
    const ends = (event: Running) => event.begin_timestamp + event.duration_sec;
    const { id, sref, title } = events.reduce((one, other) => (ends(other) > ends(one) ? other : one));
    return { title, address: `#/timers?${new URLSearchParams({ event: String(id), of: sref })}` };
  };
  const active = async () => {
    const { timers } = await television.program.json<{ timers: readonly { state: number }[] }>('/api/timerlist');
    return timers.filter(({ state }) => state === 2).length;
  };

  it('asks before it stops a running recording, which Undo continues', async () => {
    const { title, address } = await running();
    const { page, check, complaints } = await television.open(address);
    await page.getByRole('button', { name: `Record ${title}`, exact: true }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.click();
    const question = page.getByRole('dialog', { name: `Stop recording ${title}?` });
    await question.getByText('What has been recorded so far is kept.').waitFor();
    await check('stopping a recording');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await active()).toBe(1);
    await stop.click();
    await question.getByRole('button', { name: 'Stop recording' }).click();
    await page.getByRole('button', { name: `Record ${title}`, exact: true }).waitFor();
    expect(await active()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await stop.waitFor();
    expect(await active()).toBe(1);
    await stop.click();
    await question.getByRole('button', { name: 'Stop recording' }).click();
    await page.getByRole('button', { name: `Record ${title}`, exact: true }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it('can be recorded again after its recording was stopped', async () => {
    const { title, address } = await running();
    const { page } = await television.open(address);
    const record = page.getByRole('button', { name: `Record ${title}`, exact: true });
    await record.click();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await page.getByRole('link', { name: 'Show timer' }).click();
    await page.getByRole('dialog', { name: title }).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: `Stop ${title}` }).click();
    await stopRecording(page, title);
    await page.getByRole('heading', { name: 'Recording now', exact: true }).waitFor({ state: 'detached' });
    await page.goto(`${television.program.http}/${address}`);
    await record.waitFor();
  });

  it('is below messages of the receiver', async () => {
    const event = await later('Aldermoor News');
    const { page, complaints } = await television.open(addressOf(event));
    await page.getByRole('button', { name: `Remind me of ${event.title}` }).click();
    // The message must be the topmost element at the pointer.
    await page.getByText(`The receiver will switch to ${event.title}`).hover();
    await television.program.json('/api/message?text=Ready%3F&type=0&timeout=0');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('button', { name: 'Cancel reminder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText(`The receiver will not switch to ${event.title}`).hover();
    expect(complaints()).toEqual([]);
  });

  it('links to a rule for all of its showings, and to the player if it is running', async () => {
    const event = await later('Aldermoor News');
    const { page } = await television.open(addressOf(event));
    const all = page.getByRole('link', { name: `Record all of ${event.title}` });
    const query = new URLSearchParams({ title: event.title, service: event.service_reference });
    expect(await all.getAttribute('href')).toBe(`#/series?${query}`);
    expect(await page.getByRole('dialog').getByRole('link', { name: 'Watch Aldermoor One here' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.goto(
      `${television.program.http}/#/channel?${new URLSearchParams({ service: event.service_reference })}`,
    );
    await page
      .getByRole('link')
      .filter({ has: page.getByText('now', { exact: true }) })
      .click();
    const watch = page.getByRole('dialog').getByRole('link', { name: 'Watch Aldermoor One here' });
    expect(await watch.getAttribute('href')).toMatch(/^#\/watch\?service=1%3A0%3A1.*&name=Aldermoor\+One$/);
  });

  it('has a link that opens it', async () => {
    const event = await later('Aldermoor News');
    const { page } = await television.open(addressOf(event));
    await page.getByRole('dialog', { name: event.title }).waitFor();
    // Like a page over plain HTTP from another machine, which can neither share nor copy.
    await page.evaluate("for (const name of ['share', 'clipboard']) delete Object.getPrototypeOf(navigator)[name]");
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByLabel('Link to this event').inputValue();
    const { page: other } = await television.open(link.slice(`${television.program.http}/`.length));
    await other.getByRole('dialog', { name: event.title }).waitFor();
  });

  it('reports that it is no longer in the guide', async () => {
    const { page } = await television.open(`#/?event=65000&of=${aldermoorOne}`);
    await page.getByRole('dialog', { name: 'This event is no longer in the guide.' }).waitFor();
  });
});
