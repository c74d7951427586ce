/** The requests of Kodi other than channels: AutoTimers, picons, settings. */
import { describe, expect, it } from 'vitest';
import { alpha, favourites, second } from '../receiver.ts';
import { all, at, get } from '../reply.ts';
import { json, receiver, useReceiver, xml } from './fixture.ts';

useReceiver();

describe('Kodi, apart from channels', () => {
  it('reads the AutoTimer settings, finding no empty value and nothing to change', async () => {
    const settings = all(await xml('/autotimer/get'), 'e2setting').map((one) => [
      at(one, 'e2settingname').text,
      at(one, 'e2settingvalue').text,
    ]);
    expect(settings).toEqual([
      ['config.plugins.autotimer.add_autotimer_to_tags', 'True'],
      ['config.plugins.autotimer.add_name_to_tags', 'True'],
    ]);
  });

  it('creates an AutoTimer, reads it back and removes it', async () => {
    const rules = await xml('/autotimer');
    expect([rules.name, rules.attributes.version, rules.children]).toEqual(['autotimer', '8', []]);
    const state = async (path: string) => at(await xml(path), 'e2state').text;
    expect(
      await state(
        '/autotimer/edit?name=Weather&match=Weather&enabled=yes&timespanFrom=19%3a30&timespanTo=21%3a00&offset=3,5' +
          '&encoding=UTF-8&searchCase=sensitive&searchType=exact&avoidDuplicateDescription=3&searchForDuplicateDescription=2' +
          '&services=1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A&tag=ChannelType%3DTV' +
          '&tag=ChannelRef%3D1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A&tag=GenreId%3D0x20&dayofweek=3&dayofweek=4',
      ),
    ).toBe('True');
    const [rule] = all(await xml('/autotimer'), 'timer');
    expect(rule?.attributes).toEqual({
      id: '1',
      name: 'Weather',
      match: 'Weather',
      enabled: 'yes',
      from: '19:30',
      to: '21:00',
      offset: '3,5',
      encoding: 'UTF-8',
      searchType: 'exact',
      searchCase: 'sensitive',
      avoidDuplicateDescription: '3',
    });
    expect(rule?.children.map(({ name, text, attributes }) => [name, text.trim(), attributes])).toEqual([
      ['e2tags', `ChannelType=TV ChannelRef=${alpha} GenreId=0x20`, {}],
      ['e2service', '', {}],
      ['include', '3', { where: 'dayofweek' }],
      ['include', '4', { where: 'dayofweek' }],
    ]);
    // Kodi finds the timers of a rule by these tags.
    const [timer] = all(await xml('/web/timerlist'), 'e2timer');
    expect(at(timer ?? expect.fail('no timer'), 'e2tags').text.split(' ')).toEqual(
      expect.arrayContaining(['AutoTimer', 'Weather']),
    );
    expect(await state('/autotimer/edit?id=1&name=Weather&match=Weather&enabled=no&offset=&dayofweek=')).toBe('True');
    expect(await state('/autotimer/remove?id=1')).toBe('True');
    expect(await state('/autotimer/remove?id=1')).toBe('False');
    expect(await state('/autotimer/set?add_name_to_tags=true&add_autotimer_to_tags=true')).toBe('True');
  });

  it('requests ranges of picons, and AutoTimers with its base URL repeated', async () => {
    const headers = { range: 'bytes=0-', 'accept-encoding': 'deflate, gzip, br, zstd' };
    const reply = await get(receiver, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', {}, { headers });
    expect([200, 206]).toContain(reply.status);
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect((await get(receiver, '/http://user:word@box:80/autotimer/get')).status).toBe(200);
  });

  it('shows the picons of getservices: every link leads to a picture', async () => {
    for (const sRef of [favourites, second]) {
      const { services } = await json('/api/getservices', { provider: 1, picon: 1, sRef });
      for (const { picon } of services as { picon: string }[]) {
        expect(picon).toMatch(/^\//);
        expect((await get(receiver, picon, {}, { method: 'HEAD' })).status, picon).toBe(200);
      }
    }
  });

  it('requests the last scanned channels by file name, once with two spaces', async () => {
    for (const blank of [' ', '  ']) {
      const sRef = `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET${blank}"userbouquet.LastScanned.tv" ORDER BY bouquet`;
      expect((await xml('/web/getservices', { sRef })).name).toBe('e2servicelist');
    }
  });
});

describe('Kodi and the settings', () => {
  it('writes the margins by POST with a meaningless body and searches the raw text of the response', async () => {
    for (const [key, value] of [
      ['config.recording.margin_before', '4'],
      ['config.recording.margin_after', '9'],
    ] as const) {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const options = { method: 'POST', headers: form, payload: '\0\0' } as const;
      const reply = await get(receiver, '/api/saveconfig', { key, value }, options);
      expect(reply.body).toContain('"result": true');
      expect(receiver.parts.settings.get(key)).toBe(value);
    }
  });
});
