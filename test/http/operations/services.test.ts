/** Lists of services and bouquets. */
import { describe, expect, it } from 'vitest';
import {
  alpha,
  beta,
  empty,
  favourites,
  group,
  hidden,
  marker,
  radio,
  renamed,
  second,
  stream,
  unknown,
} from '../receiver.ts';
import { all, api, at, get, leaves, names, web } from '../reply.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

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

  it('of radio', async () => {
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

  it('adds provider and picon on request', async () => {
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

  it('includes hidden entries, names and streams as requested', async () => {
    const of = async (parameters: Record<string, string>) =>
      (await api<List>(receiver, 'getservices', parameters)).services.map(({ servicereference }) => servicereference);
    expect(await of({ sRef: favourites, hidden: '1' })).toContain(hidden);
    expect(await of({ sRef: second })).toEqual([renamed, stream, group, unknown]);
    expect(await of({ sRef: second, noiptv: '1' })).toEqual([renamed, group, unknown]);
    expect(await of({ sRef: second, showall: '0' })).toEqual([renamed, stream, unknown]);
    expect(await of({ sRef: second, removenamefromsref: '1' })).toContain('1:0:1:2B6A:3F3:1:C00000:0:0:0:');
  });

  it('names unknown services <n/a>', async () => {
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
    ['of a missing bouquet', favourites.replace('favourites', 'nosuch'), 0],
    ['that is invalid', 'nonsense', 0],
  ])('accepts a reference %s', async (_, sRef, count) => {
    expect(all(await web(receiver, 'getservices', { sRef }), 'e2service')).toHaveLength(count);
  });
});

describe('getallservices', () => {
  interface AllServices {
    result: boolean;
    services: { servicereference: string; servicename: string; subservices: Listed[] }[];
  }

  it('lists every bouquet with consecutive numbers', async () => {
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

  it('lists an empty bouquet as a service in XML', async () => {
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

  it('refuses other modes and a missing one', async () => {
    expect(await api(receiver, 'servicelistreload', { mode: '9' })).toMatchObject({ result: false });
    expect(leaves(await web(receiver, 'servicelistreload'))).toEqual([
      ['e2state', 'False'],
      ['e2statetext', "Missing mandatory parameter 'mode'"],
    ]);
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

  it('the default picon is a PNG', async () => {
    const reply = await receiver.app.inject({ method: 'GET', url: '/images/default_picon.png' });
    expect(reply.rawPayload.subarray(1, 4).toString()).toBe('PNG');
  });
});
