/** The current service: details, zapping, audio tracks, subtitles. */
import { describe, expect, it } from 'vitest';
import { alpha, beta, now, option, stream, unknown } from '../receiver.ts';
import { api, at, leaves, names, web, type XmlElement } from '../reply.ts';
import { play, receiver, types, useReceiver } from './fixture.ts';

useReceiver();

describe('getcurrent', () => {
  it('has the service and exactly two events in their own order', async () => {
    await play();
    const current = await web(receiver, 'getcurrent');
    expect(current.name).toBe('e2currentserviceinformation');
    expect(names(current)).toEqual(['e2service', 'e2eventlist']);
    const service = at(current, 'e2service');
    expect(names(service)).toEqual([
      'e2servicereference',
      'e2servicename',
      'e2providername',
      'e2videowidth',
      'e2videoheight',
      'e2servicevideosize',
      'e2iswidescreen',
      'e2apid',
      'e2vpid',
      'e2pcrpid',
      'e2pmtpid',
      'e2txtpid',
      'e2tsid',
      'e2onid',
      'e2sid',
    ]);
    expect(at(service, 'e2iswidescreen').text).toBe('1');
    const events = at(current, 'e2eventlist').children;
    expect(events).toHaveLength(2);
    expect(leaves(events[0] as XmlElement)).toEqual([
      ['e2eventservicereference', alpha],
      ['e2eventservicename', 'Alpha HD'],
      ['e2eventprovidername', 'Demo'],
      ['e2eventid', '4711'],
      ['e2eventname', 'Ships & Harbours'],
      ['e2eventtitle', 'Ships & Harbours'],
      ['e2eventdescription', 'Episode 3'],
      ['e2eventstart', '1767290400'],
      ['e2eventduration', '2700'],
      ['e2eventremaining', '2100'],
      ['e2eventcurrenttime', String(now)],
      ['e2eventdescriptionextended', 'The pilot boats of a large river.\nThen: the weather.'],
      ['e2eventgenre', 'Documentary'],
    ]);
    expect(events[0]?.children.at(-1)?.attributes).toEqual({ id: '35' });
    expect(at(events[1] as XmlElement, 'e2eventremaining').text).toBe('1800');
  });

  it('has numbers and booleans in JSON', async () => {
    const { info, now: running, next } = await api<Record<'info' | 'now' | 'next', object>>(receiver, 'getcurrent');
    expect(types(info)).toMatchObject({
      result: 'boolean',
      namespace: 'number',
      width: 'number',
      iswidescreen: 'boolean',
    });
    expect(running).toMatchObject({
      id: 4711,
      begin_timestamp: 1767290400,
      remaining: 2100,
      genreid: 35,
      provider: 'Demo',
    });
    expect(next).toMatchObject({ id: 4712, shortdesc: '', genre: '', genreid: 0 });
  });

  it('has zeros if nothing plays', async () => {
    receiver.playback.current = undefined;
    const current = await web(receiver, 'getcurrent');
    expect(at(current, 'e2service', 'e2servicereference').text).toBe('');
    expect(at(current, 'e2service', 'e2txtpid').text).toBe('N/A');
    const [running] = at(current, 'e2eventlist').children;
    expect(leaves(running as XmlElement)).toMatchObject({ 3: ['e2eventid', '0'], 7: ['e2eventstart', '0'] });
    expect(await api(receiver, 'getcurrent')).toMatchObject({
      info: { result: false },
      now: { id: 0, begin_timestamp: 0, duration_sec: 0 },
      next: { id: 0 },
    });
  });

  it('takes the aspect ratio from the guide until the picture supplies it', async () => {
    await play();
    const { current } = receiver.playback;
    receiver.playback.current = current && { ...current, video: undefined };
    expect(await api(receiver, 'getcurrent')).toMatchObject({
      info: { aspect: 11, iswidescreen: true, width: 'N/A', height: 'N/A' },
    });
    expect(at(await web(receiver, 'getcurrent'), 'e2service', 'e2servicevideosize').text).toBe('0x0');
  });

  it('writes % in a reference as %25', async () => {
    await play(stream);
    const { info } = await api<{ info: { ref: string } }>(receiver, 'getcurrent');
    expect(info.ref).toBe(stream.replaceAll('%', '%25'));
  });
});

describe('subservices', () => {
  it('begin with the current service', async () => {
    await play();
    const list = await web(receiver, 'subservices');
    expect(list.name).toBe('e2servicelist');
    expect(leaves(at(list, 'e2service'))).toEqual([
      ['e2servicereference', alpha],
      ['e2servicename', 'Alpha HD'],
    ]);
    const all = {
      services: [
        { servicereference: alpha, servicename: 'Alpha HD' },
        { servicereference: option, servicename: 'Lap times' },
      ],
      result: true,
    };
    expect(await api(receiver, 'subservices')).toEqual(all);
    expect(await api(receiver, 'streamsubservices')).toEqual(all);
    expect(await api(receiver, 'streamsubservices', { sRef: alpha })).toEqual(all);
    expect(await api(receiver, 'streamsubservices', { sRef: beta })).toEqual({
      services: [{ servicereference: beta, servicename: 'Beta' }],
      result: true,
    });
  });

  it('are N/A if nothing plays', async () => {
    receiver.playback.current = undefined;
    for (const name of ['subservices', 'streamsubservices']) {
      expect(leaves(at(await web(receiver, name), 'e2service')).map(([, text]) => text)).toEqual(['N/A', 'N/A']);
    }
  });
});

