/** Every operation on both faces: the documented request, and the structure, order and types of the reply. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/http/operations/index.ts';
import { xmlType } from '../../src/http/xml.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { timerOrder } from '../../src/timers/timer.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { requestsFor, timer } from './conformance/requests.ts';
import {
  alpha,
  beta,
  empty,
  favourites,
  fillGuide,
  group,
  hidden,
  marker,
  now,
  openReceiver,
  option,
  radio,
  renamed,
  second,
  stream,
  type TestReceiver,
  unknown,
} from './receiver.ts';
import { all, api, at, get, leaves, names, parseXml, web, type XmlElement } from './reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

async function play(reference = alpha): Promise<void> {
  await receiver.playback.zap(ServiceReference.parse(reference));
}

const currentElements = [
  'e2videowidth',
  'e2videoheight',
  'e2servicevideosize',
  'e2apid',
  'e2vpid',
  'e2pcrpid',
  'e2pmtpid',
  'e2txtpid',
  'e2tsid',
  'e2onid',
  'e2sid',
];

const eventElements = [
  'e2eventid',
  'e2eventstart',
  'e2eventduration',
  'e2eventcurrenttime',
  'e2eventtitle',
  'e2eventdescription',
  'e2eventdescriptionextended',
  'e2eventservicereference',
  'e2eventservicename',
  'e2eventgenre',
];

/** Types of an object's values, by key. */
function types(value: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      item === null ? 'null' : Array.isArray(item) ? 'array' : typeof item,
    ]),
  );
}

describe('about', () => {
  beforeEach(() => play());

  it('has the elements in their order', async () => {
    const info = at(await web(receiver, 'about'), 'e2about');
    expect(names(info)).toEqual([
      'e2oeversion',
      'e2enigmaversion',
      'e2distroversion',
      'e2imageversion',
      'e2driverdate',
      'e2webifversion',
      'e2fpversion',
      'e2model',
      'e2lanmac',
      'e2landhcp',
      'e2lanip',
      'e2lanmask',
      'e2langw',
      'e2hddinfo',
      'e2tunerinfo',
      'e2servicename',
      'e2servicenamespace',
      'e2serviceaspect',
      'e2serviceprovider',
      ...currentElements,
    ]);
    expect(leaves(at(info, 'e2hddinfo'))).toEqual([
      ['model', 'Demo Disk'],
      ['capacity', '931.5 GB'],
      ['free', '612.3 GB'],
      ['mount', '/media/hdd'],
    ]);
    expect(leaves(at(info, 'e2tunerinfo', 'e2nim'))).toEqual([
      ['name', 'Tuner A'],
      ['type', 'Demo (DVB-S2)'],
      ['live', ''],
      ['rec', ''],
    ]);
    expect(at(info, 'e2lanmask').text).toBe('255.255.255.0');
    expect(at(info, 'e2fpversion').text).toBe('None');
    expect(at(info, 'e2servicenamespace').text).toBe('12582912');
    expect(at(info, 'e2servicevideosize').text).toBe('1920x1080');
  });

  it('says in JSON what the device is', async () => {
    const { info, service } = await api<{ info: Record<string, unknown>; service: object }>(receiver, 'about');
    expect(info).toMatchObject({
      brand: 'receiverd',
      model: 'Living room',
      mem1: '512000 kB',
      mem2: '203400 kB',
      uptime: '3d 4:05',
      webifver: 'OWIF 2.4.0',
      fp_version: null,
      lcd: 0,
      ifaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', dhcp: true, v4prefix: 24, firstpublic: null }],
      hdd: [{ labelled_capacity: '1 TB', friendlycapacity: '612.3 GB free / 931.5 GB ("1 TB") total' }],
      shares: [],
      streams: [],
    });
    expect(service).toEqual({
      result: true,
      name: 'Alpha HD',
      namespace: 12582912,
      aspect: 3,
      provider: 'Demo',
      width: 1920,
      height: 1080,
      apid: 640,
      vpid: 511,
      pcrpid: 511,
      pmtpid: 100,
      txtpid: 32,
      tsid: 1011,
      onid: 1,
      sid: 11110,
      ref: alpha,
      iswidescreen: true,
      bqref: favourites.replaceAll('"', '%22'),
      bqname: 'Favourites (TV)',
    });
  });

  it('shows what the tuners and the stream clients do', async () => {
    const service = ServiceReference.parse(alpha);
    const [tuner] = receiver.tuners;
    receiver.tuners = [{ ...tuner, users: [{ purpose: 'stream', service }] } as never];
    receiver.clients = [{ reference: service, address: '192.0.2.20', since: now, tuner: 0 }];
    const { info } = await api<{ info: { tuners: object[]; streams: object[] } }>(receiver, 'about');
    expect(info.tuners).toEqual([{ name: 'Tuner A', type: 'Demo (DVB-S2)', rec: '', live: '19.2° E / Alpha HD' }]);
    expect(info.streams).toEqual([
      { ref: alpha, name: 'Alpha HD', eventname: 'Ships & Harbours', ip: '192.0.2.20', type: 'S' },
    ]);
    receiver.tuners = [tuner as never];
    receiver.clients = [];
  });

  it('knows what runs for clients of alternatives and of linked sub-services too', async () => {
    const linked = '1:0:19:9999:9998:1:C00000:2B66:3F3:0:';
    receiver.clients = [marker, group, linked].map((text) => {
      return { reference: ServiceReference.parse(text), address: '192.0.2.20', since: now, tuner: 0 };
    });
    const { info } = await api<{ info: { streams: { eventname: string }[] } }>(receiver, 'about');
    expect(info.streams.map(({ eventname }) => eventname)).toEqual(['', 'Ships & Harbours', 'Ships & Harbours']);
    receiver.clients = [];
  });

  it('has every element when nothing plays', async () => {
    receiver.playback.current = undefined;
    const info = at(await web(receiver, 'about'), 'e2about');
    expect(leaves(info).slice(-currentElements.length - 4)).toEqual([
      ['e2servicename', ''],
      ['e2servicenamespace', '0'],
      ['e2serviceaspect', '0'],
      ['e2serviceprovider', ''],
      ['e2videowidth', '0'],
      ['e2videoheight', '0'],
      ['e2servicevideosize', '0x0'],
      ['e2apid', '0'],
      ['e2vpid', '0'],
      ['e2pcrpid', '0'],
      ['e2pmtpid', '0'],
      ['e2txtpid', 'N/A'],
      ['e2tsid', '0'],
      ['e2onid', '0'],
      ['e2sid', '0'],
    ]);
  });
});

