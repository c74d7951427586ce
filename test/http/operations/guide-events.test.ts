/** Guide events by service and bouquet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followingSection, presentSection } from '../../fixtures/eit.ts';
import { alpha, beta, favourites, group, marker, now, renamed, second, stream, unknown } from '../receiver.ts';
import { api, at, leaves, web, type XmlElement } from '../reply.ts';
import { eventElements, eventsOf, play, receiver, titles, useReceiver, xmlEvents } from './fixture.ts';

useReceiver();

describe('the events of one service', () => {
  it('are in the order and with the texts of the guide', async () => {
    const [first, ...rest] = await xmlEvents('epgservice', { sRef: alpha });
    expect(leaves(first as XmlElement)).toEqual([
      ['e2eventid', '4711'],
      ['e2eventstart', '1767290400'],
      ['e2eventduration', '2700'],
      ['e2eventcurrenttime', String(now)],
      ['e2eventtitle', 'Ships & Harbours'],
      ['e2eventdescription', 'Episode 3'],
      ['e2eventdescriptionextended', 'The pilot boats of a large river.\nThen: the weather.'],
      ['e2eventservicereference', alpha],
      ['e2eventservicename', 'Alpha HD'],
      ['e2eventgenre', 'Documentary'],
    ]);
    expect(first?.children.at(-1)?.attributes).toEqual({ id: '35' });
    expect(rest.map((event) => at(event, 'e2eventgenre').attributes.id)).toEqual(['0', '0']);
  });

  it('have the local times and the picon in JSON', async () => {
    const [first] = await eventsOf('epgservice', { sRef: alpha });
    expect(first).toEqual({
      id: 4711,
      begin_timestamp: 1767290400,
      duration_sec: 2700,
      title: 'Ships & Harbours',
      shortdesc: 'Episode 3',
      longdesc: 'The pilot boats of a large river.\nThen: the weather.',
      sref: alpha,
      sname: 'Alpha HD',
      now_timestamp: now,
      remaining: 2100,
      genre: 'Documentary',
      genreid: 35,
      date: 'Thu 01.01.2026',
      begin: '19:00',
      end: '19:45',
      duration: 45,
      picon: '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
    });
  });

  it.each([
    [{}, [4711, 4712, 4713]],
    [{ time: 1767293100 }, [4712, 4713]],
    [{ time: 1767293100, endTime: 1 }, [4712]],
    [{ time: 1767290400, endTime: 1 }, [4711]],
    [{ time: 1767293099, endTime: 0 }, [4711]],
    [{ time: 1767293099, endTime: 1 }, [4711, 4712]],
    [{ endTime: -1 }, [4711, 4712, 4713]],
    [{ endTime: 1767293100 }, [4711, 4712, 4713]],
    [{ time: 'soon', endTime: 'later' }, [4711, 4712, 4713]],
    [{ time: 0 }, [4711, 4712, 4713]],
  ])('%o', async (parameters, ids) => {
    const events = await eventsOf('epgservice', { sRef: alpha, ...(parameters as Record<string, number>) });
    expect(events.map(({ id }) => id)).toEqual(ids);
  });

  it('now, next and both', async () => {
    expect(titles(await eventsOf('epgservicenow', { sRef: alpha }))).toEqual(['Ships & Harbours']);
    expect(titles(await eventsOf('epgservicenext', { sRef: alpha }))).toEqual(['Weather']);
    expect(titles(await eventsOf('epgservicenownext', { sRef: alpha }))).toEqual(['Ships & Harbours', 'Weather']);
  });

  it('are zeros and N/A if unknown', async () => {
    for (const name of ['epgservicenow', 'epgservicenext']) {
      const [event] = await xmlEvents(name, { sRef: beta });
      expect(leaves(event as XmlElement)).toEqual([
        ['e2eventid', 'None'],
        ['e2eventstart', '0'],
        ['e2eventduration', '0'],
        ['e2eventcurrenttime', '0'],
        ['e2eventtitle', 'N/A'],
        ['e2eventdescription', ''],
        ['e2eventdescriptionextended', ''],
        ['e2eventservicereference', beta],
        ['e2eventservicename', 'Beta'],
        ['e2eventgenre', ''],
      ]);
      const [record] = await eventsOf(name, { sRef: beta });
      expect(record).toEqual({
        id: null,
        begin_timestamp: 0,
        duration_sec: 0,
        title: 'N/A',
        shortdesc: '',
        longdesc: '',
        sref: beta,
        sname: 'Beta',
        now_timestamp: 0,
        remaining: 0,
        genre: '',
        genreid: 0,
      });
    }
  });

  it('are empty for an unknown service, which is not a failure', async () => {
    expect(await api(receiver, 'epgservice', { sRef: unknown })).toEqual({ events: [], result: true });
    expect(await web(receiver, 'epgservice', { sRef: unknown })).toMatchObject({ name: 'e2eventlist', children: [] });
  });

  it('of alternatives are those of the first member, under the requested reference', async () => {
    const [event] = await eventsOf('epgservicenow', { sRef: group });
    expect(event).toMatchObject({ title: 'Ships & Harbours', sref: group });
  });

  it('of a linked sub-service are those of its parent', async () => {
    const linked = '1:0:19:9999:9998:1:C00000:2B66:3F3:0:';
    const [event] = await eventsOf('epgservicenow', { sRef: linked });
    expect(event).toMatchObject({ title: 'Ships & Harbours', sref: linked });
  });

  it('a missing reference is reported as a simple result, not as a list', async () => {
    expect(await web(receiver, 'epgservice')).toMatchObject({ name: 'e2simplexmlresult' });
  });
});

describe('the events of a bouquet', () => {
  it('are one per service and slot, whether or not an event is known', async () => {
    const none = { id: null, title: null };
    expect(await eventsOf('epgnow', { bRef: favourites })).toMatchObject([
      { id: 4711, sref: alpha, sname: 'Alpha HD' },
      { ...none, sref: marker, sname: '-- News --' },
      { ...none, sref: beta, sname: 'Beta' },
    ]);
    expect(titles(await eventsOf('epgnext', { bRef: favourites }))).toEqual(['Weather', null, null]);
    const pairs = await eventsOf('epgnownext', { bRef: favourites });
    expect(titles(pairs)).toEqual(['Ships & Harbours', 'Weather', null, null, null, null]);
    expect(pairs.map(({ sref }) => sref)).toEqual([alpha, alpha, marker, marker, beta, beta]);
  });

  it('are None in XML if unknown', async () => {
    const events = await xmlEvents('epgnow', { bRef: favourites });
    expect(leaves(events[2] as XmlElement)).toEqual([
      ...eventElements.slice(0, 7).map((name) => [name, 'None']),
      ['e2eventservicereference', beta],
      ['e2eventservicename', 'Beta'],
      ['e2eventgenre', ''],
    ]);
  });

  it('list the members for groups of alternatives only', async () => {
    const members = { sref: group, asrefs: [alpha, beta] };
    const [playing, following] = ['Ships & Harbours', 'Weather'];
    for (const [name, titles] of [
      ['epgnow', [playing]],
      ['epgnext', [following]],
      ['epgnownext', [playing, following]],
    ] as const) {
      const all = await eventsOf(name, { bRef: second });
      expect(all.filter((event) => 'asrefs' in event)).toMatchObject(titles.map((title) => ({ ...members, title })));
      expect(all).toHaveLength(4 * titles.length);
      expect(all.filter(({ sref }) => sref !== group)).toMatchObject(
        [renamed, stream, unknown].flatMap((sref) => titles.map(() => ({ id: null, title: null, sref }))),
      );
      expect(await xmlEvents(name, { bRef: second })).toHaveLength(4 * titles.length);
    }
  });

  it('of hundreds of services are listed with the right services', async () => {
    const sRefs = Array.from({ length: 300 }, (_, i) => [alpha, marker, beta][i % 3]).join(',');
    const events = await eventsOf('epgmultichannelnownext', { sRefs });
    expect(events).toHaveLength(600);
    for (const { sref, title } of events) expect(title !== null).toBe(sref === alpha);
  });

  it('epgnownext includes the current service', async () => {
    await play();
    expect(await api(receiver, 'epgnownext', { bRef: favourites })).toMatchObject({
      info: { result: true, ref: alpha },
    });
  });

  it('are complete in epgmulti', async () => {
    for (const name of ['epgmulti', 'epgmultigz']) {
      const events = await eventsOf(name, { bRef: favourites });
      expect(events.map(({ id }) => id)).toEqual([4711, 4712, 4713]);
    }
    const some = await eventsOf('epgmulti', { bRef: favourites, time: 1767293100, endTime: 1 });
    expect(titles(some)).toEqual(['Weather']);
    expect(await xmlEvents('epgmulti', { bRef: favourites })).toHaveLength(3);
  });

  it('are one per service in epgbouquet, unless it has an endTime', async () => {
    expect(titles(await eventsOf('epgbouquet', { bRef: favourites }))).toEqual(['Ships & Harbours']);
    expect(titles(await eventsOf('epgbouquet', { bRef: favourites, time: 1767293100 }))).toEqual(['Weather']);
    expect(await eventsOf('epgbouquet', { bRef: favourites, endTime: -1 })).toHaveLength(3);
  });

  it.each(['epgnow', 'epgnext', 'epgnownext', 'epgmulti', 'epgbouquet'])('%s of an unknown bouquet', async (name) => {
    const bRef = favourites.replace('favourites', 'nosuch');
    expect(await api(receiver, name, { bRef })).toMatchObject({ events: [], result: false });
    expect(await web(receiver, name, { bRef })).toMatchObject({ name: 'e2eventlist', children: [] });
    expect(await api(receiver, name, { bRef: 'nonsense' })).toMatchObject({ events: [], result: false });
  });
});

describe('the events of several services', () => {
  it.each([
    ['epgmultichannelnownext', 'sRefs'],
    ['epgservicelistnownext', 'sList'],
    ['epgmultichannelnownext', 'sList'],
  ])('%s by %s', async (name, parameter) => {
    const events = await eventsOf(name, { [parameter]: `${beta},${alpha}` });
    expect(events.map(({ title, sname }) => [sname, title])).toEqual([
      ['Beta', null],
      ['Beta', null],
      ['Alpha HD', 'Ships & Harbours'],
      ['Alpha HD', 'Weather'],
    ]);
    expect(await xmlEvents(name, { [parameter]: alpha })).toHaveLength(2);
  });
});

describe('an event that overruns', () => {
  const key = { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b66 };
  const gala = { id: 4710, start: now - 4200, duration: 3600, title: 'Gala Night', runningStatus: 4 };
  const ships = { id: 4711, start: 1767290400, duration: 2700, title: 'Ships & Harbours' };
  const both = ['Gala Night', 'Ships & Harbours'];
  const all = [...both, 'Weather', 'Weather again'];
  const send = async (...sections: readonly Buffer[]) => {
    for (const section of sections) receiver.parts.guide.ingestSection(section);
    await receiver.parts.guide.flush();
  };
  beforeAll(() => send(presentSection(key, gala), followingSection(key, ships)));
  // These tests are the last ones of the file, because they change the guide.
  afterAll(() => receiver.parts.guide.clear());

  it.each([
    ['epgservice', { sRef: alpha }, all],
    ['epgservicenow', { sRef: alpha }, ['Gala Night']],
    ['epgservicenext', { sRef: alpha }, ['Ships & Harbours']],
    ['epgservicenownext', { sRef: alpha }, both],
    ['epgmultichannelnownext', { sRefs: alpha }, both],
  ])('is the present event in %s', async (name, parameters, expected) => {
    expect(titles(await eventsOf(name, parameters))).toEqual(expected);
  });

  it.each([
    ['epgnow', ['Gala Night']],
    ['epgnext', ['Ships & Harbours']],
    ['epgnownext', both],
    ['epgbouquet', ['Gala Night']],
    ['epgmulti', all],
  ])('is the present event in %s', async (name, expected) => {
    const events = await eventsOf(name, { bRef: favourites });
    expect(titles(events.filter(({ sref }) => sref === alpha))).toEqual(expected);
  });

  it('is the present event in getcurrent and current_event, with no time remaining', async () => {
    await play();
    const { now: on, next } = await api<Record<string, { title: string; remaining: number }>>(receiver, 'getcurrent');
    expect([on?.title, on?.remaining, next?.title]).toEqual(['Gala Night', 0, 'Ships & Harbours']);
    const { body } = await receiver.app.inject('/current_event');
    expect(JSON.parse(body)).toMatchObject({ title: 'Gala Night', remaining: 0, next: { title: 'Ships & Harbours' } });
  });

  it('is recorded by recordnow for its whole duration from now on', async () => {
    await play();
    expect(await api(receiver, 'recordnow')).toMatchObject({
      newtimer: { eit: 4710, name: 'Gala Night', begin: now, end: now + 3600 + 300 },
    });
  });

  it('ends when the section of the present event is empty', async () => {
    await send(presentSection(key, undefined, 1));
    expect(titles(await eventsOf('epgservicenownext', { sRef: alpha }))).toEqual(['N/A', 'Ships & Harbours']);
    const { statusCode } = await receiver.app.inject(`/current_event/${alpha}`);
    expect(statusCode).toBe(503);
  });
});