describe('zap', () => {
  it('reports the active service', async () => {
    expect(leaves(await web(receiver, 'zap', { sRef: alpha }))).toEqual([
      ['e2state', 'True'],
      ['e2statetext', `Active service is now '${alpha}'`],
    ]);
    expect(await api(receiver, 'zap', { sRef: beta, title: 'The other' })).toEqual({
      result: true,
      message: "Active service is now 'The other'",
    });
    expect(receiver.playback.current).toMatchObject({ name: 'The other' });
  });

  it.each([
    [stream, 'IPTV & Co'],
    [stream.slice(0, stream.lastIndexOf(':')), 'IPTV & Co'],
    ['4097:0:1:0:0:0:0:0:0:0:http%3a//me%3apassword@tv.example/live/1.ts', 'tv.example'],
  ])('names a stream, whose address may contain a password: %s', async (sRef, name) => {
    expect(await api(receiver, 'zap', { sRef })).toEqual({ result: true, message: `Active service is now '${name}'` });
  });

  it.each([alpha.slice(0, -1), encodeURIComponent(alpha), encodeURIComponent(encodeURIComponent(alpha)).slice(0, 400)])(
    'accepts the reference %s',
    async (sRef) => {
      if (sRef.includes('%25')) return;
      expect(await api(receiver, 'zap', { sRef })).toMatchObject({ result: true });
      expect(receiver.playback.current?.name).toBe('Alpha HD');
    },
  );

  it('returns False and the reason on failure', async () => {
    expect(await api(receiver, 'zap', { sRef: 'nonsense' })).toEqual({
      result: false,
      message: "'nonsense' is not a service reference, such as 1:0:19:2B66:3F3:1:C00000:0:0:0:",
      error: 'invalid-reference',
    });
    expect(await api(receiver, 'zap', { sRef: unknown })).toMatchObject({ result: false });
    expect(await api(receiver, 'zap')).toEqual({
      result: false,
      message: "Missing mandatory parameter 'sRef'",
      error: expect.any(String),
    });
    expect(await api(receiver, 'zap', { sRef: '' })).toEqual({
      result: false,
      message: "The parameter 'sRef' can't be empty",
      error: 'parameter-empty',
    });
  });
});

describe('audio tracks', () => {
  it('are listed with their language', async () => {
    await play();
    const list = await web(receiver, 'getaudiotracks');
    expect(list.name).toBe('e2audiotracklist');
    expect(list.children.map((track) => leaves(track))).toEqual([
      [
        ['e2audiotrackdescription', 'AC3 (German)'],
        ['e2audiotrackid', '0'],
        ['e2audiotrackpid', '640'],
        ['e2audiotrackactive', 'True'],
      ],
      [
        ['e2audiotrackdescription', 'MPEG (English)'],
        ['e2audiotrackid', '1'],
        ['e2audiotrackpid', '641'],
        ['e2audiotrackactive', 'False'],
      ],
    ]);
    expect(await api(receiver, 'getaudiotracks')).toMatchObject({
      result: true,
      tracklist: [{ description: 'AC3 (German)', index: 0, pid: 640, active: true }, {}],
    });
  });

  it('are selected by index', async () => {
    expect(await web(receiver, 'selectaudiotrack', { id: 1 })).toMatchObject({ name: 'e2result', text: 'Success' });
    expect(receiver.playback.current?.audioTracks.map(({ active }) => active)).toEqual([false, true]);
    for (const id of ['7', '-1', 'x'])
      expect(await api(receiver, 'selectaudiotrack', { id })).toEqual({ result: false });
    expect(await web(receiver, 'selectaudiotrack')).toMatchObject({ name: 'e2result', text: 'Error' });
  });

  it('are empty if nothing plays', async () => {
    receiver.playback.current = undefined;
    expect(await api(receiver, 'getaudiotracks')).toEqual({ result: false, tracklist: [] });
  });
});

describe('the subtitles', () => {
  it('are listed with their pages: for teletext, magazine and two digits as broadcast', async () => {
    await api(receiver, 'zap', { sRef: alpha });
    const list = await web(receiver, 'getsubtitles');
    expect(list.name).toBe('e2subtitlelist');
    expect(list.children.map((track) => leaves(track))).toEqual([
      [
        ['e2subtitletype', '0'],
        ['e2subtitlepid', '701'],
        ['e2subtitlepage', '1'],
        ['e2subtitlemagazine', '2'],
        ['e2subtitlelanguage', 'deu'],
      ],
      [
        ['e2subtitletype', '1'],
        ['e2subtitlepid', '32'],
        ['e2subtitlepage', '136'],
        ['e2subtitlemagazine', '0'],
        ['e2subtitlelanguage', 'eng'],
      ],
    ]);
    expect(await api(receiver, 'getsubtitles')).toEqual({
      result: true,
      subtitlelist: [
        { type: 0, pid: 701, page_nr: 1, mag_nr: 2, lang: 'deu' },
        { type: 1, pid: 32, page_nr: 136, mag_nr: 0, lang: 'eng' },
      ],
    });
  });

  it('are empty if nothing plays', async () => {
    receiver.playback.current = undefined;
    expect(await api(receiver, 'getsubtitles')).toEqual({ result: false, subtitlelist: [] });
  });
});
