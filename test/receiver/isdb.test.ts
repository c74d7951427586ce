/** A Japanese multiplex in the running program: names, numbers, guide, search, logos, clock. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isdbMultiplex, now } from '../fixtures/isdb.ts';
import { eventually } from '../fixtures/waits.ts';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from './program.ts';

const general = '1:0:1:400:7FE1:7FE0:EEEE0000:0:0:0:';

describe('a Japanese multiplex', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'isdb.ts');
  let program: Program;
  beforeAll(async () => {
    writeFileSync(file, isdbMultiplex());
    program = await startProgram(folder, '--tuner', `file:${file}`, '--clock', 'broadcast');
  });
  afterAll(() => removeFolder(folder));

  test('scan lists services, numbers of the remote control, and one-seg', async () => {
    const { stdout } = await runProgram('scan', '--tuner', `file:${file}`, '--json');
    const { services } = JSON.parse(stdout) as { services: readonly Record<string, unknown>[] };
    expect(
      services.map(({ name, channelNumber, provider, scrambled }) => [name, channelNumber, provider, scrambled]),
    ).toEqual([
      ['ＮＨＫ総合１・東京', 11, 'ＮＨＫ東京', false],
      ['ＮＨＫ総合２・東京', 12, 'ＮＨＫ東京', false],
      ['ＮＨＫ携帯Ｇ・東京', 611, 'ＮＨＫ東京', false],
    ]);
    expect((await runProgram('scan', '--tuner', `file:${file}`)).stdout).toMatch(/ＮＨＫ携帯Ｇ・東京.*one-seg/);
  });

  test('the favourites leave out one-seg, which shows the same', async () => {
    const names = await eventually(async () => {
      const { services } = await program.json<{
        services: readonly { readonly subservices: readonly { readonly servicename: string }[] }[];
      }>('/api/getallservices');
      const [favourites] = services;
      return favourites?.subservices.length ? favourites.subservices.map(({ servicename }) => servicename) : undefined;
    }, 'favourites');
    expect(names).toEqual(['ＮＨＫ総合１・東京', 'ＮＨＫ総合２・東京']);
    const playlist = await (await program.get('/web/services.m3u')).text();
    expect(playlist.match(/tvg-chno="[^"]*"/g)).toEqual(['tvg-chno="011"', 'tvg-chno="012"']);
  });

  test('the guide has titles, texts of other tables, shared events, and times of Japan', async () => {
    const titleAndText = async (reference: string) => {
      const { events } = await program.json<{ events: readonly { readonly title: string }[] }>(
        `/api/eventlookup?service_reference=${reference}&querytype=0&minutes=0&begin=${now}&flags=TEB`,
      );
      return events[0] === undefined ? undefined : JSON.stringify(events[0]);
    };
    const found = await eventually(async () => {
      const text = await titleAndText(general);
      return text?.includes('山田 太郎') ? text : undefined;
    }, 'the long text');
    expect(found).toContain('"ＮＨＫニュース７"');
    expect(found).toContain(`${now - 600}`);
    const shared = '1:0:1:401:7FE1:7FE0:EEEE0000:0:0:0:';
    expect(await eventually(() => titleAndText(shared), 'the shared event')).toContain('"ＮＨＫニュース７"');
  });

  test('a timer continues on the service to which its event is relayed, and is deleted with that', async () => {
    const list = async () =>
      (
        await program.json<{
          timers: readonly { readonly name: string; readonly begin: number; readonly end: number }[];
        }>('/api/timerlist')
      ).timers;
    const added = () => program.json<{ result: boolean }>(`/api/timeraddbyeventid?sRef=${general}&eventid=101`);
    await eventually(async () => (await added()).result || undefined, 'the timer');
    const timers = await eventually(async () => {
      const timers = await list();
      return timers.length === 2 ? timers : undefined;
    }, 'the continuation');
    expect(timers.map(({ name }) => name)).toEqual(['大河ドラマ', '大河ドラマ・続き']);
    const [{ begin = 0, end = 0 } = {}] = timers;
    await program.json(`/api/timerdelete?sRef=${general}&begin=${begin}&end=${end}`);
    expect(await list()).toEqual([]);
  });

  test('a search in plain letters finds full-width ones', async () => {
    const { events } = await program.json<{ events: readonly { readonly title: string }[] }>(
      `/api/eventsearch?what=${encodeURIComponent('nhkニュース7')}&flags=T`,
    );
    expect(events.map(({ title }) => title)).toContain('ＮＨＫニュース７');
  });

  test('the logo of the broadcast is the picon', async () => {
    const logo = await eventually(async () => {
      const response = await program.get('/picon/1_0_1_400_7FE1_7FE0_EEEE0000_0_0_0.png');
      return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : undefined;
    }, 'the logo');
    expect(logo.subarray(1, 4).toString()).toBe('PNG');
    expect(logo.includes('PLTE')).toBe(true);
  });
});
