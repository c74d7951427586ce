/** Finding SAT>IP servers, on the loopback interface. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type FoundServer,
  listenForServers,
  parseSsdp,
  satipServer,
  searchServers,
} from '../../../src/dvb/satip/ssdp.ts';
import { untilTrue } from '../../fixtures/waits.ts';

/** Milliseconds that no passing test waits for. */
const ever = 1_000_000;
const host = '127.0.0.1';

const text = (start: string, headers: Readonly<Record<string, string>>) =>
  `${start}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const reply = (usn: string, others: Readonly<Record<string, string>> = {}) =>
  text('HTTP/1.1 200 OK', { ST: satipServer, LOCATION: `http://${host}:8875/desc.xml`, USN: usn, ...others });
const notify = (nts: string, usn: string, others: Readonly<Record<string, string>> = {}) =>
  text('NOTIFY * HTTP/1.1', { NT: satipServer, NTS: nts, LOCATION: `http://${host}/desc.xml`, USN: usn, ...others });

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A socket that answers each message with the given replies. */
async function server(answer: (message: Buffer, from: RemoteInfo) => readonly string[]): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    for (const one of answer(message, from)) socket.send(one, from.port, from.address);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  ends.push(() => socket.close());
  return socket;
}

function search(of: Socket, durationMs = ever, signal?: AbortSignal) {
  const target = { address: host, port: of.address().port };
  return searchServers({ target, interfaces: [host], durationMs, ...(signal === undefined ? {} : { signal }) });
}

async function first(servers: AsyncIterable<FoundServer>, count: number): Promise<readonly FoundServer[]> {
  const found: FoundServer[] = [];
  for await (const one of servers) {
    found.push(one);
    if (found.length === count) break;
  }
  return found;
}

