/** The quirks of SAT>IP servers, by their names. */
import { describe, expect, it } from 'vitest';
import { quirksOf } from '../../../src/dvb/satip/quirks.ts';

describe('quirks', () => {
  const of = (manufacturer: string, model: string, name = '') => quirksOf({ manufacturer, model, name });

  it('are the defaults for most servers', () => {
    expect(of('Maker', 'One', 'Box')).toMatchObject({
      supportsAllPids: true,
      supportsAddPids: true,
      maxPids: 32,
      setupPids: '0',
      needsNewSession: false,
      pilotAlways: false,
    });
  });

  it.each([
    ['AVM Berlin', 'FRITZ!Box 6490 Cable', '', { supportsAddPids: false, setupPids: '0,21', needsNewSession: false }],
    [
      'AVM Berlin',
      'FRITZ!WLAN Repeater DVB-C',
      '',
      { supportsAddPids: false, needsNewSession: true, assumesLock: true },
    ],
    ['', '', 'fritzdvbc', { supportsAllPids: false, needsNewSession: true }],
    ['Triax', 'TSS400', 'Triax SatIP Converter', { maxPids: 64, pilotAlways: true, trimsSession: true }],
    ['KATHREIN', 'EXIP-4124', '', { maxPids: 64, rollOffAlways: true, trimsSession: false }],
    ['', '', 'Multibox-0A1B2C:SAT>IP', { pilotAlways: true, maxPids: 32 }],
    ['cata', 'minisatip', 'minisatip', { maxPids: 128 }],
    ['TVHeadend Team', 'TVHeadend SAT>IP', '', { maxPids: 128 }],
    ['', '', 'Schwaiger Sat>IP Server', { assumesLock: true, supportsAddPids: true }],
  ])('%s %s %s', (manufacturer, model, name, quirks) => {
    expect(of(manufacturer, model, name)).toMatchObject(quirks);
  });
});
