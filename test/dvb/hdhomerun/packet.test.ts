import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReceiverError } from '../../../src/base/errors.ts';
import {
  formatPacket,
  maxPacketBytes,
  numberOf,
  packetType,
  parsePacket,
  tag,
  textOf,
  textValue,
} from '../../../src/dvb/hdhomerun/packet.ts';

const search = Buffer.from('0002000c0104ffffffff0204ffffffff73cc7d8f', 'hex');

describe('packets', () => {
  it('reads and writes the search that hdhomerun_config sends', () => {
    const { type, values } = parsePacket(search);
    expect(type).toBe(packetType.discoverRequest);
    expect([...values].map(([name, value]) => [name, numberOf(value)])).toEqual([
      [tag.deviceType, 0xffffffff],
      [tag.deviceId, 0xffffffff],
    ]);
    const written = formatPacket(packetType.discoverRequest, [
      [tag.deviceType, 0xffffffff],
      [tag.deviceId, 0xffffffff],
    ]);
    expect(written).toEqual(search);
  });

  it('reads what it writes, with lengths of one byte and of two', () => {
    const values = fc.uniqueArray(fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 300 })), {
      selector: ([name]) => name,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.nat(0xffff), values, (type, tagged) => {
        const written = formatPacket(
          type,
          tagged.map(([name, value]) => [name, Buffer.from(value)] as const),
        );
        expect(parsePacket(written)).toEqual({
          type,
          values: new Map(tagged.map(([name, value]) => [name, Buffer.from(value)])),
        });
      }),
    );
  });

  it('ends texts with NUL, and reads them without', () => {
    expect(textOf(textValue('/sys/model'))).toBe('/sys/model');
    expect(textOf(Buffer.from('a\0b'))).toBe('a');
    expect(textOf(undefined)).toBeUndefined();
  });

  it('refuses any damage', () => {
    const refusal = (bytes: Uint8Array) => {
      try {
        parsePacket(Buffer.from(bytes));
        return undefined;
      } catch (error) {
        return (error as ReceiverError).code;
      }
    };
    for (let bit = 0; bit < search.length * 8; bit++) {
      const damaged = Buffer.from(search);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(refusal(damaged)).toBe('parameter-invalid');
    }
    for (let length = 0; length < search.length; length++)
      expect(refusal(search.subarray(0, length))).toBe('parameter-invalid');
    expect(refusal(formatPacket(4, [[tag.value, Buffer.alloc(maxPacketBytes)]]))).toBe('parameter-invalid');
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => refusal(bytes) === 'parameter-invalid'));
  });

  it('refuses a tag that says it is longer than the packet', () => {
    const cut = Buffer.concat([search.subarray(0, 4), Buffer.from([tag.name, 0xc8, 0x01, 65])]);
    cut.writeUInt16BE(4, 2);
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(crc32(cut));
    expect(() => parsePacket(Buffer.concat([cut, crc]))).toThrow('ends within a tag');
  });
});
