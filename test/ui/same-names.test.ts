import { describe, expect, it } from 'vitest';
import { differences } from '../../src/ui/shared/same-names.ts';

const listed = (...channels: readonly (readonly [name: string, reference: string])[]) => [
  ...differences(channels.map(([name, reference], index) => ({ name, reference, number: `${index + 1}` }))).values(),
];

describe('channels of one name', () => {
  it('are told apart by no more than is needed', () => {
    const hd = '1:0:19:1:1:1:C00000:0:0:0:';
    expect(listed(['One', hd], ['One', '1:0:1:2:1:1:C00000:0:0:0:'])).toEqual(['HD', 'SD']);
    expect(listed(['One', hd], ['ONE', '1:0:19:1:1:1:820000:0:0:0:'])).toEqual(['19.2° E', '13.0° E']);
    expect(listed(['One', hd], ['One', '1:0:19:2:1:1:C00000:0:0:0:'])).toEqual(['1', '2']);
    expect(listed(['One', hd], ['One', '1:0:1:1:1:1:FFFF0000:0:0:0:'], ['One', '1:0:1:1:1:1:EEEE0000:0:0:0:'])).toEqual(
      ['HD · 19.2° E', 'SD · DVB-C', 'SD · DVB-T'],
    );
    expect(listed(['One', hd], ['One', '4097:0:19:1:1:1:0:0:0:0:http%3a//example.org/one:One'])).toEqual([
      '19.2° E',
      'IPTV',
    ]);
  });

  it('have nothing added if no other channel has the name', () => {
    expect(listed(['One', '1:0:19:1:1:1:C00000:0:0:0:'], ['Two', '1:0:19:2:1:1:C00000:0:0:0:'])).toEqual([]);
  });
});
