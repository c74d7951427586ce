/** Special lists of services: playable, locked, reloaded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eitSections } from '../../fixtures/eit.ts';
import {
  alpha,
  beta,
  favourites,
  group,
  marker,
  now,
  openReceiver,
  picture,
  second,
  stream,
  type TestReceiver,
  unknown,
} from '../receiver.ts';
import { all, api, get, leaves, names, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

describe('servicelistplayable', () => {
  interface Playable {
    readonly servicereference: string;
    readonly isplayable: boolean;
    readonly servicename?: string;
  }
  const listed = async (parameters: Record<string, string>) =>
    (await api<{ services: Playable[] }>(receiver, 'servicelistplayable', parameters)).services;

  it('covers every entry except hidden ones', async () => {
    expect(await listed({ sRef: favourites })).toEqual([
      { servicereference: alpha, isplayable: true },
      { servicereference: marker, isplayable: false },
      { servicereference: beta, isplayable: true },
    ]);
    const list = await web(receiver, 'servicelistplayable', { sRef: favourites });
    expect(list.name).toBe('e2servicelistplayable');
    expect(list.children.map((entry) => [entry.name, leaves(entry)])).toEqual(
      [
        [alpha, 'True'],
        [marker, 'False'],
        [beta, 'True'],
      ].map(([reference, playable]) => [
        'e2serviceplayable',
        [
          ['e2servicereference', reference],
          ['e2isplayable', playable],
        ],
      ]),
    );
  });

  it('tests alternatives by their members; streams are playable, services without a tuner are not', async () => {
    const playable = new Map(
      (await listed({ sRef: second })).map(({ servicereference, isplayable }) => [servicereference, isplayable]),
    );
    expect([group, stream, unknown].map((reference) => playable.get(reference))).toEqual([true, true, false]);
  });

  it('lists the root by default, whose entries are not playable themselves', async () => {
    const entries = await listed({});
    expect(entries.map(({ isplayable }) => isplayable)).toEqual([false, false, false]);
    expect(entries[0]?.servicereference).toBe(favourites);
    expect(await listed({ sRef: 'nonsense' })).toEqual([]);
  });

  it('adds names on request', async () => {
    expect((await listed({ sRef: favourites, includeName: '' }))[0]?.servicename).toBe('Alpha HD');
    const list = await web(receiver, 'servicelistplayable', { sRef: favourites, includeName: '1' });
    expect(all(list, 'e2serviceplayable').map(names)).toContainEqual([
      'e2servicereference',
      'e2isplayable',
      'e2servicename',
    ]);
  });
});

describe('serviceplayable', () => {
  it.each([
    [alpha, true],
    [group, true],
    [stream, true],
    [unknown, false],
    [marker, false],
    [favourites, false],
    ['nonsense', false],
  ])('%s', async (sRef, isplayable) => {
    expect(await api(receiver, 'serviceplayable', { sRef, sRefPlaying: beta })).toEqual({
      result: true,
      service: { servicereference: sRef, isplayable },
    });
    const playable = await web(receiver, 'serviceplayable', { sRef });
    expect([playable.name, leaves(playable)]).toEqual([
      'e2serviceplayable',
      [
        ['e2servicereference', sRef],
        ['e2isplayable', isplayable ? 'True' : 'False'],
      ],
    ]);
  });

  it('returns False without a service', async () => {
    expect(leaves(await web(receiver, 'serviceplayable'))).toEqual([
      ['e2state', 'False'],
      ['e2statetext', "Missing mandatory parameter 'sRef'"],
    ]);
  });
});

/** A separate world with files in its Enigma2 folder, loaded by a mode of servicelistreload. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  mode: number,
  test: (world: TestReceiver) => Promise<void>,
): Promise<void> {
  const world = await openReceiver();
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(world.folder, name), content);
    expect(await api(world, 'servicelistreload', { mode })).toMatchObject({ result: true });
    await test(world);
  } finally {
    await world.close();
  }
}

describe('parentcontrollist', () => {
  it('is empty if nothing is locked', async () => {
    expect(await api(receiver, 'parentcontrollist')).toEqual({ result: true, type: 'blacklist', services: [] });
    expect(await web(receiver, 'parentcontrollist')).toMatchObject({ name: 'e2servicelist', children: [] });
  });

  it('lists services and bouquets from the file', () =>
    withFiles({ blacklist: `${alpha}\n-${beta}\n${second}\n` }, 4, async (world) => {
      expect(await api(world, 'parentcontrollist')).toEqual({
        result: true,
        type: 'blacklist',
        services: [
          { servicereference: alpha, servicename: 'Alpha HD' },
          { servicereference: second, servicename: 'Second' },
        ],
      });
      const list = await web(world, 'parentcontrollist');
      expect([list.name, list.children.map((one) => leaves(one))]).toEqual([
        'e2servicelist',
        [
          [
            ['e2servicereference', alpha],
            ['e2servicename', 'Alpha HD'],
          ],
          [
            ['e2servicereference', second],
            ['e2servicename', 'Second'],
          ],
        ],
      ]);
    }));

  it('has the kind given in the settings', () =>
    withFiles(
      { blacklist: `${alpha}\n`, whitelist: `${beta}\n`, settings: 'config.ParentalControl.type=whitelist\n' },
      4,
      async (world) => {
        expect(await api(world, 'parentcontrollist')).toMatchObject({
          type: 'whitelist',
          services: [{ servicereference: beta }],
        });
      },
    ));
});

describe('the parental lock', () => {
  const configured = 'config.ParentalControl.configured=True\n';
  const zap = (world: TestReceiver, sRef: string, title = '') => api(world, 'zap', { sRef, title });
  const blocked = (name: string) => ({
    result: false,
    message: `Service '${name}' is blocked by parental Control`,
    error: 'blocked',
  });

  it('blocks zapping to a service of the blacklist, in any form of its reference', () =>
    withFiles({ settings: configured, blacklist: `${alpha}\n` }, 4, async (world) => {
      expect(await zap(world, alpha)).toEqual(blocked(alpha));
      expect(await zap(world, alpha, 'Harmless')).toEqual(blocked('Harmless'));
      for (const sRef of [encodeURIComponent(alpha), alpha.replace('1:0:19', '1:0:1'), group]) {
        expect(await zap(world, sRef), sRef).toMatchObject({ result: false });
      }
      expect(world.playback.current).toBeUndefined();
      expect(leaves(await web(world, 'zap', { sRef: alpha }))).toEqual([
        ['e2state', 'False'],
        ['e2statetext', `Service '${alpha}' is blocked by parental Control`],
      ]);
      expect(await zap(world, beta)).toMatchObject({ result: true });
    }));

  it('covers everything in a listed bouquet', () =>
    withFiles({ settings: configured, blacklist: `${favourites}\n` }, 4, async (world) => {
      expect(await zap(world, beta)).toEqual(blocked(beta));
      expect(await zap(world, stream)).toMatchObject({ result: true });
    }));

  it('allows only listed services with a whitelist', () =>
    withFiles(
      { settings: `${configured}config.ParentalControl.type=whitelist\n`, whitelist: `${beta}\n` },
      4,
      async (world) => {
        expect(await zap(world, alpha)).toEqual(blocked(alpha));
        expect(await zap(world, group)).toEqual(blocked(group));
        expect(await zap(world, beta)).toMatchObject({ result: true });
      },
    ));

  it('is inactive without parental control in the settings', () =>
    withFiles({ settings: '', blacklist: `${alpha}\n` }, 4, async (world) => {
      expect(await zap(world, alpha)).toMatchObject({ result: true });
    }));

  it('is active with a PIN', () =>
    withFiles({ blacklist: `${alpha}\n` }, 4, async (world) => {
      expect(await zap(world, alpha)).toEqual(blocked(alpha));
    }));

  it.each([
    [15, false],
    [16, false],
    [17, true],
    [0, true],
  ])('with age %d, during an event rated 16', (age, free) =>
    withFiles({ settings: `${configured}config.ParentalControl.age=${age}\n` }, 4, async (world) => {
      const service = { serviceId: 0x2b67, transportStreamId: 0x3f3, originalNetworkId: 1 };
      const parental = { country: 'DEU', rating: 13 };
      const event = { id: 1, start: now - 600, duration: 3600, title: 'Late film', parental };
      for (const section of eitSections(service, now, [event])) world.parts.guide.ingestSection(section);
      await world.parts.guide.flush();
      expect((await zap(world, beta)).result).toBe(free);
    }),
  );
});

describe('servicelistreload', () => {
  it('accepts the mode for transponders, which are part of the service list', async () => {
    expect(await api(receiver, 'servicelistreload', { mode: 3 })).toEqual({
      result: true,
      message: 'reloaded transponders',
    });
  });

  it('reloads settings, tags and picons in mode 0', async () => {
    const world = await openReceiver();
    try {
      const pictures = join(world.folder, 'picon');
      mkdirSync(pictures, { recursive: true });
      writeFileSync(join(pictures, 'gammaradio.png'), picture);
      writeFileSync(join(world.folder, 'movietags'), 'Films\r\n\r\n');
      writeFileSync(join(world.folder, 'settings'), 'config.recording.margin_before=9\n');
      await api(world, 'servicelistreload', { mode: 0 });
      expect(await api(world, 'gettags')).toEqual({ result: true, tags: ['Films'] });
      expect((await api<{ settings: unknown[] }>(world, 'settings')).settings).toContainEqual([
        'config.recording.margin_before',
        '9',
      ]);
      expect((await get(world, '/picon/gammaradio.png')).status).toBe(200);
    } finally {
      await world.close();
    }
  });
});

describe('getallservices', () => {
  const film = '4097:0:1:0:0:0:0:0:0:0:http%3a//host/movie/user/word/1.mkv:A film';
  const files = { 'userbouquet.second.tv': `#NAME Second\n#SERVICE ${stream}\n#SERVICE ${film}\n` };
  interface Services {
    readonly services: readonly { readonly subservices: readonly { servicereference: string; program?: number }[] }[];
  }
  const listed = async (world: TestReceiver, exclude: string) =>
    (await api<Services>(world, 'getallservices', { exclude })).services.flatMap(({ subservices }) => subservices);

  it('omits films from the network with exclude=vod', () =>
    withFiles(files, 2, async (world) => {
      const references = (await listed(world, 'vod')).map(({ servicereference }) => servicereference);
      expect(references).toContain(stream);
      expect(references).not.toContain(film);
      expect((await listed(world, '')).map(({ servicereference }) => servicereference)).toContain(film);
      expect(JSON.stringify(await listed(world, 'vod,iptv'))).not.toContain('4097');
    }));

  it('omits service ids with exclude=program', async () => {
    for (const service of await listed(receiver, 'lastscanned,program')) expect(service).not.toHaveProperty('program');
    expect((await listed(receiver, ''))[0]).toHaveProperty('program', 11110);
  });
});

describe('getsatellites', () => {
  it('lists the sources of television and of radio, as lists that getservices knows', async () => {
    const { satellites } = await api<{ satellites: { service: string; name: string }[] }>(receiver, 'getsatellites');
    expect(satellites.map(({ name }) => name)).toEqual(['19.2E - Services', '19.2E - Providers']);
    const { services } = await api<{ services: { servicereference: string }[] }>(receiver, 'getservices', {
      sRef: satellites[0]?.service ?? '',
    });
    expect(services.map(({ servicereference }) => servicereference)).toContain(alpha);
    const ofRadio = await web(receiver, 'getsatellites', { stype: 'radio' });
    expect([ofRadio.name, names(ofRadio)]).toEqual(['e2servicelist', ['e2service', 'e2service']]);
  });
});

describe('getserviceref', () => {
  it.each([
    [{ name: 'Beta' }, beta],
    [{ name: 'Own Name' }, '1:0:1:2B6A:3F3:1:C00000:0:0:0::Own Name'],
    [{ name: 'beta' }, ''],
    [{ name: 'Renamed' }, '1:0:1:2B6A:3F3:1:C00000:0:0:0:'],
    [{ name: 'Renamed', searchinBouquetsOnly: 'true' }, ''],
    [{ name: 'Beta', bRef: favourites }, beta],
    [{ name: 'Beta', bRef: second }, ''],
    [{ name: 'Beta', bRef: 'nonsense' }, ''],
  ])('%o', async (parameters, sRef) => {
    expect(await api(receiver, 'getserviceref', parameters as Record<string, string>)).toEqual({ result: true, sRef });
    expect(await web(receiver, 'getserviceref', parameters as Record<string, string>)).toMatchObject({
      name: 'e2servicereference',
      text: sRef,
    });
  });

  it('requires a name', async () => {
    expect(await api(receiver, 'getserviceref')).toMatchObject({ result: false });
  });
});

describe('getpicon', () => {
  it('returns the picture or its address', async () => {
    for (const [sRef, path] of [
      [alpha, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png'],
      [group, '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png'],
      [beta, '/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png'],
      [unknown, '/images/default_picon.png'],
    ] as const) {
      const image = await receiver.app.inject({ url: `/web/getpicon?sRef=${encodeURIComponent(sRef)}` });
      expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png']);
      expect(image.rawPayload).toEqual((await receiver.app.inject({ url: path })).rawPayload);
      const { body, type } = await get(receiver, '/api/getpicon', { sRef, json: 'true' }, { headers: { host: 'box' } });
      expect([type, JSON.parse(body)]).toEqual([
        'application/json; charset=utf-8',
        { result: true, path, link: `http://box${path}` },
      ]);
    }
  });

  it('finds the picture of a group by the name of its member', () => {
    const drawing = Buffer.from('the picture of Beta');
    return withFiles({ 'alternatives.alpha.tv': `#NAME Alternatives\n#SERVICE ${beta}\n` }, 2, async (world) => {
      writeFileSync(join(world.folder, 'picon', 'beta.png'), drawing);
      await world.parts.picons.reload();
      const image = await world.app.inject({ url: `/web/getpicon?sRef=${encodeURIComponent(group)}` });
      expect(image.rawPayload).toEqual(drawing);
      const { path } = await api<{ path: string }>(world, 'getpicon', { sRef: group, json: 'true' });
      expect((await world.app.inject({ url: path })).rawPayload).toEqual(drawing);
    });
  });
});

describe('allservices', () => {
  it('lists the whole service list, including services in no bouquet', async () => {
    const of = async (parameters: Record<string, string>) =>
      (await api<{ services: { servicename: string }[] }>(receiver, 'allservices', parameters)).services.map(
        ({ servicename }) => servicename,
      );
    expect(await of({})).toEqual(['Alpha HD', 'Beta', 'Gamma Radio', 'Hidden', 'Renamed']);
    expect(await of({ mode: 'radio' })).toEqual(['Gamma Radio']);
    expect(await of({ mode: 'tv' })).not.toContain('Gamma Radio');
    expect(names(await web(receiver, 'allservices', { mode: 'radio' }))).toEqual(['e2service']);
  });

  it('is available as a table', async () => {
    await withFiles(
      {
        lamedb: [
          'eDVB services /4/',
          'transponders',
          '00c00000:03f3:0001',
          '\ts 11836000:27500000:0:3:192:2:0',
          '/',
          'end',
          'services',
          '2b66:00c00000:03f3:0001:25:0:0',
          'The "First", HD',
          'p:Demo',
          'end',
          '',
        ].join('\n'),
      },
      1,
      async (world) => {
        const { body, type, headers } = await get(world, '/web/allservicescsv');
        expect([type, headers['content-disposition']]).toEqual([
          'text/csv; charset=utf-8',
          'inline; filename="services.csv"',
        ]);
        expect(body).toBe(`servicereference,servicename,provider\r\n${alpha},"The ""First"", HD",Demo\r\n`);
      },
    );
  });
});
