/** The announcement on a real network: the loopback interface, which only this test uses. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import packet, { type Answer, type Packet } from 'dns-packet';
import openMulticast, { type MulticastDNS } from 'multicast-dns';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLoopback, reachableAddresses } from '../../src/base/network-addresses.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import { Announcer, type AnnouncerOptions } from '../../src/discovery/announcer.ts';
import { announcerOf } from '../../src/discovery/discovery.ts';
import { announcedRecords, answersTo, instanceLabel } from '../../src/discovery/records.ts';
import { receiversIn, searchReceivers } from '../../src/discovery/search.ts';
import { until } from '../fixtures/waits.ts';

const services = [
  { type: '_http._tcp', port: 8080, text: ['path=/'] },
  { type: '_e2stream._tcp', port: 8001 },
];
const living = { name: 'Living room', host: 'box-receiverd', services };
const addresses = ['127.0.0.1', '2001:db8::1'];
const log = pino({ level: 'silent' });

describe('records', () => {
  const records = announcedRecords({ ...living, addresses });
  const said = (type: string, name: string) => answersTo(records, { type, name }).answers.map(dataOf);

  it('lead from a service type to the addresses', () => {
    expect(said('PTR', '_HTTP._tcp.local')).toEqual(['Living room._http._tcp.local']);
    expect(said('SRV', 'Living room._e2stream._tcp.local')).toEqual([
      { port: 8001, target: 'box-receiverd.local', priority: 0, weight: 0 },
    ]);
    expect(said('TXT', 'Living room._http._tcp.local')).toEqual([['path=/']]);
    expect(said('A', 'box-receiverd.local')).toEqual(['127.0.0.1']);
    expect(said('AAAA', 'box-receiverd.local')).toEqual(['2001:db8::1']);
    expect(said('PTR', '_services._dns-sd._udp.local')).toEqual(['_http._tcp.local', '_e2stream._tcp.local']);
    expect(said('PTR', '_ipp._tcp.local')).toEqual([]);
  });

  it('are accompanied by those that will be queried next', () => {
    const { additionals } = answersTo(records, { type: 'PTR', name: '_http._tcp.local' });
    expect(additionals.map(({ type }) => type).sort()).toEqual(['A', 'AAAA', 'SRV', 'TXT']);
  });

  it.each([
    ['Living room', 1, 'Living room'],
    ['Living room', 2, 'Living room (2)'],
    ['box.example', 1, 'box-example'],
    ['  ', 1, 'receiverd'],
    ['ü'.repeat(60), 10, `${'ü'.repeat(29)} (10)`],
  ])('name %s with number %d as %s', (name, number, label) => {
    expect(instanceLabel(name, number)).toBe(label);
    expect(Buffer.byteLength(instanceLabel(name, number))).toBeLessThan(64);
  });
});

describe('receivers in the network', () => {
  const streams = '_e2stream._tcp.local';
  const srv = (name: string, port: number, target = 'box.local') =>
    ({ type: 'SRV', name, data: { target, port } }) as Answer;
  const address = { type: 'A', name: 'box.local', data: '192.0.2.9' } as Answer;

  it('are those that announce streams and have an address; a box without a web port has port 80', () => {
    const box = { name: 'duo', address: '192.0.2.9', webPort: 80, streamPort: 8001 };
    const records = [srv(`duo.${streams}`, 8001), srv(`x.${streams}`, 1, 'none.local'), srv('duo._ipp._tcp.local', 9)];
    expect(receiversIn([address, ...records, ...records])).toEqual([box]);
    // The web server of another machine with the same name.
    const other = srv('duo._http._tcp.local', 8080, 'other.local');
    expect(receiversIn([other, address, ...records])).toEqual([box]);
  });

  it('are left out with a port that is none, and are named without control characters', () => {
    const site = srv('none._http._tcp.local', 0);
    const records = [
      address,
      srv(`x.${streams}`, 0),
      site,
      srv(`none.${streams}`, 8001),
      srv(`\x1b[2Jduo.${streams}`, 8002),
    ];
    expect(receiversIn(records).map(({ name }) => name)).toEqual(['[2Jduo']);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 500 }, (_, n) => srv(`duo ${n}.${streams}`, n + 1));
    expect(receiversIn([address, ...many])).toHaveLength(32);
  });
});

describe('addresses', () => {
  it('are those that other machines can reach', () => {
    expect(['127.0.0.1', '::1', 'localhost', '127.1.2.3'].every(isLoopback)).toBe(true);
    expect(['::', '0.0.0.0', '192.0.2.1'].some(isLoopback)).toBe(false);
    expect(reachableAddresses('192.0.2.1')).toEqual(['192.0.2.1']);
    expect(reachableAddresses('0.0.0.0').filter((address) => address.includes(':'))).toEqual([]);
    expect(reachableAddresses('::')).not.toContain('::1');
  });
});

describe('the configuration', () => {
  const announced = (flags: Parameters<typeof loadConfiguration>[0]) =>
    announcerOf(loadConfiguration({ environment: {}, ...flags }), { http: 8080, stream: 8001 }, log);

  it('announces the receiver unless discovery is off or only this machine can reach it', () => {
    expect(announced({})).toBeInstanceOf(Announcer);
    expect(announced({ flags: { bind: '192.0.2.1' } })).toBeInstanceOf(Announcer);
    expect(announced({ flags: { discovery: false } })).toBeUndefined();
    expect(announced({ flags: { bind: '127.0.0.1' } })).toBeUndefined();
  });
});

const loopback = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .some(({ address }) => address === '127.0.0.1');

describe.skipIf(!loopback)('on the network', () => {
  let port: number;
  let app: MulticastDNS;
  const announcers: Announcer[] = [];

  beforeEach(async () => {
    const socket = createSocket('udp4');
    socket.bind(0);
    await once(socket, 'listening');
    port = socket.address().port;
    socket.close();
    app = openMulticast({ interface: '127.0.0.1', bind: '0.0.0.0', port });
    await new Promise<void>((resolve) => app.once('ready', resolve));
  });
  afterEach(async () => {
    await Promise.all(announcers.splice(0).map((one) => one.stop()));
    await new Promise<void>((resolve) => app.destroy(() => resolve()));
  });

  function announce(options: Partial<AnnouncerOptions> = {}): Announcer {
    const announcer = new Announcer(
      { ...living, addresses: () => addresses, network: '127.0.0.1', port, ...options },
      log,
    );
    announcers.push(announcer);
    announcer.start();
    return announcer;
  }

  /** The next response with a wanted record and no unwanted one. */
  function heard(
    wanted: (record: Answer) => boolean,
    unwanted: (record: Answer) => boolean = () => false,
  ): Promise<readonly Answer[]> {
    return new Promise((resolve) => {
      const hear = ({ answers, additionals }: Packet) => {
        const records = [...(answers ?? []), ...(additionals ?? [])];
        if (!records.some(wanted) || records.some(unwanted)) return;
        app.off('response', hear);
        resolve(records);
      };
      app.on('response', hear);
    });
  }
  const pointsTo = (instance: string) => (record: Answer) => record.type === 'PTR' && record.data === instance;

  it('is found by another receiver, with its web port and the port of its streams', async () => {
    await announce().announced();
    await until(async () =>
      expect(await searchReceivers({ interface: '127.0.0.1', port })).toEqual([
        { name: 'Living room', address: '127.0.0.1', webPort: 8080, streamPort: 8001 },
      ]),
    );
  });

  it('announces itself, answers queries, and says goodbye', async () => {
    const first = heard(pointsTo('Living room._http._tcp.local'));
    const announcer = announce();
    expect(announcer.name).toBe('');
    const said = await first;
    expect(said.map(({ type }) => type)).toEqual(expect.arrayContaining(['PTR', 'SRV', 'TXT', 'A', 'AAAA']));
    await announcer.announced();
    expect(announcer.name).toBe('Living room');

    // A resolver without multicast queries from any port and gets the answer there.
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.setMulticastInterface('127.0.0.1');
    const question = { type: 'PTR', name: '_e2stream._tcp.local' } as const;
    socket.send(packet.encode({ type: 'query', id: 4711, questions: [question] }), port, '224.0.0.251');
    const [bytes] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    const reply = packet.decode(bytes);
    expect([reply.id, reply.answers?.map(dataOf)]).toEqual([4711, ['Living room._e2stream._tcp.local']]);
    const additionals = reply.additionals ?? [];
    expect(additionals.find(({ type }) => type === 'SRV')).toMatchObject({
      data: { port: 8001, target: 'box-receiverd.local' },
    });
    expect(additionals.find(({ type }) => type === 'A')).toMatchObject({ data: '127.0.0.1' });
    for (const record of additionals) expect('ttl' in record && record.ttl).toBe(10);

    const goodbye = heard((record) => pointsTo('Living room._e2stream._tcp.local')(record) && lifeOf(record) === 0);
    await announcer.stop();
    expect((await goodbye).every((record) => lifeOf(record) === 0)).toBe(true);
    await announcer.stop();
  });

  it('answers a multicast query once the last announcement is a second old', async () => {
    const announcer = announce();
    await announcer.announced();
    const answer = heard(pointsTo('Living room._http._tcp.local'), pointsTo('Living room._e2stream._tcp.local'));
    const asking = setInterval(() => app.query('_http._tcp.local', 'PTR'), 100);
    const records = await answer;
    clearInterval(asking);
    expect(records.map(({ type }) => type).sort()).toEqual(['A', 'AAAA', 'PTR', 'SRV', 'TXT']);
  });

  it('finds different names when several receivers start at the same time', async () => {
    const all = [announce(), announce({ host: 'other-receiverd' }), announce({ host: 'third-receiverd' })];
    await until(() =>
      expect(all.map(({ name }) => name).sort()).toEqual(['Living room', 'Living room (2)', 'Living room (3)']),
    );
  });

  it('takes another name if there is a receiver with the same name', async () => {
    await announce().announced();
    // Its host name sorts first, so that it also yields if it receives the other's announcement late.
    const other = announce({ host: 'another-receiverd' });
    await until(() => expect(other.name).toBe('Living room (2)'));
  });

  it('can be stopped while it probes for its name', async () => {
    const announcer = announce();
    await announcer.stop();
    expect(announcer.name).toBe('');
  });
});

function dataOf(record: Answer): unknown {
  if (record.type === 'TXT') return [record.data].flat().map(String);
  return 'data' in record ? record.data : undefined;
}

function lifeOf(record: Answer): number | undefined {
  return 'ttl' in record ? record.ttl : undefined;
}