describe('deviceinfo', () => {
  it('has the elements in their order', async () => {
    const info = await web(receiver, 'deviceinfo');
    expect(info.name).toBe('e2deviceinfo');
    expect(names(info)).toEqual([
      'e2oeversion',
      'e2enigmaversion',
      'e2distroversion',
      'e2imageversion',
      'e2driverdate',
      'e2webifversion',
      'e2fpversion',
      'e2devicename',
      'e2frontends',
      'e2network',
      'e2hdds',
    ]);
    expect(names(at(info, 'e2frontends', 'e2frontend'))).toEqual(['e2name', 'e2model']);
    expect(leaves(at(info, 'e2network', 'e2interface'))).toEqual([
      ['e2name', 'eth0'],
      ['e2mac', '02:00:00:00:00:01'],
      ['e2dhcp', 'True'],
      ['e2ip', '192.0.2.10'],
      ['e2gateway', '192.0.2.1'],
      ['e2netmask', '255.255.255.0'],
    ]);
    expect(names(at(info, 'e2hdds', 'e2hdd'))).toEqual(['e2model', 'e2capacity', 'e2free', 'e2mount']);
  });

  it('is about without its shell in JSON', async () => {
    const { info } = await api<{ info: object }>(receiver, 'about');
    expect(await api(receiver, 'deviceinfo')).toEqual({ ...info, result: true });
  });
});

describe('statusinfo', () => {
  const always = {
    volume: 55,
    muted: false,
    transcoding: false,
    currservice_filename: '',
    inStandby: 'false',
    isRecording: 'false',
    isStreaming: 'false',
    Streaming_list: '',
    result: true,
  };

  it('tells the running event', async () => {
    await play();
    expect(await api(receiver, 'statusinfo')).toEqual({
      ...always,
      currservice_id: 4711,
      currservice_name: 'Ships & Harbours',
      currservice_serviceref: alpha,
      currservice_begin: '19:00',
      currservice_begin_timestamp: 1767290400,
      currservice_end: '19:45',
      currservice_end_timestamp: 1767293100,
      currservice_description: 'Episode 3',
      currservice_station: 'Alpha HD',
      currservice_fulldescription:
        'Ships & Harbours\n19:00 - 19:45\n\nThe pilot boats of a large river.\nThen: the weather.',
    });
    expect((await web(receiver, 'statusinfo')).name).toBe('e2statusinfo');
  });

  const noEvent = {
    currservice_id: -1,
    currservice_name: 'N/A',
    currservice_begin: '',
    currservice_end: '',
    currservice_description: '',
    currservice_fulldescription: 'N/A',
  };

  it('leaves the event out where there is none, and the service where nothing plays', async () => {
    await play(beta);
    const station = { currservice_serviceref: beta, currservice_station: 'Beta' };
    expect(await api(receiver, 'statusinfo')).toEqual({ ...always, ...noEvent, ...station });
    receiver.playback.current = undefined;
    expect(await api(receiver, 'statusinfo')).toEqual({ ...always, ...noEvent });
  });

  it('lists who streams what', async () => {
    receiver.clients = [
      { reference: ServiceReference.parse(alpha), address: '192.0.2.20', since: now, tuner: 0 },
      { reference: ServiceReference.parse(beta), address: '192.0.2.21', since: now, tuner: 0 },
    ];
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      isStreaming: 'true',
      Streaming_list: '192.0.2.20: Alpha HD - Ships & Harbours\n192.0.2.21: Beta',
    });
    receiver.clients = [];
  });

  it('lists what is recorded', async () => {
    const order = (reference: string, serviceName: string, title: string) => ({
      order: {
        reference: ServiceReference.parse(reference),
        serviceName,
        title,
        description: '',
        tags: [],
        folder: '/media/hdd/movie/',
        begin: now,
      },
      path: '/media/hdd/movie/a.ts',
      began: now,
      trouble: undefined,
    });
    receiver.running = [order(alpha, 'Alpha HD', 'Ships & Harbours'), order(beta, 'Beta', 'Late')];
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      isRecording: 'true',
      Recording_list: '\nAlpha HD: Ships & Harbours\nBeta: Late\n',
    });
    receiver.running = [];
    expect(await api(receiver, 'statusinfo')).not.toHaveProperty('Recording_list');
  });
});

