/** Timers over HTTP: the requests of clients, and the exact bytes of the responses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { timerSpec } from '../../../src/timers/timer.ts';
import { alpha, beta, marker, now, openReceiver, stream, type TestReceiver, unknown } from '../receiver.ts';
import { all, at, get, leaves, parseXml } from '../reply.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

type Query = Readonly<Record<string, string | number>>;
const web = async (name: string, query: Query = {}) => parseXml((await get(receiver, `/web/${name}`, query)).body);
const api = async (name: string, query: Query = {}) =>
  JSON.parse((await get(receiver, `/api/${name}`, query)).body) as Record<string, unknown>;
const only = () => receiver.parts.timers.all[0];
const replyTo = async (name: string, query: Query) => leaves(await web(name, query)).map(([, text]) => text);

const begin = now + 3600;
const end = begin + 1800;
const validTimer = { sRef: alpha, begin, end, name: 'Films' };
/** A service on another multiplex; there is only one tuner. */
const elsewhere = '1:0:19:1:777:1:C00000:0:0:0:';

describe('timeradd', () => {
  it('accepts Kodi’s requests and returns begin, end and tags unchanged', async () => {
    const kodi =
      '/web/timeradd?sRef=1%3A0%3A19%3A2B66%3A3F3%3A1%3AC00000%3A0%3A0%3A0%3A&repeated=0&begin=1767290220&end=1767293400' +
      '&name=Ships%20%26%20Harbours&description=Episode%203&eit=4711&tags=EPG%20ChannelType%3DTV%20GenreId%3D0x23%20Padding%3D3%2C5&dirname=';
    expect(leaves(parseXml((await get(receiver, kodi)).body))).toEqual([
      ['e2state', 'True'],
      ['e2statetext', "Timer 'Ships & Harbours' added"],
    ]);
    const [timer] = all(await web('timerlist'), 'e2timer');
    expect(Object.fromEntries(leaves(timer ?? expect.fail('no timer')))).toMatchObject({
      e2servicereference: alpha,
      e2eit: '4711',
      e2timebegin: '1767290220',
      e2timeend: '1767293400',
      e2tags: 'EPG ChannelType=TV GenreId=0x23 Padding=3,5',
      e2location: 'None',
      e2state: '0',
      e2disabled: '0',
    });
    const file = await readFile(join(receiver.folder, 'timers.xml'), 'utf8');
    expect(file).toContain('eit="4711" tags="EPG ChannelType=TV GenreId=0x23 Padding=3,5"');
  });

  it('returns the exact bytes of the interface', async () => {
    await get(receiver, '/web/timeradd', {
      ...{ sRef: alpha, begin: 1767290220, end: 1767293400, name: 'Ships & Harbours', description: 'Episode 3' },
      ...{ eit: 4711, tags: 'EPG Padding=3,5', dirname: '/media/hdd/movie/' },
    });
    receiver.parts.timers.update(1, (one) => ({
      ...one,
      log: [{ time: 1767200000, code: 15, text: 'record time changed' }],
    }));
    const { body } = await get(receiver, '/web/timerlist');
    expect(body).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<e2timerlist>
	<e2timer>
		<e2servicereference>1:0:19:2B66:3F3:1:C00000:0:0:0:</e2servicereference>
		<e2servicename>Alpha HD</e2servicename>
		<e2eit>4711</e2eit>
		<e2name>Ships &amp; Harbours</e2name>
		<e2description>Episode 3</e2description>
		<e2descriptionextended>The pilot boats of a large river.
Then: the weather.</e2descriptionextended>
		<e2disabled>0</e2disabled>
		<e2timebegin>1767290220</e2timebegin>
		<e2timeend>1767293400</e2timeend>
		<e2duration>3180</e2duration>
		<e2startprepare>1767290200</e2startprepare>
		<e2justplay>0</e2justplay>
		<e2afterevent>3</e2afterevent>
		<e2location>${receiver.folder}/movie/</e2location>
		<e2tags>EPG Padding=3,5</e2tags>
		<e2logentries>[(1767200000, 15, 'record time changed')]</e2logentries>
		<e2filename></e2filename>
		<e2backoff>0</e2backoff>
		<e2nextactivation></e2nextactivation>
		<e2firsttryprepare>True</e2firsttryprepare>
		<e2state>0</e2state>
		<e2repeated>0</e2repeated>
		<e2dontsave>0</e2dontsave>
		<e2cancled>False</e2cancled>
		<e2toggledisabled>1</e2toggledisabled>
		<e2toggledisabledimg>off</e2toggledisabledimg>
		<e2alwayszap>0</e2alwayszap>
		<e2pipzap>0</e2pipzap>
	</e2timer>
</e2timerlist>
`);
    const { timers } = await api('timerlist');
    expect(Object.entries((timers as object[])[0] ?? {})).toEqual(
      Object.entries({
        serviceref: alpha,
        servicename: 'Alpha HD',
        eit: 4711,
        name: 'Ships & Harbours',
        description: 'Episode 3',
        descriptionextended: 'The pilot boats of a large river.\nThen: the weather.',
        disabled: 0,
        begin: 1767290220,
        end: 1767293400,
        duration: 3180,
        startprepare: 1767290200,
        justplay: 0,
        afterevent: 3,
        dirname: `${receiver.folder}/movie/`,
        tags: 'EPG Padding=3,5',
        logentries: [[1767200000, 15, 'record time changed']],
        backoff: 0,
        firsttryprepare: true,
        state: 0,
        repeated: 0,
        dontsave: 0,
        cancelled: false,
        toggledisabled: 1,
        toggledisabledimg: 'off',
        filename: null,
        nextactivation: null,
        realbegin: '01.01.2026 18:57',
        realend: '01.01.2026 19:50',
        asrefs: '',
        vpsplugin_enabled: false,
        vpsplugin_overwrite: false,
        vpsplugin_time: -1,
        always_zap: 0,
        pipzap: 0,
        isAutoTimer: 0,
        allow_duplicate: 0,
        autoadjust: 0,
        recordingtype: 'normal',
        ice_timer_id: -1,
      }),
    );
  });

  it('reads every parameter as leniently as documented', async () => {
    await api('timeradd', {
      ...{
        sRef: alpha,
        begin: `${begin}.9`,
        end: begin - 5,
        name: 'x',
        repeated: 'x',
        afterevent: 9,
        disabled: 'true',
      },
      ...{ justplay: '1', always_zap: '1', pipzap: '-1', allow_duplicate: '1', recordingtype: 'descrambled', eit: 'x' },
    });
    expect(only()).toMatchObject({
      ...{ begin, end: begin, repeated: 0, afterEvent: 'auto', disabled: false, justPlay: true, alwaysZap: true },
      ...{ pipZap: false, allowDuplicate: true, descramble: true, recordEcm: true },
    });
  });

  it('accepts network streams that are in a bouquet', async () => {
    expect(await replyTo('timeradd', { ...validTimer, sRef: stream })).toEqual(['True', "Timer 'Films' added"]);
  });

  it.each([
    [{}, "Missing mandatory parameter 'sRef'"],
    [{ ...validTimer, name: '' }, "The parameter 'name' can't be empty"],
    [{ ...validTimer, begin: 'soon' }, "The parameter 'begin' must be a number"],
    [{ ...validTimer, sRef: marker }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: stream.replace('host', 'other') }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: stream.replace('host', 'other'), justplay: 1 }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: stream.replaceAll('%3a', '%25253a') }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: stream.replaceAll('%3a', '%25253a'), justplay: 1 }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: '1:0:1:0:0:0:0:0:0:0:' }, "Could not add timer 'Films'!"],
    [{ ...validTimer, sRef: 'nonsense' }, "Could not add timer 'Films'!"],
    [{ ...validTimer, dirname: '/etc/' }, "'/etc/' is outside the folders of this receiver"],
    [
      { ...validTimer, dirname: '/media/hdd/movie/../../x' },
      "'/media/hdd/movie/../../x' is outside the folders of this receiver",
    ],
  ])('%j is refused', async (query, text) => {
    expect(await replyTo('timeradd', query as Query)).toEqual(['False', text]);
    expect(receiver.parts.timers.all).toEqual([]);
  });

  it('accepts a stream for zapping only, since it cannot be recorded', async () => {
    expect(await replyTo('timeradd', { ...validTimer, sRef: stream, justplay: 1 })).toEqual([
      'True',
      "Timer 'Films' added",
    ]);
  });

  it('reports a conflict with the timers concerned', async () => {
    await api('timeradd', { ...validTimer, name: 'Ships & Harbours' });
    const refused = { ...validTimer, sRef: elsewhere, name: 'Weather' };
    const message = 'Conflicting Timer(s) detected! Weather / Ships & Harbours';
    expect(await replyTo('timeradd', refused)).toEqual(['False', message]);
    const one = (name: string, serviceref: string, servicename: string) => {
      return { serviceref, servicename, name, begin, end, realbegin: '01.01.2026 20:10', realend: '01.01.2026 20:40' };
    };
    const conflicts = [one('Weather', elsewhere, ''), one('Ships & Harbours', alpha, 'Alpha HD')];
    const reply = await api('timeradd', refused);
    expect(reply).toMatchObject({ result: false, message });
    expect((reply.conflicts as { name: string }[]).map(({ name }) => name)).toEqual(conflicts.map(({ name }) => name));
    expect((reply.conflicts as object[])[1]).toEqual(conflicts[1]);
  });

  it('reports a service that no tuner can receive without a conflict', async () => {
    const message = `no tuner can receive ${unknown}`;
    expect(await replyTo('timeradd', { ...validTimer, sRef: unknown })).toEqual(['False', message]);
    expect(await api('timeradd', { ...validTimer, sRef: unknown })).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
    expect(receiver.parts.timers.all).toEqual([]);
    await api('timeradd', validTimer);
    const times = { channelOld: alpha, beginOld: begin, endOld: end };
    expect(await api('timerchange', { ...validTimer, ...times, sRef: unknown })).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
    await api('timeradd', { ...validTimer, sRef: unknown, disabled: 1 });
    expect(await api('timertogglestatus', { ...validTimer, sRef: unknown })).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
    const { current } = receiver.playback;
    await get(receiver, '/web/zap', { sRef: beta });
    const playing = receiver.playback.current as NonNullable<typeof current>;
    receiver.playback.current = { ...playing, reference: ServiceReference.parse(unknown) };
    expect(await replyTo('recordnow', { infinite: '' })).toEqual(['False', `${message}! Not recording!`]);
  });

  it('adds a repeating timer only once', async () => {
    for (let i = 0; i < 2; i++) expect(await replyTo('timeradd', validTimer)).toEqual(['True', "Timer 'Films' added"]);
    expect(receiver.parts.timers.all).toHaveLength(1);
  });

  it('takes the text of the event with the given id unless there is one in the request', async () => {
    const weather = { sRef: alpha, begin: 1767292920, end: 1767295200, name: 'x', allow_duplicate: 1 };
    for (const more of [
      { eit: 4712 },
      { eit: 4712, description: '' },
      { eit: 4712, repeated: 127 },
      { eit: 999 },
      {},
    ]) {
      await api('timeradd', { ...weather, ...more });
    }
    const texts = receiver.parts.timers.all.map(({ description }) => description);
    expect(texts).toEqual(['Outlook for the week.', '', '', '', '']);
  });

  it('looks up the event if its id is unknown', async () => {
    await api('timeradd', { sRef: alpha, begin: 1767292920, end: 1767295200, name: 'x', eit: 999 });
    expect(only()?.eventId).toBe(4712);
  });
});

describe('timeraddbyeventid', () => {
  it('adds the configured margins and the texts of the event', async () => {
    expect(await replyTo('timeraddbyeventid', { sRef: alpha, eventid: 4712 })).toEqual([
      'True',
      "Timer 'Weather' added",
    ]);
    expect(only()).toMatchObject({
      begin: 1767293100 - 7 * 60,
      end: 1767294900 + 5 * 60,
      description: 'Outlook for the week.',
      eventId: 4712,
      afterEvent: 'auto',
    });
  });

  it('begins with the event if it only shows the service', async () => {
    await api('timeraddbyeventid', { sRef: alpha, eventid: 4712, justplay: 1 });
    expect(only()).toMatchObject({ begin: 1767293100, end: 1767293101, justPlay: true });
  });

  it('refuses unknown events', async () => {
    expect(await replyTo('timeraddbyeventid', { sRef: alpha, eventid: 1 })).toEqual(['False', 'EventId not found']);
    expect(await replyTo('timeraddbyeventid', { sRef: alpha, eventid: 'x' })).toEqual([
      'False',
      "The parameter 'eventid' must be a number",
    ]);
  });
});

describe('timerchange', () => {
  const old = { channelOld: alpha, beginOld: begin, endOld: end };

  it('accepts Kodi’s requests', async () => {
    await api('timeradd', { ...validTimer, tags: 'Manual', always_zap: 1 });
    const kodi = {
      ...validTimer,
      begin: begin + 60,
      name: 'Else',
      eventID: '',
      description: 'd',
      tags: 'EPG',
      afterevent: 3,
    };
    const more = { eit: 0, disabled: 0, justplay: 0, repeated: 0, ...old, deleteOldOnSave: 1 };
    expect(await replyTo('timerchange', { ...kodi, ...more })).toEqual(['True', "Timer 'Else' changed"]);
    expect(receiver.parts.timers.all).toHaveLength(1);
    expect(only()).toMatchObject({ id: 1, begin: begin + 60, name: 'Else', tags: ['EPG'], alwaysZap: true });
    expect(only()?.log).toEqual([{ time: now, code: 15, text: 'record time changed' }]);
  });

  it.each([[{ deleteOldOnSave: 0 }], [{ deleteOldOnSave: 0, channelOld: '', beginOld: 0, endOld: 0 }], [{}]])(
    'with %j adds a timer, as dreamDroid does',
    async (more) => {
      const dreamDroid = {
        ...validTimer,
        description: '',
        eit: 0,
        disabled: 0,
        justplay: 0,
        afterevent: 0,
        repeated: 0,
      };
      expect(await replyTo('timerchange', { ...dreamDroid, tags: '', dirname: 'None', ...more })).toEqual([
        'True',
        "Timer 'Films' added",
      ]);
      expect(only()).toMatchObject({ afterEvent: 'nothing', folder: undefined, tags: [] });
    },
  );

  it('reports missing parameters and timers', async () => {
    expect(await replyTo('timerchange', { ...validTimer, channelOld: alpha })).toEqual([
      'False',
      "Missing mandatory parameter 'beginOld'",
    ]);
    expect(await replyTo('timerchange', { ...validTimer, ...old, beginOld: 'x' })).toEqual([
      'False',
      "The parameter 'beginOld' must be a number",
    ]);
    expect(await replyTo('timerchange', { ...validTimer, ...old })).toEqual([
      'False',
      "Could not find timer 'Films' with given start and end time!",
    ]);
  });

  it('changes nothing in a conflict', async () => {
    await api('timeradd', validTimer);
    await api('timeradd', { ...validTimer, sRef: elsewhere, begin: end, end: end + 60, name: 'Other' });
    const reply = await api('timerchange', { ...validTimer, ...old, end: end + 30 });
    expect(reply).toMatchObject({ result: false, message: "Timer 'Films' not saved while Conflict" });
    expect((reply.conflicts as { name: string }[]).map(({ name }) => name)).toEqual(['Films', 'Other']);
    expect(only()?.end).toBe(end);
  });
});

describe('timerdelete', () => {
  it('finds a timer by its listed times, any form of its reference, or its event', async () => {
    await api('timeradd', { sRef: alpha, begin: 1767292920, end: 1767295200, name: 'a' });
    const gone = ['True', "The timer 'a' has been deleted successfully"];
    expect(await replyTo('timerdelete', { sRef: alpha, begin, end })).toEqual(['False', 'No matching Timer found']);
    expect(
      await replyTo('timerdelete', { sRef: alpha.toLowerCase().replace(/:$/, ''), begin, end, eit: 4712 }),
    ).toEqual(gone);
    expect(await replyTo('timerdelete', { sRef: alpha, begin, end: 'x' })).toEqual([
      'False',
      "The parameter 'end' must be a number",
    ]);
  });
});

describe('timertogglestatus', () => {
  it('disables and enables', async () => {
    await api('timeradd', validTimer);
    const { sRef } = validTimer;
    expect(await api('timertogglestatus', { sRef, begin, end })).toEqual({
      result: true,
      message: "The timer 'Films' has been disabled successfully",
      disabled: true,
    });
    const [timer] = all(await web('timerlist'), 'e2timer');
    const shown = Object.fromEntries(leaves(timer ?? expect.fail('no timer')));
    expect(shown).toMatchObject({ e2disabled: '1', e2state: '3', e2toggledisabled: '0', e2toggledisabledimg: 'on' });
    await api('timeradd', { ...validTimer, sRef: elsewhere });
    expect(await replyTo('timertogglestatus', { sRef, begin, end })).toEqual([
      'False',
      "Timer 'Films' not enabled while Conflict",
    ]);
    await api('timerdelete', { ...validTimer, sRef: elsewhere });
    expect(await replyTo('timertogglestatus', { sRef, begin, end })).toEqual([
      'True',
      "The timer 'Films' has been enabled successfully",
    ]);
    receiver.parts.timers.update(1, (one) => ({ ...one, state: 'running' }));
    expect(await replyTo('timertogglestatus', { sRef, begin, end })).toEqual([
      'False',
      "The timer 'Films' now recorded! Not disabled!",
    ]);
    expect(await replyTo('timertogglestatus', { sRef: beta, begin, end })).toEqual([
      'False',
      'No matching Timer found',
    ]);
  });
});

it('timercleanup removes ended timers and timerlistwrite saves the list', async () => {
  await api('timeradd', { ...validTimer, begin: now - 100, end: now - 50 });
  await api('timeradd', validTimer);
  expect(await replyTo('timercleanup', { cleanup: 'true' })).toEqual(['True', 'List of Timers has been cleaned']);
  expect(receiver.parts.timers.all.map(({ begin }) => begin)).toEqual([begin]);
  expect(await replyTo('timerlistwrite', { write: 'saveWriteNow' })).toEqual(['True', 'TimerList has been saved']);
});

describe('recordnow', () => {
  it('returns False if nothing plays', async () => {
    expect(await replyTo('recordnow', {})).toEqual(['False', 'Nothing is playing! Not recording!']);
  });

  it('returns False while the time is unknown', async () => {
    await receiver.close();
    receiver = await openReceiver({ clock: { now: () => 60, synchronised: false } });
    await get(receiver, '/web/zap', { sRef: alpha });
    expect(await replyTo('recordnow', { infinite: '' })).toEqual([
      'False',
      'the time is not known yet! Not recording!',
    ]);
  });

  it('records the running event and the margin after it', async () => {
    await get(receiver, '/web/zap', { sRef: alpha });
    expect(await api('recordnow')).toEqual({
      result: true,
      message: 'Instant record for current Event started',
      newtimer: {
        serviceref: alpha,
        servicename: 'Alpha HD',
        eit: 4711,
        name: 'Ships & Harbours',
        begin: now,
        end: 1767293400,
        duration: 2400,
      },
    });
    expect(only()).toMatchObject({ dontSave: true, afterEvent: 'nothing' });
    expect(await readFile(join(receiver.folder, 'timers.xml'), 'utf8')).not.toContain('<timer ');
  });

  it.each([{ infinite: '' }, { undefinitely: '' }, { recordnow: 'infinite' }, { recordnow: 'undefinitely' }])(
    '%j lasts ten hours',
    async (parameters) => {
      await get(receiver, '/web/zap', { sRef: beta });
      expect(await replyTo('recordnow', {})).toEqual(['False', 'No event found! Not recording!']);
      expect(await replyTo('recordnow', { recordnow: 'event' })).toEqual(['False', 'No event found! Not recording!']);
      expect(await replyTo('recordnow', parameters)).toEqual(['True', 'Infinite Instant recording started']);
      expect(only()).toMatchObject({ begin: now, end: now + 36_000 });
    },
  );

  it('returns False in a conflict', async () => {
    await api('timeradd', { ...validTimer, sRef: elsewhere, begin: now, end });
    await get(receiver, '/web/zap', { sRef: alpha });
    expect(await replyTo('recordnow', {})).toEqual(['False', 'Timer conflict detected! Not recording!']);
  });
});

describe('tvbrowser', () => {
  const programme = { syear: 2026, smonth: 1, sday: 3, shour: 23, smin: 30, ehour: 0, emin: 15 };
  const sRef = `Alpha HD|${encodeURIComponent(alpha)}`;

  it('adds, changes and deletes timers by local times', async () => {
    expect(await replyTo('tvbrowser', { command: 'add', sRef, ...programme, mo: 1, fr: 1 })).toEqual([
      'True',
      "Timer 'Unknown' added",
    ]);
    expect(only()).toMatchObject({ repeated: 17, begin: Date.UTC(2026, 0, 5, 22, 30) / 1000 });
    await api('timerdelete', { sRef: alpha, begin: only()?.begin ?? 0, end: only()?.end ?? 0 });
    await api('tvbrowser', { command: 'add', sRef: alpha, ...programme, name: 'Film' });
    expect(only()).toMatchObject({
      begin: Date.UTC(2026, 0, 3, 22, 30) / 1000,
      end: Date.UTC(2026, 0, 3, 23, 15) / 1000,
    });
    expect(await replyTo('tvbrowser', { command: 'change', sRef, ...programme, name: 'Film 2' })).toEqual([
      'True',
      "Timer 'Film 2' changed",
    ]);
    expect(await replyTo('tvbrowser', { command: 'del', sRef, ...programme })).toEqual([
      'True',
      "The timer 'Film 2' has been deleted successfully",
    ]);
    expect(await replyTo('tvbrowser', { command: 'del', sRef, ...programme })).toEqual([
      'False',
      'No matching Timer found',
    ]);
    expect(await replyTo('tvbrowser', { command: 'X', sRef, ...programme })).toEqual(['False', "Unknown command: 'X'"]);
  });

  it('and timerchange keep what they cannot express', async () => {
    const times = { begin: Date.UTC(2026, 0, 3, 22, 30) / 1000, end: Date.UTC(2026, 0, 3, 23, 15) / 1000 };
    const kept = {
      ...{ tags: ['a'], alwaysZap: true, pipZap: true, descramble: false, recordEcm: true, followsRunningStatus: true },
      ...{ endsWithEvent: true, vpsTime: 7, allowDuplicate: true, autoAdjust: true, renameRepeat: false, relayOf: 9 },
      ...{ autoTimer: true, autoTimerRule: 3, flags: ['x'], zapWakeup: 'never' as const, conflictDetection: false },
      ...{ iceTimerId: 'i', margins: { before: 60, after: 120 } },
    };
    const reference = ServiceReference.parse(alpha);
    await receiver.parts.timers.add(timerSpec({ reference, ...times, name: 'Film', ...kept }));
    await api('tvbrowser', { command: 'change', sRef, ...programme, name: 'Film 2' });
    expect(only()).toMatchObject({ id: 1, name: 'Film 2', ...kept });
    const old = { channelOld: alpha, beginOld: times.begin, endOld: times.end };
    await api('timerchange', { sRef: alpha, ...times, name: 'Film 3', ...old });
    expect(only()).toMatchObject({ id: 1, name: 'Film 3', ...kept });
  });

  it('refuses a day that the month does not have', async () => {
    const given = { command: 'add', sRef, ...programme, smonth: 2, sday: 29 };
    expect(await replyTo('tvbrowser', given)).toEqual([
      'False',
      expect.stringContaining('is 29, but that month has no such day'),
    ]);
    expect(only()).toBeUndefined();
  });

  it('accepts a service that is percent-encoded twice, and a plain one that contains %7C', async () => {
    const named = `${alpha}:One%7C1`;
    for (const given of [encodeURIComponent(`Foo|${alpha}`), encodeURIComponent(`Foo|${named}`), named]) {
      await api('tvbrowser', { command: 'add', sRef: given, ...programme });
      expect(only()?.reference.withoutName().format()).toBe(alpha);
      expect(await replyTo('tvbrowser', { command: 'del', sRef: given, ...programme })).toContain('True');
    }
  });
});

it('an event shows the timer that covers it', async () => {
  const timerOf = async () => ((await api('event', { sref: alpha, idev: 4712 })).event as { timer: unknown }).timer;
  expect(await timerOf()).toBeNull();
  await api('timeradd', { sRef: alpha, begin: 1767293100, end: 1767294780, name: 'x', justplay: 1, disabled: 1 });
  expect(await timerOf()).toEqual({ isEnabled: 0, isZapOnly: 1, basicStatus: 'timer disabled', isAutoTimer: 0 });
  await api('timertogglestatus', { sRef: alpha, begin: 1767293100, end: 1767294780 });
  expect(await timerOf()).toMatchObject({ isEnabled: 1, basicStatus: 'timer' });
});

it('lists every timer that was reported as added, and an event shows its own', async () => {
  const weather = { sRef: alpha, eventid: 4712 };
  await api('timeradd', { sRef: alpha, begin: 1767290000, end: 1767299000, name: 'Long', eit: 4711 });
  const added = ['True', "Timer 'Weather' added"];
  expect([await replyTo('timeraddbyeventid', weather), await replyTo('timeraddbyeventid', weather)]).toEqual([
    added,
    added,
  ]);
  await api('timertogglestatus', { sRef: alpha, begin: 1767293100 - 7 * 60, end: 1767294900 + 5 * 60 });
  const { timers } = (await api('timerlist')) as { timers: readonly Record<string, unknown>[] };
  expect(timers.map(({ name, eit, disabled }) => [name, eit, disabled])).toEqual([
    ['Long', 4711, 0],
    ['Weather', 4712, 1],
  ]);
  const { event } = (await api('event', { sref: alpha, idev: 4712 })) as { event: unknown };
  expect(event).toMatchObject({ timer: { isEnabled: 0 } });
});

it('a page of another site changes nothing', async () => {
  const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
  for (const name of ['timeradd', 'timerdelete', 'timerchange', 'timercleanup', 'recordnow', 'timertogglestatus'])
    expect((await get(receiver, `/web/${name}`, validTimer, { headers })).status).toBe(403);
  expect(at(await web('timerlist')).children).toEqual([]);
});
