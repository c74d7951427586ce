/** `/timers`: reading, creating, changing and deleting timers. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alpha, beta, marker, now } from '../receiver.ts';
import { ask, receiver, useReceiver } from './fixture.ts';

useReceiver();

const begin = now + 3600;
const wanted = { service_reference: alpha, start_time: begin, end_time: begin + 1800, title: 'Films' };
const elsewhere = '1:0:19:1:777:1:C00000:0:0:0:';

describe('GET', () => {
  it('returns the timers of all services, the timers of one service, or one timer, with and without a trailing slash', async () => {
    await ask('POST', '/timers', { service_reference: alpha, id: 4712 });
    await ask('POST', '/timers', { ...wanted, service_reference: beta });
    expect((await ask('GET', '/timers')).items.map(({ title }) => title)).toEqual(['Weather', 'Films']);
    for (const url of [`/timers/${alpha}`, `/timers/${alpha.replaceAll(':', '_')}/`]) {
      const { status, body, items } = await ask('GET', url);
      expect([status, body?.service_reference, items.length]).toEqual([200, alpha, 1]);
    }
    const { body, items } = await ask('GET', `/timers/${alpha}/4712/`);
    expect(body).toMatchObject({ result: true, service_reference: alpha, item_id: 4712 });
    expect(items).toEqual([
      {
        service_reference: alpha,
        start_time: 1767293100 - 420,
        end_time: 1767294900 + 300,
        duration: 2520,
        id: 4712,
        title: 'Weather',
        shortinfo: 'Outlook for the week.',
        state: 'waiting',
        disabled: false,
        justplay: false,
        justremind: false,
        zapbeforerecord: false,
        repeated: false,
        repeat_mask: 0,
        repeatedbegindate: 1767293100 - 420,
        cancelled: false,
        dontSave: false,
        first_try_prepare: true,
        dirname: null,
        dirnameHadToFallback: false,
        tags: [],
        log_entries: [],
        prepare_time: 20,
        start_prepare: 1767293100 - 440,
        is_timeshift: false,
        is_transformed_timeshift: false,
        record_ecm: false,
        pvrConvert: false,
        receiveRecordEvents: false,
        timer_id: 1,
        afterevent: 'auto',
        filename: null,
        service_name: 'Alpha HD',
        conflict: false,
        event: {
          id: 4712,
          start_time: 1767293100,
          duration: 1800,
          title: 'Weather',
          shortinfo: '',
          longinfo: 'Outlook for the week.',
          service_reference: alpha,
          service_name: 'Alpha HD',
        },
      },
    ]);
    expect((await ask('GET', `/timers/${alpha}/t1`)).items).toEqual(items);
  });

  it('returns 404 with an empty list for a missing timer, and an empty list for a service without timers', async () => {
    for (const item of ['1', '0', 't9']) {
      const { status, body } = await ask('GET', `/timers/${alpha}/${item}`);
      expect([status, body?.result, body?.items]).toEqual([404, true, []]);
    }
    expect(await ask('GET', `/timers/${beta}`)).toMatchObject({ status: 200, items: [] });
    for (const url of ['/timers/nonsense', `/timers/${alpha}/x`, '/timers//1'])
      expect((await ask('GET', url)).status).toBe(400);
  });

  it('omits ended timers unless requested', async () => {
    await ask('POST', '/timers', { ...wanted, start_time: now - 100, end_time: now - 50 });
    expect((await ask('GET', '/timers')).items).toEqual([]);
    for (const query of ['all=1', 'state=ended']) expect((await ask('GET', `/timers?${query}`)).items).toHaveLength(1);
    expect((await ask('GET', '/timers?state=waiting')).items).toEqual([]);
  });

  it('returns 304 while nothing has changed', async () => {
    await ask('POST', '/timers', wanted);
    const { headers } = await ask('GET', '/timers');
    expect(headers['cache-control']).toBe('no-cache');
    const known = { 'if-none-match': String(headers.etag) };
    expect((await ask('GET', '/timers', undefined, known)).status).toBe(304);
    await ask('PUT', `/timers/${alpha}/t1`, { title: 'Else' });
    expect((await ask('GET', '/timers', undefined, known)).status).toBe(200);
  });

  it('shows which timers may get no tuner', async () => {
    await ask('POST', '/timers', wanted);
    await receiver.parts.timers.add({
      ...(receiver.parts.timers.all[0] ?? expect.fail('no timer')),
      reference: receiver.parts.services.resolve(elsewhere),
      conflictDetection: false,
    });
    expect((await ask('GET', '/timers')).items.map(({ conflict }) => conflict)).toEqual([true, true]);
  });
});

describe('POST', () => {
  it('creates a timer and returns its path', async () => {
    const { status, headers, items } = await ask('POST', '/timers/', {
      ...{ ...wanted, shortinfo: 'd', repeat_mask: 31, afterevent: 'standby', zapbeforerecord: true, tags: 'a b' },
    });
    expect([status, headers.location]).toEqual([201, `/timers/${encodeURIComponent(alpha)}/t1`]);
    expect(items[0]).toMatchObject({
      ...{ title: 'Films', shortinfo: 'd', repeated: true, repeat_mask: 31, afterevent: 'standby', tags: ['a', 'b'] },
      zapbeforerecord: true,
    });
    expect((await ask('GET', String(headers.location))).items).toHaveLength(1);
  });

  it('does not create an existing timer again', async () => {
    await ask('POST', '/timers', wanted);
    expect(await ask('POST', '/timers', wanted)).toMatchObject({ status: 200, items: [{ timer_id: 1 }] });
  });

  it('returns 409 with the timers in conflict', async () => {
    await ask('POST', '/timers', wanted);
    const { status, body } = await ask('POST', '/timers', { ...wanted, service_reference: elsewhere, title: 'Match' });
    expect([status, body?.error]).toEqual([409, 'timer-conflict']);
    expect(body?.conflicts).toMatchObject([{ title: 'Match' }, { title: 'Films' }]);
  });

  it.each([
    [{}, 400],
    [{ ...wanted, title: '' }, 400],
    [{ ...wanted, service_reference: 'x' }, 400],
    [{ ...wanted, afterevent: 'x' }, 400],
    [{ ...wanted, repeat_mask: 128 }, 400],
    [{ ...wanted, dirname: '/etc' }, 403],
    [{ service_reference: alpha, id: 1 }, 404],
    [{ service_reference: '1:64:1:0:0:0:0:0:0:0::x', id: 1 }, 501],
  ])('answers %j with status %d', async (payload, status) => {
    expect((await ask('POST', '/timers', payload)).status).toBe(status);
    expect(receiver.parts.timers.all).toEqual([]);
  });
});

it('a folder behind a link that leads out of the recording folders is rejected', async () => {
  const { locations, timers } = receiver.parts;
  symlinkSync(join(receiver.folder, 'picon'), join(locations.default, 'link'));
  for (const dirname of [join(locations.default, 'link'), join(locations.default, 'link', 'new')]) {
    expect(await ask('POST', '/timers', { ...wanted, dirname })).toMatchObject({
      status: 403,
      body: { error: 'outside-locations' },
    });
  }
  await ask('POST', '/timers', wanted);
  const { status } = await ask('PUT', `/timers/${wanted.service_reference}/t1`, {
    dirname: join(locations.default, 'link'),
  });
  expect([status, timers.all.map(({ folder }) => folder)]).toEqual([403, [undefined]]);
});

describe('PUT', () => {
  it('changes the given fields and keeps the others', async () => {
    await ask('POST', '/timers', { service_reference: alpha, id: 4712, tags: 'a' });
    const { status, items } = await ask('PUT', `/timers/${alpha}/4712`, { end_time: 1767295500, disabled: true });
    expect([status, items[0]]).toMatchObject([
      200,
      { id: 4712, title: 'Weather', end_time: 1767295500, start_time: 1767293100 - 420, tags: ['a'], disabled: true },
    ]);
    expect((await ask('PUT', `/timers/${alpha}/t7`, {})).status).toBe(404);
  });

  it('changes the service of a timer, and with it the event', async () => {
    await ask('POST', '/timers', { service_reference: alpha, id: 4712, tags: 'a' });
    const { status, items } = await ask('PUT', `/timers/${alpha}/t1`, { service: beta });
    expect([status, items[0]]).toMatchObject([200, { service_reference: beta, timer_id: 1, id: null, tags: ['a'] }]);
    expect((await ask('PUT', `/timers/${beta}/t1`, { service: marker })).status).toBe(501);
  });

  it('keeps margins that were sent, until the length changes without them', async () => {
    const margins = { margin_before: 180, margin_after: 300 };
    await ask('POST', '/timers', wanted);
    expect((await ask('GET', '/timers')).items[0]).not.toHaveProperty('margin_before');
    const put = async (changes: object) => (await ask('PUT', `/timers/${alpha}/t1`, changes)).items[0];
    const late = { start_time: begin + 90_000, end_time: begin + 93_000 };
    expect(await put({ ...late, ...margins })).toMatchObject({ ...late, ...margins });
    expect(await put({ disabled: true })).toMatchObject(margins);
    expect(await put({ start_time: begin + 90_600, end_time: begin + 93_600 })).toMatchObject(margins);
    expect(await put({ end_time: begin + 93_900 })).not.toHaveProperty('margin_before');
    // Longer than the timer.
    expect(await put({ ...late, margin_before: 86_000 })).not.toHaveProperty('margin_before');
  });

  it('records the margins that were sent, and moves a time by a new margin', async () => {
    const start = 1767293100;
    const { items } = await ask('POST', '/timers', { service_reference: alpha, id: 4712, margin_before: 600 });
    expect(items[0]).toMatchObject({ start_time: start - 600, margin_before: 600 });
    const { margin_after, end_time } = items[0] as { margin_after: number; end_time: number };
    expect(margin_after).toBeGreaterThan(0);
    const changed = await ask('PUT', `/timers/${alpha}/t1`, { margin_before: 900 });
    expect(changed.items[0]).toMatchObject({ start_time: start - 900, end_time, margin_before: 900, margin_after });
  });

  it('changes nothing in a conflict', async () => {
    await ask('POST', '/timers', wanted);
    await ask('POST', '/timers', {
      ...wanted,
      service_reference: elsewhere,
      start_time: begin + 1800,
      end_time: begin + 1860,
    });
    const reply = await ask('PUT', `/timers/${alpha}/t1`, { end_time: begin + 1830 });
    expect([reply.status, receiver.parts.timers.find(1)?.end]).toEqual([409, begin + 1800]);
  });
});

describe('DELETE', () => {
  it('returns the deleted timer', async () => {
    await ask('POST', '/timers', { service_reference: alpha, id: 4712 });
    const { status, body } = await ask('DELETE', `/timers/${alpha}/4712/`);
    expect([status, body]).toMatchObject([
      200,
      { result: true, service_reference: alpha, item_id: 4712, items: [{ title: 'Weather' }] },
    ]);
    expect((await ask('DELETE', `/timers/${alpha}/4712/`)).status).toBe(404);
  });

  it('can be undone, even if the timer is then in conflict', async () => {
    const { timers } = receiver.parts;
    await ask('POST', '/timers', { service_reference: alpha, id: 4712, tags: 'a' });
    const [before] = timers.all;
    await ask('DELETE', `/timers/${alpha}/t1`);
    await ask('POST', '/timers', {
      ...wanted,
      service_reference: elsewhere,
      start_time: before?.begin,
      end_time: before?.end,
    });
    const { status, items } = await ask('POST', '/timers/restore', { timer_id: 1 });
    expect([status, items]).toMatchObject([200, [{ timer_id: 1, title: 'Weather' }]]);
    expect(timers.find(1)).toEqual(before);
    expect((await ask('POST', '/timers/restore', { timer_id: 1 })).status).toBe(404);
  });

  it.each([
    ['SREF/3', 400, /^'SREF' is not a service reference, such as 1:0:19:.*; a timer is at \/timers\/SERVICE\/EVENT or/],
    ['99', 400, /^'99' is not a service reference, .*\/timers\/SERVICE\/t7/],
    [`${alpha}/3`, 404, /^no timer for event 3 on 1:0:.*; GET \/timers lists all timers, and a timer is at/],
    [`${alpha}/t3`, 404, /^no timer with timer_id 3 on 1:0:/],
    [`${alpha}/x3`, 400, /'x3' in place of a timer, which is an event id or t and its timer_id \(t7\)/],
  ] as const)('says of %s what names a timer', async (path, status, message) => {
    const reply = await ask('DELETE', `/timers/${path}`);
    expect(reply).toMatchObject({ status, body: { result: false, message: expect.stringMatching(message) } });
  });

  it('never deletes several timers at once', async () => {
    await ask('POST', '/timers', wanted);
    for (const url of [`/timers/${alpha}`, `/timers/${alpha}/`]) expect((await ask('DELETE', url)).status).toBe(400);
    expect((await ask('DELETE', '/timers')).status).toBe(405);
    expect(receiver.parts.timers.all).toHaveLength(1);
  });

  it('is rejected for pages of other sites, like all changes', async () => {
    const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await ask('POST', '/timers', wanted, headers)).status).toBe(403);
    expect((await ask('DELETE', `/timers/${alpha}/t1`, undefined, headers)).status).toBe(403);
    expect((await ask('PUT', `/timers/${alpha}/t1`, {}, headers)).status).toBe(403);
  });
});
