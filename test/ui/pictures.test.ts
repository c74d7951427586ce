/** Logos of channels, and pictures of events and recordings, on the page. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRecording } from '../fixtures/recordings.ts';
import { eventually } from '../fixtures/waits.ts';
import { type Station, station } from '../iptv/station.ts';
import { broadcast, png } from '../pictures/samples.ts';
import { removeFolder, temporaryFolder } from '../receiver/program.ts';
import { aldermoorOne, browser, openTelevision, type Television } from './open-page.ts';

describe.skipIf(!browser)('a picture', () => {
  let television: Television;
  let web: Station;
  const folder = temporaryFolder();

  beforeAll(async () => {
    web = await station({
      '/logo.png': (_, response) => response.end(png(220, 132)),
      '/film.png': (_, response) => response.end(png(640, 360)),
      '/poster.png': (_, response) => response.end(png(200, 300)),
      '/page.png': (_, response) => response.end('<html>'.repeat(100)),
    });
    const settings = join(folder, 'receiverd.yaml');
    writeFileSync(settings, 'iptv: { allow: [127.0.0.1] }\n');
    television = await openTelevision('--config', settings);
    const day = new Date((television.now() + 20 * 86_400) * 1000).toISOString().slice(0, 10).replaceAll('-', '');
    const programmes = ['film', 'poster', 'page'].map(
      (name, hour) =>
        `<programme start="${day}0${hour}0000 +0000" stop="${day}0${hour + 1}0000 +0000" channel="${aldermoorOne}"><title>A ${name}</title><icon src="${web.url}/${name}.png"/></programme>`,
    );
    const body = `<tv><channel id="${aldermoorOne}"><icon src="${web.url}/logo.png"/></channel>${programmes.join('')}</tv>`;
    const response = await fetch(`${television.program.http}/api/epgimport`, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ imported: 3 });
  });
  afterAll(async () => {
    await television?.close();
    await web?.stop();
    removeFolder(folder);
  });

  /** Waits until the receiver has a picture. Pages request it a few times only, which a busy machine may miss. */
  const untilReady = (path: string, query: Readonly<Record<string, string>>) =>
    eventually(async () => {
      const { status } = await fetch(`${television.program.http}${path}?${new URLSearchParams(query)}`);
      return status === 200 || undefined;
    }, `${path} is ready`);

  /** The width of the loaded picture, in its own pixels. */
  const widthOf = (picture: Locator) =>
    eventually(
      () => picture.evaluate((one: { readonly naturalWidth: number }) => one.naturalWidth || undefined),
      'the picture has loaded',
    );

  it('is the logo of a channel, which the receiver serves itself', async () => {
    await untilReady('/picture/service', { service_reference: aldermoorOne });
    const { page, complaints } = await television.open('#/channels');
    const rows = page.locator('.channel');
    expect(await widthOf(rows.filter({ hasText: 'Aldermoor One' }).first().locator('.picon img'))).toBe(220);
    // Another channel has its name in short.
    await rows.locator('.tile').first().waitFor();
    expect(web.requests.filter(({ url }) => url === '/logo.png')).toHaveLength(1);
    expect(complaints()).toEqual([]);
  });

  it.each([
    ['A film', 'img.shown:not(.tall)', 640],
    ['A poster', 'img.tall', 200],
    ['A page', 'img.logo', 220],
  ])('is that of the event %s, or the logo of its channel', async (title, selector, width) => {
    const query = new URLSearchParams({ what: title, querytype: 'title-is', flags: 'I' });
    const { events } = await television.program.json<{ events: readonly { id: number }[] }>(
      `/api/eventsearch?${query}`,
    );
    const event = { service_reference: aldermoorOne, event_id: String(events[0]?.id) };
    if (width !== 220) await untilReady('/picture/event', event);
    const { page, checkScreens } = await television.open(
      `#/?${new URLSearchParams({ event: event.event_id, of: aldermoorOne })}`,
    );
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('link', { name: 'Aldermoor One', exact: true }).waitFor();
    expect(await widthOf(dialog.locator(selector))).toBe(width);
    await checkScreens(title);
  });

  it('is a frame of a recording, the logo of its channel, or its title in short', async () => {
    const { default: location } = await television.program.json<{ default: string }>('/api/getlocations');
    const write = (title: string, service: string) => {
      const path = join(location, `${title}.ts`);
      writeRecording(path, { content: Buffer.alloc(18_800), meta: [service, title, '', String(television.now())] });
      return path;
    };
    const ships = write('Ships at sea', aldermoorOne);
    await broadcast(ships);
    await untilReady('/picture/recording', { file: ships });
    write('Without a picture', `${aldermoorOne}Aldermoor One`);
    write('Without anything', '1:0:1:1:1:1:C00000:0:0:0:Nowhere');
    const { page, checkScreens } = await television.open('#/recordings');
    const pictureOf = (title: string) => page.locator('.library .row', { hasText: title }).locator('.picture');
    expect(await widthOf(pictureOf('Ships at sea').locator('img.shown'))).toBe(480);
    expect(await widthOf(pictureOf('Without a picture').locator('img.logo'))).toBe(220);
    await pictureOf('Without anything').getByText('WA', { exact: true }).waitFor();
    // Shown again, it comes from the browser's cache.
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('link', { name: 'Recordings', exact: true }).click();
    expect(await widthOf(pictureOf('Ships at sea').locator('img.shown'))).toBe(480);
    await checkScreens('pictures of recordings');
    // While the receiver is making pictures, the same.
    await page.route('**/picture/recording?*', (route) =>
      route.fulfill({ status: 202, headers: { 'Retry-After': '3600' } }),
    );
    await page.reload();
    expect(await widthOf(pictureOf('Without a picture').locator('img.logo'))).toBe(220);
    await pictureOf('Without anything').getByText('WA', { exact: true }).waitFor();
    const { width = 0, height = 0 } = (await pictureOf('Without anything').boundingBox()) ?? {};
    expect(width / height).toBeCloseTo(16 / 9, 1);
  });
});
