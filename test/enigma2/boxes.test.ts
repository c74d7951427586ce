/** Boxes that answer as OpenWebif does, on a receiver without a tuner. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/config.ts';
import { parseEnigma2Spec } from '../../src/config/enigma2-spec.ts';
import type { Transponder } from '../../src/dvb/transponder.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import type { BoxBouquet } from '../../src/enigma2/box.ts';
import { Enigma2Boxes } from '../../src/enigma2/boxes.ts';
import { findBox } from '../../src/enigma2/find-box.ts';
import { importBouquets, type StoredBouquet } from '../../src/enigma2/imported-bouquets.ts';
import { Guide } from '../../src/epg/guide.ts';
import type { NetworkStreams } from '../../src/iptv/network-streams.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { networkStreams } from '../fixtures/network.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { until, untilTrue } from '../fixtures/waits.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { type Answer, type Station, sends, station, streamOf } from '../iptv/station.ts';

const service = { originalNetworkId: 2, transportStreamId: 1, serviceId: 0x101 };
const [one, two, three, marker] = [
  '1:0:1:101:1:2:C00000:0:0:0:',
  '1:0:19:102:1:2:C00000:0:0:0:',
  '1:0:2:103:1:2:C00000:0:0:0:',
  '1:64:1:0:0:0:0:0:0:0:',
];
const far = '1:0:1:201:7:2:C00000:0:0:0:';
const favourites = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';
type Entries = readonly (readonly [reference: string | undefined, name: string])[];

/** What a box has, and what it was asked. */
class ScriptedBox {
  bouquets: readonly (readonly [reference: string, name: string, entries: Entries])[];
  events = '';
  standby = false;
  stream: Answer = sends(streamOf(service.serviceId));
  login = '';
  station!: Station;

  constructor(entries: Entries) {
    this.bouquets = [[favourites, 'Favourites (TV)', entries]];
  }

