/** SAT>IP servers are found, and followed to a new address. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseServerSpec } from '../../../src/config/satip-server-spec.ts';
import type { SatipFrontEnd } from '../../../src/dvb/satip/front-end.ts';
import { SatipServers } from '../../../src/dvb/satip/servers.ts';
import { automaticBut } from '../../../src/dvb/transponder.ts';
import type { Tuner } from '../../../src/dvb/tuner.ts';
import { until } from '../../fixtures/waits.ts';

const satellite = (orbitalPosition: number) =>
  automaticBut('satellite', { frequency: 11_493_750, symbolRate: 22_000_000, system: 1, orbitalPosition });

/** The network: one server, which answers searches and serves its description. */
let capabilities = '';
let rtspPort = 0;
let answers = true;
/** Replaces the description of the server. */
let description: string | undefined;
/** Identity of this receiver's own server. */
let own = 'uuid:2';
const web = createServer((_, response) => {
  response.setHeader('X-SATIP-RTSP-Port', rtspPort);
  response.end(
    description ??
      `<root><device><friendlyName>Attic</friendlyName><UDN>uuid:1</UDN><satip:X_SATIPCAP xmlns:satip="urn:ses-com:satip">${capabilities}</satip:X_SATIPCAP></device></root>`,
  );
});
const udp = createSocket('udp4');
udp.on('message', (_, { address, port }) => {
  const { port: webPort } = web.address() as AddressInfo;
  const lines = ['HTTP/1.1 200 OK', 'ST: urn:ses-com:device:SatIPServer:1', 'USN: uuid:1'];
  if (answers)
    udp.send([...lines, `LOCATION: http://127.0.0.1:${webPort}/desc.xml`, '', ''].join('\r\n'), port, address);
});

const found: { readonly tuner: Tuner; readonly frontEnd: SatipFrontEnd }[] = [];
const logged: string[] = [];
let servers: SatipServers;

beforeEach(async () => {
  [capabilities, rtspPort, answers] = ['DVBS2-2,DVBC-1,DAB-1', 8554, true];
  found.length = logged.length = 0;
  if (web.listening) return;
  web.listen(0, '127.0.0.1');
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(udp, 'listening')]);
  web.unref();
  udp.unref();
});
afterEach(() => servers.stop());

function look(spec: string): Promise<void> {
  const target = { address: '127.0.0.1', port: udp.address().port };
  const log = (text: string) => void ((answers && isMissed(text)) || logged.push(text));
  servers = new SatipServers([parseServerSpec(spec)], {
    add: (tuner, frontEnd) => found.push({ tuner, frontEnd }),
    log: { info: log, warn: log },
    own: () => own,
    search: { target, interfaces: ['127.0.0.1'], durationMs: answers ? 2500 : 100 },
  });
  return search();
}

const isMissed = (why: string) => why.includes('no server answers') || why.includes('no description was found');

/** Searches until the server has answered: a search has an end, even if this machine is too slow to answer by then. */
async function search(): Promise<void> {
  if (!answers) return servers.look();
  await until(async () => {
    await servers.look();
    expect([...servers.troubles.values()].filter(isMissed)).toEqual([]);
  });
}

it.each([
  ['satip:*', 'satip:127.0.0.1'],
  ['satip:127.0.0.1,transport=tcp,satellites=13.0E+19.2E', 'satip:127.0.0.1'],
])('%s finds a server and its tuners', async (spec) => {
  await look(spec);
  expect(found.map(({ frontEnd }) => frontEnd.information)).toEqual([
    { name: 'Attic', systems: ['DVB-S', 'DVB-S2'] },
    { name: 'Attic', systems: ['DVB-S', 'DVB-S2'] },
    { name: 'Attic', systems: ['DVB-C'] },
  ]);
  const named = spec.includes('satellites');
  expect(found[0]?.tuner.spec).toMatchObject({ server: '127.0.0.1', transport: named ? 'tcp' : 'udp' });
  const order = found[0]?.frontEnd.orderFor(satellite(192));
  expect(order?.server).toBe('127.0.0.1:8554');
  expect(order?.queries).toEqual([expect.stringContaining(named ? 'src=2&' : 'src=1&')]);
  expect(found[0]?.frontEnd.canReceive(satellite(282))).toBe(!named);
  expect(found[2]?.frontEnd.canReceive(satellite(192))).toBe(false);
});

it('tuners follow their server to another port, and new ones are added', async () => {
  await look('satip:*');
  [rtspPort, capabilities] = [9554, 'DVBS2-2,DVBC-1,DAB-1,DVBT2-1'];
  await search();
  expect(found).toHaveLength(4);
  expect(found[0]?.frontEnd.orderFor(satellite(192)).server).toBe('127.0.0.1:9554');
  expect(logged.at(-1)).toBe('satip:127.0.0.1:8554: Attic is at 127.0.0.1:9554 now');
});

it('a server with an invalid description is reported, while the search continues', async () => {
  description = '<!DOCTYPE a><root/>';
  await look('satip:*');
  description = undefined;
  expect(found).toEqual([]);
  expect(logged).toEqual([expect.stringContaining('it has a document type')]);
});

it('the number of tuners of all servers together is bounded', async () => {
  capabilities = 'DVBT-64';
  await look('satip:*');
  capabilities = 'DVBT-64,DVBT-64';
  await search();
  expect(found).toHaveLength(64);
});

it("the receiver's own server is left out", async () => {
  own = 'uuid:1';
  await look('satip:*');
  await servers.stop();
  await look('satip:127.0.0.1');
  own = 'uuid:2';
  expect(found).toEqual([]);
  expect(logged.at(-1)).toBe('satip:127.0.0.1: that is this receiver');
});

it('a missing server is reported once, with a hint', async () => {
  answers = false;
  await look('satip:*');
  await servers.look();
  expect(logged).toEqual(['satip:*: no server answers; is it in the same network?']);
  await servers.stop();
  await look('satip:nowhere.invalid');
  expect(logged.at(-1)).toBe('satip:nowhere.invalid: there is no such host');
});

it('DVB-T and T2 are tried one after the other if the system is unknown', async () => {
  await look('satip:127.0.0.1:554,tuners=DVBT2-1+DVBT-1');
  const unknown = automaticBut('terrestrial', { frequency: 498e6, system: -1 });
  const systems = found.map(({ frontEnd }) =>
    frontEnd.orderFor(unknown).queries?.map((query) => /msys=(\w+)/.exec(query)?.[1]),
  );
  expect(systems).toEqual([['dvbt', 'dvbt2'], ['dvbt']]);
});

it('tuners named in the configuration need no description', async () => {
  answers = false;
  await look('satip:127.0.0.1:554,tuners=DVBT-2');
  expect(found).toHaveLength(2);
  expect(found[0]?.frontEnd.information.name).toBe('127.0.0.1');
});