describe('signal', () => {
  it('is that of the tuner in use', async () => {
    await play();
    for (const name of ['signal', 'tunersignal']) {
      const status = await web(receiver, name);
      expect(status.name).toBe('e2frontendstatus');
      expect(leaves(status)).toEqual([
        ['e2snrdb', '12.50 dB'],
        ['e2snr', '80 %'],
        ['e2ber', '0'],
        ['e2acg', '70 %'],
      ]);
      expect(await api(receiver, name)).toEqual({
        tunertype: 'DVB-S2',
        tunernumber: 0,
        snr: 80,
        snr_db: '12.50',
        agc: 70,
        ber: 0,
        inStandby: 'false',
        result: true,
      });
    }
  });

  it('is zero, not empty, when nothing is tuned', async () => {
    const { tuners } = receiver;
    receiver.playback.current = undefined;
    receiver.tuners = [{ ...tuners[0], signal: undefined } as never];
    expect(leaves(await web(receiver, 'signal')).map(([, text]) => text)).toEqual(['0.00 dB', '0 %', '0', '0 %']);
    receiver.tuners = [];
    expect(await api(receiver, 'signal')).toMatchObject({ tunernumber: 0, snr: 0, snr_db: '0.00', agc: 0, ber: 0 });
    receiver.tuners = tuners;
  });

  it('is that of the youngest stream when nothing is current', async () => {
    const { tuners } = receiver;
    const [first] = tuners;
    receiver.tuners = [first, { ...first, name: 'Tuner B', type: 'DVB-C' }] as never;
    const reference = ServiceReference.parse(alpha);
    receiver.clients = [
      { reference, address: '192.0.2.20', since: now - 9, tuner: 0 },
      { reference, address: '192.0.2.21', since: now - 1, tuner: 1 },
    ];
    expect(await api(receiver, 'signal')).toMatchObject({ tunernumber: 1, tunertype: 'DVB-C' });
    receiver.clients = [];
    receiver.tuners = tuners;
  });

  it('selects an audio track where it has an id', async () => {
    await play();
    expect(await web(receiver, 'signal', { id: 1 })).toMatchObject({ name: 'e2result', text: 'Success' });
    expect(await api(receiver, 'signal', { id: 9 })).toEqual({ result: false });
  });
});

describe('currenttime', () => {
  it('is the local time, without white space', async () => {
    expect(await web(receiver, 'currenttime')).toMatchObject({ name: 'e2currenttime', text: '19:10:00', children: [] });
    expect(await api(receiver, 'currenttime')).toEqual({ status: true, time: '19:10:00', result: true });
  });
});

describe('vol', () => {
  it.each([
    [{}, 'True', 'Status', 55, 'False'],
    [{ set: 'state' }, 'True', 'Status', 55, 'False'],
    [{ set: 'up' }, 'True', 'Volume changed', 60, 'False'],
    [{ set: 'down' }, 'True', 'Volume changed', 55, 'False'],
    [{ set: 'mute' }, 'True', 'Mute toggled', 55, 'True'],
    [{ set: 'mute' }, 'True', 'Mute toggled', 55, 'False'],
    [{ set: 'set130' }, 'True', 'Volume set to 100', 100, 'False'],
    [{ set: 'set55' }, 'True', 'Volume set to 55', 55, 'False'],
    [{ set: 'setloud' }, 'False', "Wrong parameter format 'set=setloud'. Use set=set15", 55, 'False'],
    [{ set: 'louder' }, 'False', 'Unknown Volume command louder', 55, 'False'],
  ])('%o', async (parameters, result, text, current, muted) => {
    const volume = await web(receiver, 'vol', parameters as Record<string, string>);
    expect(volume.name).toBe('e2volume');
    expect(leaves(volume)).toEqual([
      ['e2result', result],
      ['e2resulttext', text],
      ['e2current', String(current)],
      ['e2ismuted', muted],
    ]);
  });

  it('has numbers and booleans in JSON', async () => {
    expect(await api(receiver, 'vol')).toEqual({ result: true, message: 'Status', current: 55, ismute: false });
  });
});

describe('powerstate', () => {
  it.each([
    ['', true, 'false'],
    ['5', true, 'true'],
    ['4', true, 'false'],
    ['0', true, 'true'],
    ['0', true, 'false'],
    ['-1', true, 'false'],
    ['1', false, 'false'],
    ['2', false, 'false'],
    ['3', false, 'false'],
    ['99', true, 'false'],
  ])('newstate=%s', async (newstate, result, standby) => {
    const parameters: Record<string, string> = newstate === '' ? {} : { newstate };
    const state = await api<{ result: boolean; instandby: boolean }>(receiver, 'powerstate', parameters);
    expect(state).toEqual({ result, instandby: standby === 'true' });
    expect(leaves(await web(receiver, 'powerstate'))).toEqual([['e2instandby', standby]]);
  });

  it('refuses what is no number', async () => {
    expect(await web(receiver, 'powerstate', { newstate: 'off' })).toMatchObject({ name: 'e2simplexmlresult' });
  });
});

describe('settings', () => {
  it('lists what is stored and what clients rely on, but no secrets', async () => {
    const { settings } = await api<{ settings: [string, string][] }>(receiver, 'settings');
    expect(settings).toEqual([
      ['config.recording.margin_before', '7'],
      ['config.recording.margin_after', '5'],
      ['config.usage.default_path', `${receiver.folder}/movie/`],
      ['config.movielist.videodirs', `['${receiver.folder}/movie/']`],
      ['config.OpenWebif.port', '8080'],
      ['config.OpenWebif.streamport', '8001'],
    ]);
    const listed = all(await web(receiver, 'settings'), 'e2setting');
    expect(listed.map((one) => one.children.map(({ text }) => text))).toEqual(settings);
    expect(names(listed[0])).toEqual(['e2settingname', 'e2settingvalue']);
  });
});