  /** `port`: where it listens; 0: anywhere. */
  async start(port = 0): Promise<this> {
    const says =
      (root: string, body: (url: string) => string): Answer =>
      ({ url = '', headers }, response) => {
        if (this.login !== '' && headers.authorization !== `Basic ${btoa(this.login)}`) response.writeHead(401).end();
        else response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n${body(url)}</${root}>\n`);
      };
    const service = ([reference, name]: Entries[number]) =>
      `<e2service><e2servicereference>${reference}</e2servicereference><e2servicename>${name}</e2servicename></e2service>`;
    const bouquet = ([reference, name, entries]: ScriptedBox['bouquets'][number]) =>
      `<e2bouquet><e2servicereference>${reference.replaceAll('"', '&quot;')}</e2servicereference><e2servicename>${name}` +
      `</e2servicename><e2servicelist>${entries.map(service).join('')}</e2servicelist></e2bouquet>`;
    this.station = await station(
      {
        '/web/deviceinfo': says(
          'e2deviceinfo',
          () => '<e2devicename>duo</e2devicename><e2frontends><e2frontend/><e2frontend/></e2frontends>',
        ),
        '/web/getallservices': says('e2servicelistrecursive', (url) =>
          url.includes('type=') ? '' : this.bouquets.map(bouquet).join(''),
        ),
        '/web/epgmulti': says('e2eventlist', () => this.events),
        '/web/powerstate': says('e2powerstate', (url) => {
          if (url.includes('newstate=4')) this.standby = false;
          return `<e2instandby>\n\t${this.standby}\n</e2instandby>`;
        }),
        ...Object.fromEntries(
          [one, two, far].map((path) => [`/${path}`, (...asked) => this.stream(...asked)] as [string, Answer]),
        ),
      },
      port,
    );
    return this;
  }

  spec(options = ''): string {
    return `enigma2:127.0.0.1:${this.station.port},stream=${this.station.port}${options}`;
  }

  get asked(): readonly string[] {
    return this.station.requests.map(({ url = '' }) => url);
  }
}

let box: ScriptedBox;
let other: ScriptedBox;
let services: Services;
let network: NetworkStreams;
let guide: Guide;
let boxes: Enigma2Boxes;
let pool: TunerPool;
let dataDir: string;
let lines: string[];

async function open(specs: readonly string[], logins: { host: string; user: string; password: string }[] = []) {
  lines = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  services = await Services.load(join(dataDir, 'lists'));
  network = networkStreams();
  boxes = new Enigma2Boxes(specs.map(parseEnigma2Spec), {
    ...{ dataDir, logins, services, network, guide, log },
    guideStore: { saveSoon: () => undefined },
    isOwn: () => false,
    isBusy: () => false,
  });
  pool = new TunerPool([], { linger: 0, others: boxes });
  await boxes.look();
}

async function close() {
  await boxes.stop();
  await Promise.all([network.close(), pool.close()]);
}

beforeEach(async () => {
  dataDir = temporaryFolder();
  guide = new Guide();
  const entries: Entries = [
    [marker, 'News'],
    [one, 'One'],
    [two, 'Two'],
    ['4097:0:1:0:0:0:0:0:0:0:http%3a//127.0.0.1/x', 'Web'],
  ];
  [box, other] = await Promise.all([new ScriptedBox(entries).start(), new ScriptedBox([[one, 'One']]).start()]);
});

afterEach(async () => {
  await close();
  await Promise.all([box.station.stop(), other.station.stop()]);
});

const imported = () => services.bouquetByName(`Favourites (TV) (127.0.0.1:${box.station.port})`);
const entries = () => (imported() ? services.list(imported()?.reference as ServiceReference)?.entries : undefined);
const names = () => entries()?.map(({ name }) => name);
const edit = (change: (all: ServiceReference[]) => readonly ServiceReference[]) =>
  services.change((lists) => {
    const bouquet = lists.bouquet(imported()?.file ?? '');
    bouquet?.replace(change(bouquet.entries.map(({ reference }) => reference)));
  });

it('imports the bouquets without streams, and knows their services without storing them', async () => {
  await open([box.spec()]);
  expect(names()).toEqual(['News', 'One', 'Two']);
  expect(services.find(ServiceReference.parse(two as string))?.name).toBe('Two');
  expect(services.hasOwn(service)).toBe(false);
  expect(services.size).toBe(0);
  expect(pool.receivers(service)).toHaveLength(2);
});

it('says what is received from each box, and why one cannot be used', async () => {
  await open([box.spec(), other.spec()]);
  const source = box.spec();
  const known = { name: `127.0.0.1:${box.station.port}`, source, model: 'duo', tunerCount: 2, serviceCount: 2 };
  expect(boxes.list()[0]).toEqual({ ...known, state: 'idle', reason: '', needsLogin: false, streams: [] });
  const lease = await pool.tune(service, 'stream', '192.0.2.20');
  const users = [{ purpose: 'stream', user: '192.0.2.20' }];
  expect(boxes.list()[0]).toMatchObject({ state: 'receiving', streams: [{ reference: { name: 'One' }, users }] });
  expect(boxes.list()[1]).toMatchObject({ state: 'idle', streams: [] });
  lease.release();
  expect(boxes.list()[0]).toMatchObject({ state: 'idle', streams: [] });
  await close();
  box.login = 'root:secret';
  await open([box.spec()]);
  const reason = 'it refuses the login; enter user and password on the page, Receiver, Tuners, or in enigma2.logins';
  expect(boxes.list()).toMatchObject([{ state: 'missing', reason, needsLogin: true, model: '', serviceCount: 2 }]);
});

it('notices that a box has gone while somebody looks at the list', async () => {
  await open([box.spec()]);
  expect(boxes.list()).toMatchObject([{ state: 'idle' }]);
  await box.station.stop();
  await until(() =>
    expect(boxes.list()).toMatchObject([{ state: 'missing', reason: expect.stringContaining('is it switched on?') }]),
  );
});

it('reports at once that a box is gone or back when its stream is, even if nobody is looking', async () => {
  const seen: string[] = [];
  await open([box.spec()]);
  boxes.onChange(() => seen.push(...boxes.list().map(({ state }) => state)));
  boxes.list();
  const lease = await pool.tune(service, 'live', 'test');
  expect(seen.at(-1)).toBe('receiving');
  const { port } = box.station;
  await box.station.stop();
  await until(() => expect(seen.at(-1)).toBe('missing'));
  await box.start(port);
  await until(() => expect(seen.at(-1)).toBe('receiving'));
  lease.release();
  expect(seen.at(-1)).toBe('idle');
});

it('keeps what a user has changed when the box has changed too', async () => {
  await open([box.spec()]);
  const own = ServiceReference.parse('1:0:1:999:1:2:C00000:0:0:0::Own');
  await edit(([, first, second]) => [own, second as ServiceReference, (first as ServiceReference).withName('Mine')]);
  box.bouquets = [
    [
      favourites,
      'Favourites (TV)',
      [
        [one, 'One HD'],
        [three, 'Three'],
        [two, 'Two HD'],
      ],
    ],
  ];
  await boxes.refresh();
  expect(names()).toEqual(['Own', 'Two HD', 'Mine', 'Three']);
  box.bouquets = [
    [
      favourites,
      'Favourites (TV)',
      [
        [one, 'One HD'],
        [three, 'Three'],
      ],
    ],
  ];
  await close();
  await open([box.spec()]);
  expect(names()).toEqual(['Own', 'Mine', 'Three']);
});

it('follows the box where no user has changed anything, and leaves a removed bouquet away', async () => {
  await open([box.spec()]);
  box.bouquets = [
    [
      favourites,
      'Favourites (TV)',
      [
        [two, 'Zwei'],
        [one, 'One'],
      ],
    ],
  ];
  await boxes.refresh();
  expect(names()).toEqual(['Zwei', 'One']);
  const file = imported()?.file as string;
  await services.change((lists) => lists.removeBouquet(file));
  await boxes.refresh();
  await close();
  await open([box.spec()]);
  expect(names()).toBeUndefined();
  // Its services can still be received.
  (await pool.tune(service, 'live', 'test')).release();
});

it('removes a bouquet that the box has no longer, unless a user has changed it', async () => {
  const second = favourites.replace('favourites', 'second');
  const third = favourites.replace('favourites', 'third');
  box.bouquets = [...box.bouquets, [second, 'Second', [[one, 'One']]], [third, 'Third', [[one, 'One']]]];
  await open([box.spec()]);
  await edit(([, ...rest]) => rest);
  box.bouquets = box.bouquets.slice(2);
  await boxes.refresh();
  const host = `127.0.0.1:${box.station.port}`;
  expect(services.bouquets('tv').map(({ name }) => name)).toEqual([`Favourites (TV) (${host})`, `Third (${host})`]);
});

it('keeps bouquets of one name apart', async () => {
  box.bouquets = [...box.bouquets, [favourites.replace('favourites', 'second'), 'Favourites (TV)', [[three, 'Three']]]];
  await open([box.spec()]);
  const all = () =>
    services.bouquets('tv').map(({ reference }) => services.list(reference)?.entries.map((one) => one.name));
  const both = [['News', 'One', 'Two'], ['Three']];
  expect(all()).toEqual(both);
  await close();
  await open([box.spec()]);
  expect(all()).toEqual(both);
});

it('takes a bounded number of bouquets, also if their files would have the same name', async () => {
  box.bouquets = Array.from({ length: 1000 }, (_, n) => [
    favourites.replace('favourites', `n${n}`),
    String.fromCodePoint(0x4e00 + n),
    [[one, 'One']],
  ]);
  await open([box.spec()]);
  expect(services.bouquets('tv')).toHaveLength(500);
});

it('imports many bouquets in time slices', async () => {
  services = await Services.load(join(dataDir, 'lists'));
  const all = (name: string): readonly BoxBouquet[] =>
    Array.from({ length: 400 }, (_, n) => ({ reference: `${n}`, name: `${name}${n}`, kind: 'tv', entries: [] }));
  let stored: readonly StoredBouquet[] = [];
  for (const now of [all('First'), all('Second'), []]) {
    const yields = await yieldsOf(async () => {
      stored = await importBouquets(services, 'host', stored, now);
    });
    expect(yields).toBeGreaterThanOrEqual(200);
    expect(services.bouquets('tv')).toHaveLength(now.length);
  }
});

it('keeps everything while a box has no bouquets at all, as when it starts', async () => {
  await open([box.spec()]);
  box.bouquets = [];
  await boxes.refresh();
  expect(lines.join()).toContain('it has no bouquets now');
  expect(names()).toEqual(['News', 'One', 'Two']);
  (await pool.tune(service, 'live', 'test')).release();
});

it('does not import what the box has from another one, nor its last scan', async () => {
  const named = (file: string) => favourites.replace('favourites', file);
  box.bouquets = ['enigma2_attic_x', 'LastScanned'].map((file) => [named(file), file, [[one, 'One']]]);
  await open([box.spec()]);
  expect(services.bouquets('tv')).toEqual([]);
  await expect(pool.tune(service, 'live', 'test')).rejects.toMatchObject({ code: 'not-receivable' });
});

const refusals: Readonly<Record<string, Answer>> = {
  'a status': (_, response) => void response.writeHead(503).end(),
  'the end of the stream': (_, response) => void response.writeHead(200).end(),
};

it.each(Object.keys(refusals))(
  'asks the next box if one refuses by %s, and names both if that one does too',
  async (how) => {
    box.stream = refusals[how] as Answer;
    await open([box.spec(), other.spec()]);
    const lease = await pool.tune(service, 'live', 'test');
    expect(box.asked).toContain(`/${one}`);
    expect(other.asked).toContain(`/${one}`);
    expect(pool.receiving(service)?.broadcast.serviceId).toBe(service.serviceId);
    lease.release();
    await network.close();
    await close();
    other.stream = box.stream;
    await open([box.spec(), other.spec()]);
    const none = (port: number) => `Enigma2 box 127.0.0.1:${port}: none of its tuners is free`;
    await expect(pool.tune(service, 'live', 'test')).rejects.toMatchObject({
      code: 'tuners-busy',
      message: expect.stringContaining(`${none(box.station.port)}; ${none(other.station.port)}`),
    });
  },
);

/** A pool with a front end that receives both multiplexes, one at a time. */
function withFrontEnd(): void {
  const capture = join(dataDir, 'own.ts');
  const shape = { ...service, bitRate: 1_000_000, seconds: 2 };
  writeTransportStream(capture, { ...shape, services: [{ serviceId: service.serviceId, name: 'One' }] });
  const transponderOf = (id: number): Transponder => ({
    ...{ namespace: 0xeeee0000, originalNetworkId: 2, transportStreamId: id },
    parameters: { kind: 'terrestrial', frequency: 474_000_000 + id * 8_000_000 } as Transponder['parameters'],
  });
  pool = new TunerPool([], {
    ...{ linger: 0, others: boxes },
    transpondersOf: ({ transportStreamId }) => [transponderOf(transportStreamId)],
  });
  pool.add(new Tuner({ kind: 'file', path: capture, loop: true, paced: true }), {
    ...{ information: { name: 'own', systems: ['DVB-T'] }, trouble: '', ability: 1 },
    canReceive: () => true,
    orderFor: (transponder) => ({
      ...{ transponder, allSteps: [], changedSteps: [], endSteps: [], cable: '', lockTimeoutMs: 1000 },
    }),
    clashes: (_own, another) => another === pool.tuners[0]?.frontEnd,
  });
}

it('is asked after own tuners, but before anybody loses one', async () => {
  box.bouquets = [
    [
      favourites,
      'Favourites (TV)',
      [
        [one, 'One'],
        [far, 'Far'],
      ],
    ],
  ];
  await open([box.spec()]);
  withFrontEnd();
  const own = await pool.tune(service, 'live', 'somebody');
  expect(own.pooled.number).toBe(0);
  expect(box.asked).not.toContain(`/${one}`);
  const elsewhere = { ...service, transportStreamId: 7, serviceId: 0x201 };
  const lease = await pool.tune(elsewhere, 'timer', 'more important');
  expect(lease.pooled.number).toBe(-1);
  expect(own.lost).toBeUndefined();
  lease.release();
  box.stream = refusals['a status'] as Answer;
  // Until the stream of the first lease is closed, it is shared.
  await untilTrue(() =>
    pool.tune(elsewhere, 'timer', 'more important').then(
      (shared) => shared.release(),
      () => true,
    ),
  );
  expect(own.lost).toContain("was given to 'more important'");
});

it('zaps with a box that has one tuner, unless others use it too', async () => {
  let viewers = 0;
  const live = box.stream;
  box.stream = (request, response) => {
    if (viewers > 0) return void response.writeHead(503).end();
    viewers++;
    response.on('close', () => viewers--);
    live(request, response);
  };
  await open([box.spec()]);
  const first = await pool.tune(service, 'live', 'screen');
  const next = { ...service, serviceId: 0x102 };
  const recording = await pool.tune(service, 'recording', 'timer');
  await expect(pool.tune(next, 'live', 'screen', { instead: first })).rejects.toMatchObject({ code: 'tuners-busy' });
  expect(first.lost).toBeUndefined();
  recording.release();
  const second = await pool.tune(next, 'live', 'screen', { instead: first });
  expect([first.lost !== undefined, second.lost]).toEqual([true, undefined]);
  second.release();
});

it('is not used for another receiver', async () => {
  await open([box.spec()]);
  await expect(pool.tune(service, 'stream', 'test', { isForReceiver: true })).rejects.toMatchObject({
    code: 'not-receivable',
  });
  expect(box.asked).not.toContain(`/${one}`);
});

it('wakes a box from standby only if that is allowed', async () => {
  box.standby = true;
  await open([box.spec()]);
  (await pool.tune(service, 'live', 'test')).release();
  expect(box.standby).toBe(true);
  await close();
  await open([box.spec(',wake=yes')]);
  (await pool.tune(service, 'live', 'test')).release();
  expect(box.standby).toBe(false);
});

it('uses another login at once', async () => {
  box.login = 'root:secret';
  await open([box.spec(), other.spec()]);
  await until(() =>
    expect(boxes.list()).toMatchObject([{ state: 'missing', needsLogin: true }, { needsLogin: false }]),
  );
  const asked = other.asked.length;
  boxes.setLogins([]);
  boxes.setLogins([{ host: '127.0.0.1', user: 'root', password: 'secret' }]);
  await until(() => expect(boxes.list()).toMatchObject([{ state: 'idle', needsLogin: false, reason: '' }, {}]));
  expect(names()).toEqual(['News', 'One', 'Two']);
  expect(other.asked.length).toBeGreaterThan(asked);
  (await pool.tune(service, 'live', 'test')).release();
});

it('notices that a box requires a login when it is only asked what it is', async () => {
  box.login = 'root:secret';
  const { iptv, stream } = loadConfiguration({ flags: { iptv: { allow: ['127.0.0.1'] } } });
  const ask = (password: string) =>
    findBox(parseEnigma2Spec(box.spec()), {
      ...{ iptv, stream },
      enigma2: { logins: [{ host: '127.0.0.1', user: 'root', password }] },
    });
  expect(await ask('wrong')).toMatchObject({
    needsLogin: true,
    trouble: expect.stringContaining('it refuses the login'),
  });
  expect(await ask('secret')).toEqual({ name: 'duo', tuners: 2, needsLogin: false, trouble: '' });
  await open([]);
});

it('logs in, and shows the password nowhere', async () => {
  box.login = 'root:s3cret/@';
  await open([box.spec()]);
  expect(lines.join()).toContain(
    'it refuses the login; enter user and password on the page, Receiver, Tuners, or in enigma2.logins',
  );
  await close();
  await open([box.spec()], [{ host: '127.0.0.1', user: 'root', password: 's3cret/@' }]);
  expect(names()).toEqual(['News', 'One', 'Two']);
  box.stream = (_, response) => void response.writeHead(500).end();
  const refused = await pool.tune(service, 'live', 'test').catch((error: Error) => error);
  expect(box.station.requests.at(-1)?.headers.authorization).toBe(`Basic ${btoa(box.login)}`);
  expect(`${refused} ${lines.join()} ${readFileSync(join(dataDir, 'enigma2.json'))}`).not.toContain('s3cret');
});

it('takes the guide of the services of its bouquets', async () => {
  const start = Math.floor(Date.now() / 1000);
  const event = (reference: string, title: string, more = '') =>
    `<e2event><e2eventstart>${start}</e2eventstart><e2eventduration>3600</e2eventduration><e2eventtitle>${title}` +
    `</e2eventtitle><e2eventservicereference>${reference}</e2eventservicereference>${more}</e2event>\n`;
  box.events = [
    event(one as string, 'Ships &amp; Harbours', '<e2eventdescription>Episode 3</e2eventdescription>'),
    event(two as string, 'None'),
    event('1:0:1:777:1:2:C00000:0:0:0:', 'Of another service'),
    event(two as string, 'Damaged <b'),
    event(two as string, 'Late', '<e2eventgenre id="35">documentary</e2eventgenre>'),
  ].join('');
  await open([box.spec()]);
  await boxes.refresh();
  const known = await guide.nowNext(
    [service, { ...service, serviceId: 0x102 }, { ...service, serviceId: 0x777 }],
    start,
  );
  expect(known[0]?.now).toMatchObject({ title: 'Ships & Harbours', shortText: 'Episode 3', start });
  expect(known[1]?.now).toMatchObject({ title: 'Late' });
  expect(known[2]?.now).toBeNull();
});

it('survives answers that are none, and a damaged file of what it knew', async () => {
  writeFileSync(join(dataDir, 'enigma2.json'), '{"x": 1}');
  box.bouquets = [[favourites, '<', []]];
  await open([box.spec(), other.spec()]);
  expect(lines.join()).toContain('its answer is not that of an Enigma2 box');
  expect(services.bouquets('tv')).toHaveLength(1);
  await until(async () => (await pool.tune(service, 'live', 'test')).release());
});
