/** The announcement of the SAT>IP server, on the loopback interface and private ports. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseSsdp, type SsdpMessage, satipServer, searchServers } from '../../src/dvb/satip/ssdp.ts';
import { SsdpAnnouncer } from '../../src/satip-server/announcer.ts';
import { IdentityFile } from '../../src/satip-server/identity.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { untilTrue } from '../fixtures/waits.ts';

/** Another machine: it receives the messages to the multicast group. */
let other: Socket;
let heard: { readonly message: SsdpMessage; readonly from: RemoteInfo }[];
let path: string;
let announcer: SsdpAnnouncer;
let port: number;

const bound = async (socket: Socket) => {
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
};

async function start(): Promise<IdentityFile> {
  const identity = new IdentityFile(path);
  await identity.change({ bootId: identity.current.bootId + 1 });
  const probe = createSocket('udp4');
  port = await bound(probe);
  probe.close();
  announcer = new SsdpAnnouncer(
    {
      identity,
      location: (address) => `http://${address}:8080/satip/desc.xml`,
      isAllowed: (address) => address === '127.0.0.1',
      product: 'Linux/1.0 UPnP/1.1 receiverd/1.0',
      port,
      target: { address: '127.0.0.1', port: other.address().port },
      interfaces: () => ['127.0.0.1'],
    },
    pino({ level: 'silent' }),
  );
  await announcer.start();
  return identity;
}

beforeEach(async () => {
  path = join(temporaryFolder(), 'satip.json');
  heard = [];
  other = createSocket('udp4', (bytes, from) => {
    const message = parseSsdp(bytes);
    if (message) heard.push({ message, from });
  });
  await bound(other);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await announcer.stop();
  other.close();
});

const headerValues = (name: string) => heard.map(({ message }) => message.headers.get(name));
const send = (lines: readonly string[]) => other.send(`${lines.join('\r\n')}\r\n\r\n`, port, '127.0.0.1');

it('announces its start and its end', async () => {
  const { current } = await start();
  await untilTrue(() => heard.length === 3);
  const uuid = `uuid:${current.uuid}`;
  expect(headerValues('nt')).toEqual(['upnp:rootdevice', uuid, satipServer]);
  expect(headerValues('usn')).toEqual([`${uuid}::upnp:rootdevice`, uuid, `${uuid}::${satipServer}`]);
  expect(new Set(headerValues('nts'))).toEqual(new Set(['ssdp:alive']));
  expect(headerValues('location')[2]).toBe('http://127.0.0.1:8080/satip/desc.xml');
  expect(headerValues('deviceid.ses.com')[2]).toBe('1');
  expect(headerValues('bootid.upnp.org')[2]).toBe('1');
  await announcer.stop();
  await untilTrue(() => heard.length === 6);
  expect(headerValues('nts').slice(3)).toEqual(['ssdp:byebye', 'ssdp:byebye', 'ssdp:byebye']);
  expect((await start()).current).toEqual({ ...current, bootId: 2 });
});

it('answers searches, but only from allowed addresses', async () => {
  const { current } = await start();
  await untilTrue(() => heard.length === 3);
  const target = { address: '127.0.0.1', port };
  const found = [];
  for await (const server of searchServers({ target, interfaces: ['127.0.0.1'] })) {
    found.push(server);
    break;
  }
  expect(found).toEqual([
    {
      usn: `uuid:${current.uuid}::${satipServer}`,
      location: 'http://127.0.0.1:8080/satip/desc.xml',
      address: '127.0.0.1',
    },
  ]);
  heard.length = 0;
  send(['M-SEARCH * HTTP/1.1', 'MAN: "ssdp:discover"', 'ST: urn:other']);
  send(['M-SEARCH * HTTP/1.1', `ST: ${satipServer}`]);
  send(['nonsense']);
  send(['M-SEARCH * HTTP/1.1', 'MAN: "ssdp:discover"', 'ST: ssdp:all']);
  await untilTrue(() => heard.length === 3);
  expect(new Set(headerValues('st'))).toEqual(new Set(['upnp:rootdevice', `uuid:${current.uuid}`, satipServer]));
});

const claim = ['MAN: "ssdp:discover"', `ST: ${satipServer}`, 'DEVICEID.SES.COM: 1'];

it('takes another DEVICEID if an older server has the same', async () => {
  const identity = await start();
  await untilTrue(() => heard.length === 3);
  send(['M-SEARCH * HTTP/1.1', ...claim]);
  await untilTrue(() => heard.length === 10);
  expect(heard[3]?.message.kind).toBe('reply');
  expect(headerValues('deviceid.ses.com').slice(3)).toEqual(['1', '1', '1', '1', '2', '2', '2']);
  expect(headerValues('nts').slice(4)).toEqual([...Array(3).fill('ssdp:byebye'), ...Array(3).fill('ssdp:alive')]);
  expect(new IdentityFile(path).current).toEqual({ ...identity.current, deviceId: 2 });
});

it('ignores objections after a maximum number', async () => {
  const identity = await start();
  const claims = () => [1, 2, 3, 4, 5].map((n) => identity.current.deviceId + n - 1);
  await untilTrue(() => {
    for (const id of claims())
      send(['M-SEARCH * HTTP/1.1', 'MAN: "ssdp:discover"', 'ST: urn:other', `DEVICEID.SES.COM: ${id}`]);
    return identity.current.deviceId === 17;
  });
  // It answers again in the next second: searches are limited per second.
  await untilTrue(() => {
    send(['M-SEARCH * HTTP/1.1', 'MAN: "ssdp:discover"', `ST: ${satipServer}`, 'DEVICEID.SES.COM: 17']);
    return heard.some(({ message }) => message.kind === 'reply');
  });
  expect(identity.current.deviceId).toBe(17);
});

it('keeps its DEVICEID after the claim period, and objects to newer servers', async () => {
  const identity = await start();
  await untilTrue(() => heard.length === 3);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 20_000);
  const alive = ['NTS: ssdp:alive', `NT: ${satipServer}`, `USN: uuid:other::${satipServer}`];
  send(['NOTIFY * HTTP/1.1', ...alive, 'DEVICEID.SES.COM: 2']);
  send(['NOTIFY * HTTP/1.1', ...alive, 'DEVICEID.SES.COM: 1']);
  await untilTrue(() => heard.length === 4);
  expect(heard[3]?.message.kind).toBe('search');
  expect(headerValues('deviceid.ses.com')[3]).toBe('1');
  send(['M-SEARCH * HTTP/1.1', ...claim]);
  await untilTrue(() => heard.length === 5);
  expect(heard[4]?.message.kind).toBe('reply');
  expect(identity.current.deviceId).toBe(1);
});
