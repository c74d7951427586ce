/** Setting up reception: how a dish is connected, and scans of the network. */
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import { positionOf } from '../../base/orbital-position.ts';
import { equipments } from '../../dvb/satellite/nim-setup.ts';
import { placeOf, placeText } from '../../scan/first-setup.ts';
import type { ScanProgress } from '../../scan/network-scan.ts';
import { action, area, operation } from '../endpoint/operation.ts';
import { Parameter, refused, text, whole, word } from '../middleware/parameters.ts';
import { done } from '../middleware/simple-result.ts';
import { field, nullable, oneOf, record, sampled } from '../write/record.ts';
import { each, element, leaf, leaves } from '../write/xml.ts';

const Counts = {
  tv: field(12, 'television in standard definition'),
  hd: 30,
  uhd: 2,
  radio: 8,
  data: 1,
  scrambled: field(4, 'encrypted; counted above as well'),
};

const ScanRecord = record({
  state: sampled(oneOf(['idle', 'scanning', 'done', 'stopped', 'failed']), 'done'),
  trouble: field('', 'why it failed, or why the transponder before was not received'),
  transponder: field('11836 MHz H', 'being received'),
  number: field(17, 'its number, from 1'),
  of: field(17, 'transponders known so far; grows with what the network names'),
  received: field(15, 'transponders with a signal'),
  tuner: sampled(nullable(Type.Integer({ description: 'which receives it; null until there is a signal' })), 0),
  ...Counts,
  added: field(53, 'services that are new in the lists; like the next two 0 until it is done'),
  renamed: 1,
  vanished: field(['Old News'], 'services that are no longer there; they stay in the lists'),
  result: true,
});
type ScanRecord = Type.Static<typeof ScanRecord>;

const scanstatus = operation({
  name: 'scanstatus',
  summary: 'The scan of the network that runs, or the last one.',
  description: 'Each step is pushed as `scan`. The signal of its tuner: `signal` and `tuner` of /api/events.',
  result: ScanRecord,
  xml: element<ScanRecord>(
    'e2scan',
    leaves({
      e2scanstate: 'state',
      e2scantrouble: 'trouble',
      e2transponder: 'transponder',
      e2scannumber: 'number',
      e2scanof: 'of',
      e2scanreceived: 'received',
      e2scantv: 'tv',
      e2scanhd: 'hd',
      e2scanuhd: 'uhd',
      e2scanradio: 'radio',
      e2scandata: 'data',
      e2scanscrambled: 'scrambled',
      e2scanadded: 'added',
      e2scanrenamed: 'renamed',
    }),
    each(
      ({ vanished }) => vanished,
      leaf('e2scanvanished', (name: string) => name),
    ),
  ),
  run({ scans: { status } }) {
    const { state, progress, changes } = status;
    const { transponder, number, of, received, found, trouble, tuner } = progress ?? nowhere;
    return {
      state,
      trouble: status.trouble || trouble,
      transponder,
      number,
      of,
      received,
      tuner: tuner?.number ?? null,
      ...(status.found ?? found),
      added: changes?.added ?? 0,
      renamed: changes?.renamed ?? 0,
      vanished: [...(changes?.vanished ?? [])],
      result: true,
    };
  },
});

const nowhere: ScanProgress = {
  transponder: '',
  number: 0,
  of: 0,
  received: 0,
  found: { tv: 0, hd: 0, uhd: 0, radio: 0, data: 0, scrambled: 0 },
  trouble: '',
  tuner: undefined,
};

const scanstart = action({
  name: 'scanstart',
  summary: 'Starts a scan of the network, which goes on by itself.',
  description:
    'It uses tuners that nobody needs more, follows what the network names, and at its end puts what it has found into the lists; it removes nothing. ' +
    'scanstatus tells how far it is.',
  parameters: {
    table: text(
      'where to begin: the name of a table in scantables; absent = the transponders of the lists that a front end receives, without these the channels of Europe',
    ),
  },
  exampleMessage: 'The scan has started',
  async run({ scans }, { table }) {
    await scans.start(table || undefined);
    return done('The scan has started');
  },
});

const scanstop = action({
  name: 'scanstop',
  summary: 'Stops the scan; the lists stay as they are.',
  exampleMessage: 'The scan is being stopped',
  run({ scans }) {
    if (scans.status.state !== 'scanning') throw fail('no-scan');
    void scans.stop();
    return done('The scan is being stopped');
  },
});

const Table = record({
  name: 'dvb-s/Astra-19.2E',
  kind: oneOf(['satellite', 'terrestrial', 'cable', 'atsc']),
  position: sampled(nullable(Type.Integer({ description: 'of satellites: tenths of a degree east' })), 192),
  country: field('', 'ISO 3166 code in small letters, where the name begins with one'),
});

