/** Information about the receiver: about and deviceinfo. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, favourites, group, marker, now } from '../receiver.ts';
import { api, at, leaves, names, web } from '../reply.ts';
import { currentElements, play, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('about', () => {
  beforeEach(() => play());

  it('has the elements in order', async () => {
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

  it('describes the device in JSON', async () => {
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

  it('shows the use of the tuners and the stream clients', async () => {
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

  it('shows the running event for clients of alternatives and linked sub-services too', async () => {
    const linked = '1:0:19:9999:9998:1:C00000:2B66:3F3:0:';
    receiver.clients = [marker, group, linked].map((text) => {
      return { reference: ServiceReference.parse(text), address: '192.0.2.20', since: now, tuner: 0 };
    });
    const { info } = await api<{ info: { streams: { eventname: string }[] } }>(receiver, 'about');
    expect(info.streams.map(({ eventname }) => eventname)).toEqual(['', 'Ships & Harbours', 'Ships & Harbours']);
    receiver.clients = [];
  });

  it('has every element if nothing plays', async () => {
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
  it('has the elements in order', async () => {
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

  it('equals the info object of about in JSON', async () => {
    const { info } = await api<{ info: object }>(receiver, 'about');
    expect(await api(receiver, 'deviceinfo')).toEqual({ ...info, result: true });
  });
});
