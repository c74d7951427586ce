import { expect, it } from 'vitest';
import { ReceptionLog } from '../../src/dvb/reception-log.ts';
import { automaticBut } from '../../src/dvb/transponder.ts';

it('logs a reason once, until the tuner receives or has another reason', () => {
  const lines: string[] = [];
  const add = (text: string) => void lines.push(text);
  const log = new ReceptionLog({ info: add, warn: add, error: add });
  const parameters = automaticBut('terrestrial', { frequency: 474e6 });
  const tuned = { namespace: 0, transportStreamId: 1, originalNetworkId: 1, parameters };
  const tuner = (letter: string) => ({ name: `Tuner ${letter}`, source: 'satip:box', tuned });
  const [a, b] = [tuner('A'), tuner('B')];
  log.found(a);
  for (let time = 0; time < 3; time++) {
    log.lost(a, 'warn', 'no answer');
    log.lost({ ...a, tuned: undefined }, 'error', 'no answer');
    log.lost(b, 'warn', 'no answer');
  }
  log.lost(a, 'warn', 'no signal');
  log.found(a);
  log.found(a);
  log.lost(a, 'warn', 'no signal');
  expect(lines).toEqual([
    'Tuner A (satip:box) at 474 MHz: no answer',
    'Tuner A (satip:box): no answer',
    'Tuner B (satip:box) at 474 MHz: no answer',
    'Tuner A (satip:box) at 474 MHz: no signal',
    'Tuner A (satip:box) receives again',
    'Tuner A (satip:box) at 474 MHz: no signal',
  ]);
});