const Tables = record({
  tables: Type.Array(Table),
  problems: sampled(
    Type.Array(Type.String(), { description: 'files that are there but cannot be read, with the reason' }),
    [],
  ),
  result: true,
});

const scantables = operation({
  name: 'scantables',
  summary: 'The tables of transponders on this machine with which a scan can begin.',
  description:
    'From the folders of scanTables in the configuration: dtv-scan-tables, and satellites.xml and the like. Also the lists that operators send on a satellite, ' +
    'fast-scan/NAME: each has all services of the operator, and is read within seconds.',
  result: Tables,
  xml: element<Type.Static<typeof Tables>>(
    'e2scantables',
    each(
      ({ tables }) => tables,
      element(
        'e2scantable',
        leaves<Type.Static<typeof Table>>({ e2name: 'name', e2kind: 'kind', e2country: 'country' }),
      ),
    ),
  ),
  async run({ scans }) {
    const { tables: found, problems } = await scans.tables();
    const tables = found.map(({ name, kind, position = null, country }) => ({ name, kind, position, country }));
    return { tables, problems: [...problems], result: true };
  },
});

const Guess = record({
  place: field('de, 19.2E', 'for setup'),
  country: field('de', 'ISO 3166 code in small letters; empty if there is neither aerial nor cable'),
  satellites: field([192], 'tenths of a degree east'),
  result: true,
});

const setupguess = operation({
  name: 'setupguess',
  summary: 'Where this receiver seems to be, by its time zone.',
  description: 'Only what its front ends can receive: without one that works all is empty.',
  result: Guess,
  xml: element('e2setupguess', leaves<Type.Static<typeof Guess>>({ e2place: 'place' })),
  async run({ scans, config }) {
    const { country, satellites } = await scans.guess(config.timeZone);
    return { place: placeText({ country, satellites }), country, satellites: [...satellites], result: true };
  },
});

const setup = action({
  name: 'setup',
  summary: 'Sets up the tuners for a place, and starts a scan.',
  description:
    'Dishes of which the settings say nothing count as connected directly or, with several satellites, through a DiSEqC switch in that order; tunersetup says ' +
    'something else. scanstatus tells how far the scan is.',
  parameters: {
    place: text(
      'a country for an aerial or a cable, satellites for a dish, or both',
      'de',
      '19.2E',
      'de, 19.2E',
    ).required(),
  },
  exampleMessage: 'The scan has started',
  async run({ scans }, { place }) {
    await scans.setUp(placeOf(place));
    return done('The scan has started');
  },
});

const decimals = (description: string, { minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  new Parameter<number | undefined>(description, Type.Number({ minimum, maximum }), (given = '', name) => {
    if (given === '') return undefined;
    const value = /^[+-]?\d{1,4}(\.\d{1,6})?$/.test(given.trim()) ? Number(given) : Number.NaN;
    if (!(value >= minimum && value <= maximum)) throw refused(name, given, `a number from ${minimum} to ${maximum}`);
    return value;
  });

const satelliteList = new Parameter<readonly number[]>(
  'orbital positions such as `19.2E`, separated by commas, in the order of the switch',
  Type.String({ examples: ['19.2E,13.0E'] }),
  (given = '', name) => {
    const words = given.split(',').flatMap((one) => one.trim() || []);
    return words.map((one) => {
      const position = positionOf(one);
      if (position === undefined) throw fail('parameter-invalid', name, `contains '${one}', which is not like 19.2E`);
      return position;
    });
  },
);

const tunersetup = action({
  name: 'tunersetup',
  summary: 'Says how the dish is connected to a tuner.',
  description: 'Written into the settings of Enigma2 (`config.Nims`), in place of what they said about this tuner.',
  parameters: {
    tuner: whole('number of the tuner in tunerstatus', { minimum: 0, maximum: 255 }).required(),
    equipment: word('what lies between; absent = direct, or diseqc for several satellites', equipments),
    satellites: satelliteList,
    longitude: decimals('where a rotor stands, degrees east', { minimum: -180, maximum: 180 }),
    latitude: decimals('degrees north', { minimum: -90, maximum: 90 }),
    band: whole('user band of this tuner on one cable for many, from 1', { minimum: 1, maximum: 32 }),
    frequency: whole('its middle in MHz', { minimum: 950, maximum: 2150 }),
    cable: whole('number of the first tuner on the same cable', { minimum: 0, maximum: 255 }),
  },
  exampleMessage: 'Tuner A receives 19.2° E',
  async run({ tuners }, { tuner, satellites, frequency, cable, ...given }) {
    const equipment = given.equipment ?? (satellites.length > 1 ? 'diseqc' : 'direct');
    const message = await tuners.connect(tuner, { ...given, equipment, satellites, bandFrequency: frequency }, cable);
    return done(message);
  },
});

export const scanOperations = area(
  'device',
  [setupguess, setup, scantables, scanstart, scanstop, scanstatus, tunersetup],
  'admin',
);
