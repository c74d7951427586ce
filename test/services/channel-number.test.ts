import { describe, expect, it } from 'vitest';
import { lineupOf } from '../../src/hdhomerun/lineup.ts';
import { entryNumber, splitNumber } from '../../src/services/channel-number.ts';
import { Lamedb } from '../../src/services/lamedb.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { type ServiceEntry, shownNumber } from '../../src/services/service-list.ts';

const atsc = { originalNetworkId: 0, sourceId: 3 };

describe('the channel number of ATSC', () => {
  it('stands before the name in lamedb, as boxes write it', () => {
    expect(splitNumber(atsc, '10-1 KULX')).toEqual(['10.1', 'KULX']);
    expect(splitNumber(atsc, '1029 Cable')).toEqual(['1029', 'Cable']);
    expect(splitNumber({ ...atsc, sourceId: 0 }, '10-1 KULX')).toEqual(['10.1', 'KULX']);
  });

  it('is no part of any other name', () => {
    for (const name of ['KULX', '10-1', '10-1-2 X', '-1 X', '10-1 '])
      expect(splitNumber(atsc, name)).toEqual(['', name]);
    expect(splitNumber({ ...atsc, sourceId: 0 }, '13 Kids')).toEqual(['', '13 Kids']);
    expect(splitNumber({ originalNetworkId: 1, sourceId: 3 }, '10-1 KULX')).toEqual(['', '10-1 KULX']);
  });

  it('of ISDB is an entry of its own, unless it is damaged', () => {
    expect(entryNumber(['m:1', 'n:011'])).toBe('011');
    expect(['n:', 'n:x', 'n:1.2.3', 'N:5', 'n:1 2'].map((one) => entryNumber([one]))).toEqual(['', '', '', '', '']);
  });

  it('is read from the list of a box', () => {
    const list = Lamedb.parse(
      Buffer.from(
        'eDVB services /4/\ntransponders\neeee0000:1fe1:0000\n\ta 195028615:2:6:0:0\n/\nend\nservices\n0003:eeee0000:1fe1:0000:1:0:1\n10-1 KULX\np:\nend\n',
      ),
    );
    expect([...list.records()].map(({ name, channel, reference }) => [name, channel, reference.format()])).toEqual([
      ['KULX', '10.1', '1:0:1:3:1FE1:0:EEEE0000:0:0:1:'],
    ]);
  });

  it('replaces the place in the bouquet, unless two services have it', async () => {
    const entry = (sourceId: number, number: number, channel?: string): ServiceEntry => ({
      reference: ServiceReference.parse(`1:0:1:${sourceId}:1FE1:0:EEEE0000:0:0:${sourceId}:`),
      ...{ name: 'N', provider: '', pos: number, running: number, number },
      ...(channel !== undefined && { channel }),
    });
    const entries = [entry(1, 1, '10.1'), entry(2, 2), entry(3, 3, '10.1')];
    expect(entries.map(shownNumber)).toEqual(['10.1', '2', '10.1']);
    const bouquet = {
      reference: ServiceReference.bouquet('a'),
      name: 'A',
      file: 'a',
      kind: 'tv',
      hidden: false,
    } as const;
    const lineup = await lineupOf([{ ...bouquet, startpos: 0, entries }]);
    expect(lineup.map(({ number }) => number)).toEqual(['10.1', '2', '3']);
  });
});