describe('small answers about the device', () => {
  it('external is empty', async () => {
    expect(await web(receiver, 'external')).toMatchObject({ name: 'e2webifexternals', children: [], text: '' });
    expect(await api(receiver, 'external')).toEqual({ plugins: [], result: true });
  });

  it('getip is one line', async () => {
    expect(await get(receiver, '/web/getip')).toMatchObject({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: 'My IP address is: 192.0.2.10\n',
    });
    expect((await get(receiver, '/web/getipv6')).body).toBe('My IP address is: \n');
  });

  it('session gives an id, the same to everybody', async () => {
    const { sessionid } = await api(receiver, 'session');
    expect(await web(receiver, 'session')).toMatchObject({ name: 'e2sessionid', text: sessionid });
  });

  it('pipinfo says no', async () => {
    expect(await api(receiver, 'pipinfo')).toEqual({ pip: 0, result: true });
  });
});

describe('bouquets', () => {
  it('are pairs in JSON, and entries in XML', async () => {
    const expected = [
      [favourites, 'Favourites (TV)'],
      [second, 'Second'],
      [empty, 'Empty'],
    ];
    expect(await api(receiver, 'bouquets')).toEqual({ bouquets: expected, result: true });
    const list = await web(receiver, 'bouquets', { stype: 'tv' });
    expect(list.name).toBe('e2servicelist');
    expect(list.children.map((entry) => leaves(entry))).toEqual(
      expected.map(([reference, name]) => [
        ['e2servicereference', reference],
        ['e2servicename', name],
      ]),
    );
  });

  it('of the radio', async () => {
    expect(await api(receiver, 'bouquets', { stype: 'radio' })).toMatchObject({
      bouquets: [[radio, 'Favourites (Radio)']],
    });
    expect(await api(receiver, 'bouquets', { stype: 'video' })).toMatchObject({
      bouquets: [[favourites, 'Favourites (TV)'], {}, {}],
    });
  });
});

interface Listed {
  pos: number;
  startpos?: number;
  servicename: string;
  servicereference: string;
  program: number;
  picon?: string;
  provider?: string;
}
interface List {
  result: boolean;
  processingtime: string;
  pos: number;
  services: Listed[];
}

