/** The URLs of IPTV services, and the hosts that they may lead to. */
import { describe, expect, it } from 'vitest';
import { addressMatcher } from '../../src/base/ip-prefixes.ts';
import { streamAddress } from '../../src/iptv/address.ts';
import { StreamGuard } from '../../src/iptv/guard.ts';
import { ServiceReference } from '../../src/services/reference.ts';

const addressOf = (url: string, type = 4097) =>
  streamAddress(ServiceReference.parse(`${type}:0:1:1:2:3:4:0:0:0:${url.replaceAll(':', '%3a')}:Name`));
const web = (url: string, headers: Readonly<Record<string, string>> = {}) => ({ kind: 'web', url, headers });
const multicast = (group: string, port: number, sender = '') => ({ kind: 'multicast', group, port, sender });

describe('the address of a stream', () => {
  it.each([
    ['http://tv.example/a.ts', web('http://tv.example/a.ts')],
    ['https://u:p@tv.example:8443/live?token=a&b=c', web('https://u:p@tv.example:8443/live?token=a&b=c')],
    ['http://tv.example/a b.ts', web('http://tv.example/a%20b.ts')],
    [
      'http://tv.example/a#User-Agent=VLC%252F3 x&Referer=http%253A%252F%252Fr.example%252F',
      web('http://tv.example/a', { 'user-agent': 'VLC/3 x', referer: 'http://r.example/' }),
    ],
    [
      'http://tv.example/a|user-agent=My+TV&!X-Key=7',
      web('http://tv.example/a', { 'user-agent': 'My+TV', 'x-key': '7' }),
    ],
    ['http://tv.example/a#Host=inner&Connection=x&X-Receiverd=y&A b=c&D=é', web('http://tv.example/a')],
    ['udp://@239.1.1.1:1234', multicast('239.1.1.1', 1234)],
    ['rtp://239.1.1.1:1234/', multicast('239.1.1.1', 1234)],
    ['rtp://192.0.2.1@232.1.1.1:5000?pkt_size=1316', multicast('232.1.1.1', 5000, '192.0.2.1')],
    ['udp://@[ff15::1]:5000', multicast('ff15::1', 5000)],
    ['udp://@:5000', multicast('0.0.0.0', 5000)],
  ])('%s', (url, address) => {
    expect(addressOf(url)).toEqual(address);
    expect(addressOf(url, 1)).toEqual(address);
  });

  it.each([
    'file:///etc/passwd',
    'rtmp://tv.example/a',
    'rtsp://tv.example/a',
    'http://',
    'udp://@239.1.1.1',
    'udp://@239.1.1.1:0',
    'udp://@239.1.1.1:65536',
    'udp://@tv.example:1234',
    'rtp://tv.example@232.1.1.1:1',
  ])('is none of %s', (url) => {
    expect(addressOf(url)).toBeUndefined();
  });
});

describe('a stream may', () => {
  const guard = (allow: readonly string[] = []) =>
    new StreamGuard({
      allowed: addressMatcher(allow),
      isOwn: (address, port) => port === 8001 && address === '192.168.1.2',
    });

  it.each([
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    '100.64.0.1',
    '224.0.0.1',
    '64:ff9b::7f00:1',
    '255.255.255.255',
    '198.18.0.1',
    '::7f00:1',
    '2002:7f00:1::',
  ])('not come from %s unless that is allowed', (address) => {
    expect(() => guard().admit([address], 80)).toThrow(/is refused unless iptv\.allow contains it/);
    const allow = address.startsWith('::ffff:') ? '127.0.0.1' : address;
    expect(guard([allow]).admit([address], 80)).toEqual([address]);
  });

  it('come from the local network, and redirect within it', () => {
    const one = guard();
    for (const address of ['192.168.1.9', '10.0.0.1', '203.0.113.9', 'fd00::1']) {
      expect(one.admit([address], 80)).toEqual([address]);
    }
  });

  it('not lead from the internet into the local network', () => {
    const one = guard(['127.0.0.0/8']);
    expect(one.admit(['203.0.113.9', '2001:db8::1'], 80)).toEqual(['203.0.113.9', '2001:db8::1']);
    for (const address of ['192.168.1.9', '127.0.0.1', 'fd00::1']) {
      expect(() => one.admit([address], 80)).toThrow('it leads from the internet into the local network');
    }
    expect(one.admit(['192.168.1.9', '198.51.100.1'], 80)).toEqual(['198.51.100.1']);
  });

  it('not lead back to this receiver', () => {
    for (const address of ['192.168.1.2', '::ffff:192.168.1.2', '::ffff:c0a8:102']) {
      expect(() => guard(['0.0.0.0/0']).admit([address], 8001)).toThrow('it leads back to this receiver');
    }
    expect(guard().admit(['192.168.1.2'], 8000)).toEqual(['192.168.1.2']);
  });

  it('not come from a host without addresses', () => {
    expect(() => guard().admit([], 80)).toThrow('the host has no address');
  });
});
