/** The quirks of SAT>IP servers, by their names. */
import { describe, expect, it } from 'vitest';
import { quirksOf } from '../../../src/dvb/satip/quirks.ts';

describe('quirks', () => {
  const of = (manufacturer: string, model: string, name = '') => quirksOf({ manufacturer, model, name });

  it('are the defaults for most servers', () => {
    expect(of('Maker', 'One', 'Box')).toMatchObject({
      passesAll: true,
      mayAdd: true,
      mostPids: 32,
      setupPids: '0',
      tearsDown: false,
      pilotAlways: false,
    });
  });

  it.each([
    ['AVM Berlin', 'FRITZ!Box 6490 Cable', '', { mayAdd: false, setupPids: '0,21', tearsDown: false }],
    ['AVM Berlin', 'FRITZ!WLAN Repeater DVB-C', '', { mayAdd: false, tearsDown: true, assumesLock: true }],
    ['', '', 'fritzdvbc', { passesAll: false, tearsDown: true }],
    ['Triax', 'TSS400', 'Triax SatIP Converter', { mostPids: 64, pilotAlways: true, trimsSession: true }],
    ['KATHREIN', 'EXIP-4124', '', { mostPids: 64, rollOffAlways: true, trimsSession: false }],
    ['', '', 'Multibox-0A1B2C:SAT>IP', { pilotAlways: true, mostPids: 32 }],
    ['cata', 'minisatip', 'minisatip', { mostPids: 128 }],
    ['TVHeadend Team', 'TVHeadend SAT>IP', '', { mostPids: 128 }],
    ['', '', 'Schwaiger Sat>IP Server', { assumesLock: true, mayAdd: true }],
  ])('%s %s %s', (manufacturer, model, name, quirks) => {
    expect(of(manufacturer, model, name)).toMatchObject(quirks);
  });
});
