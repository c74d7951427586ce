/** Searching the guide, and single events. */
import { describe, expect, it } from 'vitest';
import { alpha, now } from '../receiver.ts';
import { api, at, get, leaves, parseXml, web, type XmlElement } from '../reply.ts';
import { eventsOf, receiver, titles, useReceiver, xmlEvents } from './fixture.ts';

useReceiver();

describe('search', () => {
  it('finds titles, and texts on request', async () => {
    expect(titles(await eventsOf('epgsearch', { search: 'harb' }))).toEqual(['Ships & Harbours']);
    expect(await eventsOf('epgsearch', { search: 'pilot' })).toEqual([]);
    expect(titles(await eventsOf('epgsearch', { search: 'pilot', full: '' }))).toEqual(['Ships & Harbours']);
    expect(titles(await eventsOf('epgsearch', { search: 'weather', endtime: 1767293100 }))).toEqual(['Weather']);
  });

  it('shows the kind and the position of the service', async () => {
    const [event] = await eventsOf('epgsearch', { search: 'ships' });
    expect(event).toMatchObject({ service_type: 'HDTV', ns: '19.2° E', now_timestamp: now, picon: expect.any(String) });
    expect(await xmlEvents('epgsearch', { search: 'weather' })).toHaveLength(2);
  });

  it('finds at most the requested number of events', async () => {
    const both = titles(await eventsOf('epgsearch', { search: 'weather' }));
    expect(both).toHaveLength(2);
    expect(titles(await eventsOf('epgsearch', { search: 'weather', max: 1 }))).toEqual(both.slice(0, 1));
    expect(await xmlEvents('epgsearch', { search: 'weather', max: 1 })).toHaveLength(1);
    expect(await eventsOf('epgsearch', { search: 'weather', max: 0 })).toHaveLength(1);
  });

  it('finds an event by its id', async () => {
    for (const parameter of ['sRef', 'sref']) {
      const found = await api(receiver, 'epgsearch', { eventid: 4711, [parameter]: alpha });
      expect(found).toMatchObject({ event: { id: 4711, title: 'Ships & Harbours', genreid: 35 }, result: true });
    }
    const [event] = await xmlEvents('epgsearch', { eventid: 4711, sRef: alpha });
    expect(at(event as XmlElement, 'e2eventduration').text).toBe('2700');
  });

  it.each([
    [{ search: '' }, "The parameter 'search' can't be empty"],
    [{}, "Missing mandatory parameter 'search'"],
    [{ eventid: '4711' }, "The parameter 'sRef,sref' can't be empty"],
    [{ eventid: 'x', sRef: alpha }, "The parameter 'eventid' must be a number"],
  ])('%o gives False', async (parameters, message) => {
    expect(await api(receiver, 'epgsearch', parameters as Record<string, string>)).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
  });

  it('returns 404 for an unknown id', async () => {
    for (const family of ['api', 'web']) {
      const reply = await get(receiver, `/${family}/epgsearch`, { eventid: 1, sref: alpha });
      expect([reply.status, reply.body.includes(`no event 1 on ${alpha}`)]).toEqual([404, true]);
    }
  });

  it('epgsimilar finds other showings', async () => {
    expect(await api(receiver, 'epgsimilar', { sRef: alpha, eventid: 4711 })).toEqual({ events: [], result: true });
    expect(await xmlEvents('epgsimilar', { sRef: alpha, eventid: 4711 })).toEqual([]);
    expect(leaves(await web(receiver, 'epgsimilar', { sRef: alpha }))).toContainEqual([
      'e2statetext',
      "Missing mandatory parameter 'eventid'",
    ]);
  });
});

describe('event', () => {
  it('is returned in full', async () => {
    const { event } = await api<{ event: object }>(receiver, 'event', { sref: alpha, idev: 4711 });
    expect(event).toMatchObject({
      id: 4711,
      begin_str: '19:00',
      begin: 1767290400,
      end: '19:45',
      duration: 2700,
      title: 'Ships & Harbours',
      shortdesc: 'Episode 3',
      channel: 'Alpha HD',
      sref: alpha,
      genre: 'Documentary',
      genreId: 35,
      genreid: 35,
      picon: '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
      timer: null,
      link: '',
      recording_margin_before: 7,
      recording_margin_after: 5,
    });
    expect(await xmlEvents('event', { sRef: alpha, idev: 4711 })).toHaveLength(1);
  });

  it('returns 404 if it is unknown', async () => {
    const reply = await get(receiver, '/api/event', { sref: alpha, idev: 1 });
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body)).toMatchObject({ result: false });
    const web404 = await get(receiver, '/web/event', { sref: alpha, idev: 1 });
    expect(web404.status).toBe(404);
    expect(parseXml(web404.body).name).toBe('e2simplexmlresult');
    expect((await get(receiver, '/api/event')).status).toBe(200);
  });
});