describe('a message', () => {
  it('has headers, whatever their case and spaces', () => {
    const message = parseSsdp(
      Buffer.from('NOTIFY * HTTP/1.1\r\nNt:a:b\nusn :  c \r\nnt: d\r\nrubbish\r\n: e\r\n\r\nst: f'),
    );
    expect(message).toEqual({
      kind: 'notify',
      headers: new Map([
        ['nt', 'a:b'],
        ['usn', 'c'],
      ]),
    });
    expect(parseSsdp(Buffer.from('M-SEARCH * HTTP/1.1\r\n'))?.kind).toBe('search');
    expect(parseSsdp(Buffer.from('HTTP/1.0 200'))?.kind).toBe('reply');
  });

  it.each(['', 'HTTP/1.1 404 Not Found\r\n\r\n', 'HTTP/1.1 2000', 'GET / HTTP/1.1', 'NOTIFY * HTTP/1.1\0'])(
    'is not %j',
    (one) => {
      expect(parseSsdp(Buffer.from(one))).toBeUndefined();
    },
  );

  it('has at most 4096 bytes', () => {
    expect(parseSsdp(Buffer.from('HTTP/1.1 200 OK\r\na:'.padEnd(4096, 'b')))).toBeDefined();
    expect(parseSsdp(Buffer.from('HTTP/1.1 200 OK\r\na:'.padEnd(4097, 'b')))).toBeUndefined();
  });

  it('property: any bytes are parsed or ignored', () => {
    const bytes = fc.uint8Array({ maxLength: 5000 });
    fc.assert(fc.property(bytes, (rest) => void parseSsdp(Buffer.from(rest))));
    fc.assert(
      fc.property(bytes, (rest) => {
        const message = parseSsdp(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n'), rest]));
        expect(message === undefined).toBe(rest.length > 4096 - 17);
      }),
    );
  });
});

describe('a search', () => {
  it('sends the request that servers expect, and yields the servers that answer', async () => {
    const questions: string[] = [];
    const one = await server((question) => {
      questions.push(question.toString());
      return [reply('uuid:a')];
    });
    expect(await first(search(one), 1)).toEqual([
      { usn: 'uuid:a', location: 'http://127.0.0.1:8875/desc.xml', address: host },
    ]);
    expect(questions[0]).toBe(
      `M-SEARCH * HTTP/1.1\r\nHOST: 127.0.0.1:${one.address().port}\r\nMAN: "ssdp:discover"\r\nMX: 2\r\nST: ${satipServer}\r\n\r\n`,
    );
  });

  it('asks three times, and yields each server once', async () => {
    let asked = 0;
    const one = await server(() => {
      asked++;
      return asked < 3 ? [reply('uuid:a'), reply('uuid:a')] : [reply('uuid:b')];
    });
    expect((await first(search(one), 2)).map(({ usn }) => usn)).toEqual(['uuid:a', 'uuid:b']);
  });

  it('ignores replies about other hosts and other devices', async () => {
    const one = await server(() => [
      reply('uuid:1', { LOCATION: 'http://192.0.2.1/desc.xml' }),
      reply('uuid:2', { LOCATION: 'http://localhost/desc.xml' }),
      reply('uuid:3', { LOCATION: `https://${host}/desc.xml` }),
      reply('uuid:4', { LOCATION: `http://${host}@192.0.2.1/` }),
      reply('uuid:5', { LOCATION: 'desc.xml' }),
      reply('uuid:6', { ST: 'upnp:rootdevice' }),
      reply(''),
      notify('ssdp:alive', 'uuid:7'),
      'rubbish',
      reply('uuid:8'),
    ]);
    expect(await first(search(one), 1)).toMatchObject([{ usn: 'uuid:8' }]);
  });

  it('ends after its duration', async () => {
    const one = await server(() => []);
    expect(await first(search(one, 1), 1)).toEqual([]);
  });

  it('can be aborted', async () => {
    const ending = new AbortController();
    const one = await server(() => {
      ending.abort();
      return [];
    });
    await expect(first(search(one, ever, ending.signal), 1)).rejects.toThrow('aborted');
    await expect(first(search(one, ever, AbortSignal.abort()), 1)).rejects.toThrow('aborted');
  });

  it('continues without interfaces that do not exist', async () => {
    const one = await server(() => [reply('uuid:a')]);
    const target = { address: host, port: one.address().port };
    const servers = searchServers({ target, interfaces: ['192.0.2.254', host], durationMs: ever });
    expect(await first(servers, 1)).toHaveLength(1);
  });
});

describe('listening', () => {
  it('reports servers that announce themselves', async () => {
    const heard: unknown[] = [];
    const listener = await listenForServers((alive) => heard.push(alive), { port: 0, interfaces: () => [host] });
    ends.push(listener.stop);
    const one = await server(() => []);
    const say = (message: string) => one.send(message, listener.port, host);
    say('rubbish');
    say(reply('uuid:0'));
    say(notify('ssdp:alive', 'uuid:1', { NT: 'upnp:rootdevice' }));
    say(notify('ssdp:byebye', 'uuid:2', { NT: 'upnp:rootdevice' }));
    say(notify('ssdp:alive', 'uuid:3', { LOCATION: 'http://192.0.2.1/' }));
    say(notify('ssdp:update', 'uuid:4'));
    say(notify('ssdp:byebye', 'uuid:5'));
    say(notify('ssdp:alive', 'uuid:5'));
    await untilTrue(() => heard.length > 0);
    expect(heard).toEqual([{ usn: 'uuid:5', location: 'http://127.0.0.1/desc.xml', address: host }]);
  });

  it('shares its port', async () => {
    const options = { interfaces: () => [host] };
    const quiet = () => undefined;
    const one = await listenForServers(quiet, { port: 0, ...options });
    ends.push(one.stop);
    const other = await listenForServers(quiet, { port: one.port, ...options });
    ends.push(other.stop);
    expect(other.port).toBe(one.port);
  });

  it('fails if its port cannot be bound', async () => {
    const one = await server(() => []);
    const listening = listenForServers(() => undefined, { port: one.address().port });
    await expect(listening).rejects.toThrow('EADDRINUSE');
  });
});
