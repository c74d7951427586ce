/** The state of the tuners. */
import { expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha } from '../receiver.ts';
import { all, api, at, leaves, names, web } from '../reply.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

it('shows each tuner with its state, its users and its signal', async () => {
  const [first] = receiver.tuners;
  if (first === undefined) throw new Error('no tuner');
  const service = ServiceReference.parse(alpha);
  const users = [
    { purpose: 'recording', user: 'Ships & Harbours', service },
    { purpose: 'guide', user: 'guide', service: undefined },
  ] as const;
  const condition = { state: 'lost', reason: 'no lock within 5 s', ageSeconds: 3 } as const;
  receiver.tuners = [
    { ...first, users },
    {
      ...first,
      name: 'Tuner B',
      source: 'dvb:1',
      signal: undefined,
      losses: undefined,
      condition,
      tunedTo: '',
      users: [],
    },
  ];
  expect(await api(receiver, 'tunerstatus')).toEqual({
    tuners: [
      {
        number: 0,
        name: 'Tuner A',
        source: 'dvb:0',
        model: 'Demo',
        type: 'DVB-S2',
        state: 'locked',
        reason: '',
        age: 12.5,
        transponder: '11836 MHz H',
        signal: {
          locked: true,
          snr: 80,
          snr_db: 12.5,
          agc: 70,
          strength_dbm: null,
          ber: 0,
          bit_error_rate: 0,
          uncorrected: 3,
        },
        losses: { continuity_errors: 2, overflows: 0, network_lost: 5, network_reordered: 1 },
        users: [
          { purpose: 'recording', user: 'Ships & Harbours', servicereference: alpha, servicename: 'Alpha HD' },
          { purpose: 'guide', user: 'guide', servicereference: '', servicename: '' },
        ],
      },
      {
        number: 1,
        name: 'Tuner B',
        source: 'dvb:1',
        model: 'Demo',
        type: 'DVB-S2',
        state: 'lost',
        reason: 'no lock within 5 s',
        age: 3,
        transponder: '',
        signal: null,
        losses: null,
        users: [],
      },
    ],
    result: true,
  });
  const document = await web(receiver, 'tunerstatus');
  const [tuner] = all(document, 'e2tuner');
  if (tuner === undefined) throw new Error('no e2tuner');
  expect([document.name, names(document)]).toEqual(['e2tunerstatus', ['e2tuner', 'e2tuner']]);
  expect(leaves(at(tuner, 'e2frontendstatus'))).toEqual([
    ['e2snrdb', '12.5 dB'],
    ['e2snr', '80 %'],
    ['e2ber', '0'],
    ['e2acg', '70 %'],
  ]);
  expect(leaves(at(tuner, 'e2losses'))).toEqual([
    ['e2continuityerrors', '2'],
    ['e2overflows', '0'],
    ['e2networklost', '5'],
    ['e2networkreordered', '1'],
  ]);
  expect(leaves(at(tuner, 'e2user'))).toEqual([
    ['e2purpose', 'recording'],
    ['e2username', 'Ships & Harbours'],
    ['e2servicereference', alpha],
    ['e2servicename', 'Alpha HD'],
  ]);
});