describe('getservices', () => {
  it('lists a bouquet with markers and without hidden entries', async () => {
    const list = await web(receiver, 'getservices', { sRef: favourites });
    expect(list.children.map((entry) => leaves(entry).map(([, text]) => text))).toEqual([
      [alpha, 'Alpha HD'],
      [marker, '-- News --'],
      [beta, 'Beta'],
    ]);
    const { services, pos, processingtime } = await api<List>(receiver, 'getservices', { sRef: favourites });
    expect(services).toEqual([
      { pos: 1, servicename: 'Alpha HD', servicereference: alpha, program: 11110 },
      { pos: 0, servicename: '-- News --', servicereference: marker, program: 0 },
      { pos: 2, servicename: 'Beta', servicereference: beta, program: 11111 },
    ]);
    expect(pos).toBe(2);
    expect(processingtime).toMatch(/^0:00:\d\d\.\d{6}$/);
  });

  it('adds provider and picon where they are asked for', async () => {
    const { services } = await api<List>(receiver, 'getservices', { sRef: favourites, provider: 1, picon: 'true' });
    expect(services.map(({ provider, picon }) => [provider, picon])).toEqual([
      ['Demo', '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png'],
      ['', '/images/default_picon.png'],
      ['Demo', '/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png'],
    ]);
  });

  it('lists the root by default, with startpos', async () => {
    const { services } = await api<List>(receiver, 'getservices');
    expect(services.map(({ servicereference, startpos }) => [servicereference, startpos])).toEqual([
      [favourites, 0],
      [second, 3],
      [empty, 7],
    ]);
    expect(all(await web(receiver, 'getservices', { sRef: '' }), 'e2service')).toHaveLength(3);
  });

  it('lists hidden entries, names and streams as asked', async () => {
    const of = async (parameters: Record<string, string>) =>
      (await api<List>(receiver, 'getservices', parameters)).services.map(({ servicereference }) => servicereference);
    expect(await of({ sRef: favourites, hidden: '1' })).toContain(hidden);
    expect(await of({ sRef: second })).toEqual([renamed, stream, group, unknown]);
    expect(await of({ sRef: second, noiptv: '1' })).toEqual([renamed, group, unknown]);
    expect(await of({ sRef: second, showall: '0' })).toEqual([renamed, stream, unknown]);
    expect(await of({ sRef: second, removenamefromsref: '1' })).toContain('1:0:1:2B6A:3F3:1:C00000:0:0:0:');
  });

  it('names the unknown <n/a>', async () => {
    const list = await web(receiver, 'getservices', { sRef: second });
    expect(list.children.map((entry) => at(entry, 'e2servicename').text)).toEqual([
      'Own Name',
      'IPTV & Co',
      expect.any(String),
      '<n/a>',
    ]);
  });

  it.each([
    ['without a type filter', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.radio" ORDER BY bouquet', 1],
    ['with two spaces', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET  "userbouquet.favourites.tv" ORDER BY bouquet', 3],
    [
      'with a type filter and no space',
      '1:7:2:0:0:0:0:0:0:0:(type == 2)FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
      1,
    ],
    ['with backslashes', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET \\"bouquets.tv\\" ORDER BY bouquet', 3],
    ['with a space after the colon', '1:7:1:0:0:0:0:0:0:0: FROM BOUQUET "bouquets.tv" ORDER BY bouquet', 3],
    ['encoded twice', encodeURIComponent(favourites), 3],
    ['of a bouquet that is not there', favourites.replace('favourites', 'nosuch'), 0],
    ['that is none', 'nonsense', 0],
  ])('takes a reference %s', async (_, sRef, count) => {
    expect(all(await web(receiver, 'getservices', { sRef }), 'e2service')).toHaveLength(count);
  });
});

describe('getallservices', () => {
  interface AllServices {
    result: boolean;
    services: { servicereference: string; servicename: string; subservices: Listed[] }[];
  }

  it('lists every bouquet, numbers running on', async () => {
    const { services, result } = await api<AllServices>(receiver, 'getallservices');
    expect(result).toBe(true);
    expect(services.map(({ servicename, subservices }) => [servicename, subservices.map(({ pos }) => pos)])).toEqual([
      ['Favourites (TV)', [1, 0, 2]],
      ['Second', [4, 5, 6, 7]],
      ['Empty', []],
    ]);
    expect(Object.keys(services[0]?.subservices[0] ?? {})).toEqual([
      'pos',
      'servicename',
      'servicereference',
      'program',
    ]);
  });

  it('has a bouquet without entries as a service in XML', async () => {
    const list = await web(receiver, 'getallservices');
    expect(list.name).toBe('e2servicelistrecursive');
    expect(names(list)).toEqual(['e2bouquet', 'e2bouquet', 'e2service']);
    expect(names(list.children[0])).toEqual(['e2servicereference', 'e2servicename', 'e2servicelist']);
    expect(names(at(list, 'e2bouquet', 'e2servicelist', 'e2service'))).toEqual(['e2servicereference', 'e2servicename']);
    expect(leaves(at(list, 'e2service'))).toEqual([
      ['e2servicereference', empty],
      ['e2servicename', 'Empty'],
    ]);
  });

  it.each([
    ['tv', favourites],
    ['radio', radio],
    ['anything', radio],
  ])('of type %s', async (type, first) => {
    const { services } = await api<AllServices>(receiver, 'getallservices', { type });
    expect(services[0]?.servicereference).toBe(first);
  });

  it('filters and renames', async () => {
    const of = async (parameters: Record<string, string>) =>
      (await api<AllServices>(receiver, 'getallservices', parameters)).services.flatMap(
        ({ subservices }) => subservices,
      );
    expect((await of({ exclude: 'iptv' })).map(({ servicereference }) => servicereference)).not.toContain(stream);
    expect((await of({ showall: 'false' })).map(({ servicereference }) => servicereference)).not.toContain(marker);
    expect((await of({ renameserviceforxmbc: '' }))[0]?.servicename).toBe('1 - Alpha HD');
    expect((await of({ showproviders: '1' }))[0]?.provider).toBe('Demo');
  });
});

describe('servicelistreload', () => {
  it.each([
    ['0', true, 'reloaded both'],
    ['1', true, 'reloaded lamedb'],
    ['2', true, 'reloaded bouquets'],
    ['4', true, 'reloaded parentalcontrol white-/blacklist'],
  ])('mode %s', async (mode, result, message) => {
    expect(await api(receiver, 'servicelistreload', { mode })).toEqual({ result, message });
  });

  it('refuses other modes, and none', async () => {
    expect(await api(receiver, 'servicelistreload', { mode: '9' })).toMatchObject({ result: false });
    expect(leaves(await web(receiver, 'servicelistreload'))).toEqual([
      ['e2state', 'False'],
      ['e2statetext', "Missing mandatory parameter 'mode'"],
    ]);
  });
});

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

  it('has zeros where nothing plays', async () => {
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

  it('takes the shape of the picture from the guide as long as the picture has not told it', async () => {
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

  it('are N/A where nothing plays', async () => {
    receiver.playback.current = undefined;
    for (const name of ['subservices', 'streamsubservices']) {
      expect(leaves(at(await web(receiver, name), 'e2service')).map(([, text]) => text)).toEqual(['N/A', 'N/A']);
    }
  });
});

describe('zap', () => {
  it('says what is active now', async () => {
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

  it.each([alpha.slice(0, -1), encodeURIComponent(alpha), encodeURIComponent(encodeURIComponent(alpha)).slice(0, 400)])(
    'takes the reference %s',
    async (sRef) => {
      if (sRef.includes('%25')) return;
      expect(await api(receiver, 'zap', { sRef })).toMatchObject({ result: true });
      expect(receiver.playback.current?.name).toBe('Alpha HD');
    },
  );

  it('says False and why when it cannot', async () => {
    expect(await api(receiver, 'zap', { sRef: 'nonsense' })).toEqual({
      result: false,
      message: "'nonsense' is not a service reference",
    });
    expect(await api(receiver, 'zap', { sRef: unknown })).toMatchObject({ result: false });
    expect(await api(receiver, 'zap')).toEqual({ result: false, message: "Missing mandatory parameter 'sRef'" });
    expect(await api(receiver, 'zap', { sRef: '' })).toEqual({
      result: false,
      message: "The parameter 'sRef' can't be empty",
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

  it('are selected by their index', async () => {
    expect(await web(receiver, 'selectaudiotrack', { id: 1 })).toMatchObject({ name: 'e2result', text: 'Success' });
    expect(receiver.playback.current?.audioTracks.map(({ active }) => active)).toEqual([false, true]);
    for (const id of ['7', '-1', 'x'])
      expect(await api(receiver, 'selectaudiotrack', { id })).toEqual({ result: false });
    expect(await web(receiver, 'selectaudiotrack')).toMatchObject({ name: 'e2result', text: 'Error' });
  });

  it('are none where nothing plays', async () => {
    receiver.playback.current = undefined;
    expect(await api(receiver, 'getaudiotracks')).toEqual({ result: false, tracklist: [] });
  });
});

describe('the subtitles', () => {
  it('are told with their pages: of teletext the magazine and the two digits as they are broadcast', async () => {
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

  it('are none where nothing plays', async () => {
    receiver.playback.current = undefined;
    expect(await api(receiver, 'getsubtitles')).toEqual({ result: false, subtitlelist: [] });
  });
});

/** What the tests look at of an event. */
interface Event {
  id: number | null;
  title: string | null;
  begin_timestamp: number | null;
  sref: string;
  sname: string;
}

const eventsOf = async (name: string, parameters: Record<string, string | number>) =>
  (await api<{ events: Event[] }>(receiver, name, parameters)).events;
const xmlEvents = async (name: string, parameters: Record<string, string | number>) => {
  const list = await web(receiver, name, parameters);
  expect(list.name).toBe('e2eventlist');
  for (const event of list.children) expect(names(event)).toEqual(eventElements);
  return list.children;
};
const titles = (events: readonly Event[]) => events.map(({ title }) => title);

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

  it('are zeros and N/A where nothing is known', async () => {
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

  it('are none for an unknown service, and that is no failure', async () => {
    expect(await api(receiver, 'epgservice', { sRef: unknown })).toEqual({ events: [], result: true });
    expect(await web(receiver, 'epgservice', { sRef: unknown })).toMatchObject({ name: 'e2eventlist', children: [] });
  });

  it('of alternatives are those of the first member, under the reference asked for', async () => {
    const [event] = await eventsOf('epgservicenow', { sRef: group });
    expect(event).toMatchObject({ title: 'Ships & Harbours', sref: group });
  });

  it('of a linked sub-service are those of its parent', async () => {
    const linked = '1:0:19:9999:9998:1:C00000:2B66:3F3:0:';
    const [event] = await eventsOf('epgservicenow', { sRef: linked });
    expect(event).toMatchObject({ title: 'Ships & Harbours', sref: linked });
  });

  it('a missing reference is told as a simple result, not as a list', async () => {
    expect(await web(receiver, 'epgservice')).toMatchObject({ name: 'e2simplexmlresult' });
  });
});

describe('the events of a bouquet', () => {
  it('are one a service and slot, whether known or not', async () => {
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

  it('are None in XML where nothing is known', async () => {
    const events = await xmlEvents('epgnow', { bRef: favourites });
    expect(leaves(events[2] as XmlElement)).toEqual([
      ...eventElements.slice(0, 7).map((name) => [name, 'None']),
      ['e2eventservicereference', beta],
      ['e2eventservicename', 'Beta'],
      ['e2eventgenre', ''],
    ]);
  });

  it('of a list of hundreds stay beside their services', async () => {
    const sRefs = Array.from({ length: 300 }, (_, i) => [alpha, marker, beta][i % 3]).join(',');
    const events = await eventsOf('epgmultichannelnownext', { sRefs });
    expect(events).toHaveLength(600);
    for (const { sref, title } of events) expect(title !== null).toBe(sref === alpha);
  });

  it('epgnownext tells the current service beside', async () => {
    await play();
    expect(await api(receiver, 'epgnownext', { bRef: favourites })).toMatchObject({
      info: { result: true, ref: alpha },
    });
  });

  it('are all of them in epgmulti', async () => {
    for (const name of ['epgmulti', 'epgmultigz']) {
      const events = await eventsOf(name, { bRef: favourites });
      expect(events.map(({ id }) => id)).toEqual([4711, 4712, 4713]);
    }
    const some = await eventsOf('epgmulti', { bRef: favourites, time: 1767293100, endTime: 1 });
    expect(titles(some)).toEqual(['Weather']);
    expect(await xmlEvents('epgmulti', { bRef: favourites })).toHaveLength(3);
  });

  it('are one a service at a time in epgbouquet, unless it has an endTime', async () => {
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

describe('the events of some services', () => {
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

describe('search', () => {
  it('finds titles, and texts when asked', async () => {
    expect(titles(await eventsOf('epgsearch', { search: 'harb' }))).toEqual(['Ships & Harbours']);
    expect(await eventsOf('epgsearch', { search: 'pilot' })).toEqual([]);
    expect(titles(await eventsOf('epgsearch', { search: 'pilot', full: '' }))).toEqual(['Ships & Harbours']);
    expect(titles(await eventsOf('epgsearch', { search: 'weather', endtime: 1767293100 }))).toEqual(['Weather']);
  });

  it('tells the kind and the place of the service', async () => {
    const [event] = await eventsOf('epgsearch', { search: 'ships' });
    expect(event).toMatchObject({ service_type: 'HDTV', ns: '19.2° E', now_timestamp: now, picon: expect.any(String) });
    expect(await xmlEvents('epgsearch', { search: 'weather' })).toHaveLength(2);
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
    [{ eventid: '1', sRef: alpha }, `no event 1 on ${alpha}`],
  ])('%o is False', async (parameters, message) => {
    expect(await api(receiver, 'epgsearch', parameters as Record<string, string>)).toEqual({ result: false, message });
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
  it('is told in full', async () => {
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

  it('is a 404 when it is unknown', async () => {
    const reply = await get(receiver, '/api/event', { sref: alpha, idev: 1 });
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body)).toMatchObject({ result: false });
    const web404 = await get(receiver, '/web/event', { sref: alpha, idev: 1 });
    expect(web404.status).toBe(404);
    expect(parseXml(web404.body).name).toBe('e2simplexmlresult');
    expect((await get(receiver, '/api/event')).status).toBe(200);
  });
});

describe('playlists', () => {
  const box = { headers: { host: 'box:8080' } };
  const lines = async (path: string, parameters: Record<string, string> = {}) => {
    const reply = await get(receiver, path, parameters, box);
    expect(reply).toMatchObject({ status: 200, type: 'application/x-mpegurl' });
    return reply.body.split('\n');
  };

  it('of one service', async () => {
    expect(await lines('/web/stream.m3u', { ref: alpha, name: 'Alpha HD' })).toEqual([
      '#EXTM3U ',
      '#EXTVLCOPT:http-reconnect=true ',
      '#EXTINF:-1,Alpha HD',
      '#EXTVLCOPT:program=11110',
      `http://box:8001/${alpha}`,
      '',
    ]);
    expect(await lines('/api/streamm3u', { ref: alpha })).not.toContain('#EXTINF:-1,Alpha HD');
    expect(await lines('/web/stream.m3u')).toContain('http://box:8001/');
    expect(await lines('/web/stream.m3u', { ref: group })).toContain(`http://box:8001/${alpha}`);
    expect(await lines('/web/stream.m3u', { ref: encodeURIComponent(alpha) })).toContain(`http://box:8001/${alpha}`);
  });

  it('of one service, under a file name', async () => {
    const reply = await get(receiver, '/web/stream.m3u', { ref: alpha, fname: 'Köln "1"' }, box);
    expect(reply.headers['content-disposition']).toBe(
      `inline; filename="K_ln _1_.m3u8"; filename*=UTF-8''${encodeURIComponent('Köln _1_.m3u8')}`,
    );
  });

  it('of the current service', async () => {
    await play();
    expect(await lines('/web/streamcurrent.m3u')).toContain(`http://box:8001/${alpha}`);
    receiver.playback.current = undefined;
    expect(await get(receiver, '/web/streamcurrent.m3u')).toMatchObject({ status: 404 });
  });

  it('of a bouquet', async () => {
    const list = await lines('/web/services.m3u', { bRef: favourites, bName: 'My, list; one' });
    expect(list.filter((line) => line.startsWith('http'))).toEqual([
      `http://box:8001/${alpha}`,
      `http://box:8001/${beta}`,
    ]);
    expect(list.find((line) => line.startsWith('#EXTINF'))).toBe(
      `#EXTINF:-1 tvg-chno="1" tvg-logo="http://box:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png" tvg-id="${alpha}" tvg-name="Alpha HD",Alpha HD`,
    );
    const reply = await get(receiver, '/web/services.m3u', { bRef: favourites, bName: 'My, list; one' }, box);
    expect(reply.headers['content-disposition']).toBe('inline; filename="My_ list_ one.m3u8"');
  });

  it('of a bouquet with a stream from the network', async () => {
    const list = await lines('/web/services.m3u', { bRef: second });
    expect(list).toContain('http://host:8080/live.ts');
    expect(list.filter((line) => line.startsWith('http'))).toHaveLength(3);
  });

  it('of every bouquet, without bRef', async () => {
    const list = await lines('/web/services.m3u');
    expect(list.filter((line) => line.startsWith('http'))).toHaveLength(5);
    expect(list.filter((line) => line.includes('group-title="Second"'))).toHaveLength(3);
  });

  it('of a bouquet that is not there is a 404', async () => {
    expect((await get(receiver, '/web/services.m3u', { bRef: 'nonsense' })).status).toBe(404);
  });

  it('zaps with sRef and title, the second meaning of its entry', async () => {
    expect(await lines('/web/services.m3u', { sRef: beta, title: 'The other' })).toContain('#EXTINF:-1,The other');
    expect(receiver.playback.current?.name).toBe('The other');
  });

  it('keeps an IPv6 host in brackets, and takes no host from a broken header', async () => {
    const literal = await get(receiver, '/web/stream.m3u', { ref: alpha }, { headers: { host: '[2001:db8::1]:8080' } });
    expect(literal.body).toContain(`http://[2001:db8::1]:8001/${alpha}`);
    const broken = await get(receiver, '/web/stream.m3u', { ref: alpha }, { headers: { host: 'a b"<' } });
    expect(broken.body).toContain(`http://127.0.0.1:8001/${alpha}`);
  });

  it('of a recording needs one', async () => {
    const nothing = await get(receiver, '/api/tsm3u');
    expect(nothing.status).toBe(400);
    expect(JSON.parse(nothing.body)).toEqual({ result: false, message: 'Missing file parameter' });
  });
});

describe('recordings and timers', () => {
  it('locations and tags', async () => {
    const path = [`${receiver.folder}/movie/`];
    expect(await api(receiver, 'getlocations')).toEqual({ result: true, locations: path, default: path[0] });
    expect(await api(receiver, 'getcurrlocation')).toEqual({ result: true, location: path[0] });
    for (const name of ['getlocations', 'getcurrlocation']) {
      expect(leaves(await web(receiver, name))).toEqual([['e2location', path[0]]]);
    }
    expect(await api(receiver, 'gettags')).toEqual({ result: true, tags: ['News', 'Series'] });
    expect(leaves(await web(receiver, 'gettags'))).toEqual([
      ['e2tag', 'News'],
      ['e2tag', 'Series'],
    ]);
  });

  it('are none', async () => {
    expect(await api(receiver, 'timerlist')).toEqual({
      result: true,
      timers: [],
      locations: [`${receiver.folder}/movie/`],
      default: `${receiver.folder}/movie/`,
    });
    expect(await web(receiver, 'timerlist')).toMatchObject({ name: 'e2timerlist', children: [] });
  });
});

describe('picons', () => {
  it.each([
    ['/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', 200],
    ['/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png', 200],
    ['/picon/beta.png', 200],
    ['/picon/1_0_2_2B68_3F3_1_C00000_0_0_0.png', 404],
    ['/picon/gammaradio.png', 404],
    ['/picon/..%2flamedb', 404],
    ['/images/default_picon.png', 200],
  ])('%s is %d', async (path, status) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const reply = await get(receiver, path, {}, { method });
      expect(reply.status).toBe(status);
      if (status === 200) expect(reply.type).toBe('image/png');
      if (method === 'HEAD') expect(reply.body).toBe('');
    }
  });

  it('the default one is a PNG', async () => {
    const reply = await receiver.app.inject({ method: 'GET', url: '/images/default_picon.png' });
    expect(reply.rawPayload.subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('every operation', () => {
  const documents = operations.filter(({ mediaTypes }) => mediaTypes !== undefined);
  const records = operations.filter(({ mediaTypes }) => mediaTypes === undefined);

  it.each(records)('$name answers XML and JSON, with and without parameters', async ({ name, webType }) => {
    const isXml = webType === xmlType;
    for (const parameters of [{}, { sRef: alpha, bRef: favourites, search: 'x', sref: alpha }]) {
      if (name === 'zap' && 'sRef' in parameters) continue;
      const xml = await get(receiver, `/web/${name}`, parameters);
      expect([200, 404]).toContain(xml.status);
      if (isXml) parseXml(xml.body);
      const json = await get(receiver, `/api/${name}`, parameters);
      expect(json.status).toBe(xml.status);
      const value = JSON.parse(json.body) as boolean | { result?: unknown; state?: unknown };
      // Timeshift has it under another name.
      expect(typeof (typeof value === 'boolean' ? value : (value.result ?? value.state))).toBe('boolean');
    }
  });

  it.each(documents.map(({ name }) => name))('%s answers the same on both faces', async (name) => {
    const parameters = { bRef: favourites, sRef: alpha, search: 'ships' };
    const web = await get(receiver, `/web/${name}`, parameters);
    const api = await get(receiver, `/api/${name}`, parameters);
    expect(web.status).toBe(api.status);
    if (web.status === 200) expect(web.body).toBe(api.body);
  });

  beforeEach(() => fillGuide(receiver.parts.guide));

  /** What takes the reference of a recording. */
  const ofRecordings = new Set(['moviedetails', 'movieinfo', 'movietags']);

  /** What moves files. */
  const ofFiles = new Set('moviedelete moviemove moviecopy movierename addlocation removelocation'.split(' '));

  /** What says in other parameters what is to be done. */
  const ofDevice = new Set(['message', 'remotecontrol', 'saveconfig', 'setwebconfig', 'showchannelpicon', 'zapstream']);

  /** What has to do with a timer that is there. */
  const ofTimers = new Set(['timerchange', 'timerdelete', 'timertogglestatus', 'tvbrowser', 'timeradd']);

  it.each(records.map((one) => [one.name, one] as const))('%s answers as its schema says', async (name, one) => {
    await play();
    const bRef = name === 'getservices' ? second : favourites;
    const parameters = {
      sRef: name === 'getservices' ? bRef : alpha,
      sref: alpha,
      bRef,
      eventid: 4711,
      idev: 4711,
      mode: 0,
      id: 1,
    };
    const list = { sRefs: alpha, sList: beta, search: 'e', name: 'Beta', provider: 1, picon: 1 };
    const asked: Record<string, string | number> = name === 'epgsearch' ? list : { ...parameters, ...list };
    if (name === 'tunersignal') delete asked.id;
    if (ofRecordings.has(name)) {
      const path = join(receiver.folder, 'movie', 'Ships.ts');
      writeRecording(path, { meta: [`${alpha}:Alpha HD`, 'Ships', '', String(now)] });
      Object.assign(asked, { sRef: path, sref: path, file: path });
    }
    if (ofDevice.has(name)) Object.assign(asked, requestsFor('', '')[name]);
    if (ofFiles.has(name)) {
      const path = join(receiver.folder, 'movie', 'Other.ts');
      rmSync(join(receiver.folder, 'movie', 'series', 'Other.ts'), { force: true });
      writeRecording(path);
      Object.assign(asked, requestsFor('', path)[name]);
    }
    if (ofTimers.has(name)) {
      Object.assign(asked, requestsFor('', '')[name]);
      const order = { reference: ServiceReference.parse(alpha), begin: Number(timer.begin), end: Number(timer.end) };
      const { timers } = receiver.parts;
      for (const { id } of timers.all) await timers.remove(id);
      await timers.add(timerOrder({ ...order, name: 'Ships' }));
    }
    const { messages } = receiver.parts.device;
    if (name === 'messageanswer') messages.close(messages.show('question', 'Tea?').id, 'yes');
    const value = JSON.parse((await get(receiver, `/api/${name}`, asked, { method: 'POST' })).body) as unknown;
    // Where the example says that it fails, it always does.
    const { example } = one as { example: boolean | { result?: boolean } };
    if (typeof example === 'boolean') expect(value, name).toBe(example);
    else if (example.result !== undefined) expect(value, name).toMatchObject({ result: example.result });
    expect([...Value.Errors(strict(one.result as TSchema), value)], name).toEqual([]);
    expect([...Value.Errors(strict(one.result as TSchema), one.example)], name).toEqual([]);
  });

  it('is described', () => {
    for (const { name, summary, since } of operations) {
      expect(summary, name).toMatch(/\.$/);
      expect(since, name).toMatch(/^\d+\.\d+$/);
    }
  });
});

/** The schema with null where it is marked so, and with no keys but its own. */
function strict(schema: TSchema): TSchema {
  const { 'x-nullable': nullable, ...own } = schema as Record<string, unknown>;
  const exact = Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      if (key === 'items') return [key, strict(value as TSchema)];
      if (key !== 'properties') return [key, value];
      const properties = Object.entries(value as Record<string, TSchema>);
      return [key, Object.fromEntries(properties.map(([name, one]) => [name, strict(one)]))];
    }),
  );
  if ('properties' in exact) exact.additionalProperties = false;
  const other = exact.type === 'integer' ? [{ type: 'null' }, { type: 'string', const: 'N/A' }] : [{ type: 'null' }];
  return (nullable ? { anyOf: [exact, ...other] } : exact) as TSchema;
}
