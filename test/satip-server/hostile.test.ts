/**
 * Damaged requests of SAT>IP clients: parsed independently of the pieces, within the bounds, or refused by our error.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatReply,
  maxRequestBytes,
  parseTransport,
  type Received,
  RequestReader,
  RtspError,
  targetOf,
} from '../../src/satip-server/rtsp.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';

const setup = [
  'SETUP rtsp://192.0.2.1:554/?src=1&freq=11494&pol=h&msys=dvbs2&sr=22000&fec=23&pids=0 RTSP/1.0',
  'CSeq: 1',
  'Transport: RTP/AVP;multicast,RTP/AVP;unicast;client_port=5000-5001,RTP/AVP/TCP;interleaved=0-1',
  'User-Agent: vlc',
  '\r\n',
].join('\r\n');
const conversation = [
  setup,
  'PLAY rtsp://192.0.2.1/stream=1?addpids=100 RTSP/1.0\r\nCSeq: 2\r\nSession: 0a1b;timeout=60\r\n\r\n',
  '$\x01\0\x04abcd\r\n\r\n',
  'GET_PARAMETER * RTSP/1.0\nCSeq: 3\nContent-Length: 12\nContent-Type: text/parameters\n\nposition\r\n\r\n',
  'TEARDOWN rtsp://192.0.2.1/stream=1 RTSP/1.0\r\ncseq:4\r\nSession: 0a1b\r\n\r\n',
].join('');

describe('a damaged conversation', () => {
  it('may have a frame after an empty line', () => {
    const bytes = Buffer.from('\r\n$\x01\0\x04abcdOPTIONS * RTSP/1.0\r\n\r\n');
    expect(received(bytes, bytes.length).requests).toMatchObject(['frame', { method: 'OPTIONS' }]);
  });

  it('yields the same requests in any pieces, none of them too long', () => {
    fc.assert(
      fc.property(damaged(setup, conversation), fc.integer({ min: 1, max: 100 }), (bytes, piece) => {
        const whole = received(bytes, bytes.length);
        expect(received(bytes, piece)).toEqual(whole);
        for (const one of whole.requests) {
          if (one === 'frame') continue;
          const size = [...one.headers].join('').length + one.url.length;
          expect(size).toBeLessThanOrEqual(maxRequestBytes);
          expect([one.method, one.url, ...one.headers.keys()].join('')).not.toMatch(/\n/);
          const cseq = one.headers.get('cseq');
          expect(formatReply({ status: 200 }, cseq).split('\n\r\n')).toHaveLength(2);
        }
      }),
      damagedRuns,
    );
  });

  function received(bytes: Buffer, piece: number): { readonly requests: readonly Received[]; readonly end: unknown } {
    const reader = new RequestReader();
    const requests: Received[] = [];
    try {
      for (let at = 0; at < bytes.length; at += piece) {
        for (const one of reader.read(bytes.subarray(at, at + piece))) requests.push(one);
      }
      return { requests, end: undefined };
    } catch (error) {
      expect(error).toBeInstanceOf(RtspError);
      return { requests, end: (error as RtspError).reply };
    }
  }
});

describe('a damaged header or target', () => {
  const transports = [
    'RTP/AVP;unicast;client_port=5000-5001',
    'RTP/AVP/TCP;unicast;interleaved=0-1',
    'RTP/AVP/UDP;unicast;client_port=65534,RTP/AVP;multicast;destination=239.0.0.1;port=5000-5001;ttl=2',
  ];

  it('yields valid ports and channels, or is refused', () => {
    fc.assert(
      fc.property(damaged(...transports), (bytes) => {
        const transport = refusedOr(461, () => parseTransport(bytes.toString('latin1')));
        if (transport?.kind === 'tcp') expect(transport.channel).toBeLessThan(255);
        if (transport?.kind !== 'udp') return;
        for (const port of [transport.rtp, transport.rtcp]) expect(port > 0 && port < 65_536).toBe(true);
      }),
      damagedRuns,
    );
  });

  it('yields a stream and a query, or is refused', () => {
    fc.assert(
      fc.property(damaged('rtsp://192.0.2.1:554/stream=1?addpids=100', '/?freq=1&pids=0', 'stream=2', '*'), (bytes) => {
        const target = refusedOr(404, () => targetOf(bytes.toString('latin1')));
        if (target?.stream !== undefined) expect(target.stream).toBeLessThan(100_000);
      }),
      damagedRuns,
    );
  });

  function refusedOr<Result>(status: number, parse: () => Result): Result | undefined {
    try {
      return parse();
    } catch (error) {
      expect(error).toBeInstanceOf(RtspError);
      expect((error as RtspError).reply.status).toBe(status);
      return undefined;
    }
  }
});
