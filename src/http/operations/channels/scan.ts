/** Setting up reception: how a dish is connected, and scans of the network. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { positionOf } from '../../../base/orbital-position.ts';
import { equipments } from '../../../dvb/satellite/nim-setup.ts';
import { placeOf, placeText } from '../../../scan/first-setup.ts';
import type { ScanProgress } from '../../../scan/network-scan.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { choice, integer, Parameter, type Range, refused, text } from '../../middleware/parameters.ts';
import { done } from '../../middleware/simple-result.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { each, element, leaf, leaves, rows } from '../../write/xml.ts';

const Counts = {
  tv: field(12, 'television in standard definition'),
  hd: 30,
  uhd: 2,
  radio: 8,
  data: 1,
  scrambled: field(4, 'encrypted; counted above as well'),
};

const ScanRecord = recordSchema({
  state: sampled(oneOf(['idle', 'scanning', 'done', 'stopped', 'failed']), 'done'),
  trouble: field('', 'why the scan failed, or why the previous transponder was not received'),
  transponder: field('11836 MHz H', 'the transponder being received'),
  number: field(17, 'its number, from 1'),
  of: field(17, 'transponders known so far; grows while the network announces more'),
  received: field(15, 'transponders with a signal'),
  tuner: sampled(
    nullable(Type.Integer({ description: 'number of the tuner that receives it; null until there is a signal' })),
    0,
  ),
  ...Counts,
  added: field(53, 'services that are new in the lists; 0 until the scan is done'),
  renamed: field(1, 'services with a new name; 0 until the scan is done'),
  vanished: field(
    ['Old News'],
    'services that are no longer broadcast; they stay in the lists; empty until the scan is done',
  ),
  result: true,
});
type ScanRecord = Type.Static<typeof ScanRecord>;

const scanstatus = operation({
  name: 'scanstatus',
  summary: 'The state of the running or the last scan.',
  description:
    '/api/events pushes each step as `scan`. With its parameters `signal` and `tuner` it also pushes the signal of the tuner.',
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
    const { transponder, number, of, received, found, trouble, tuner } = progress ?? noProgress;
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

const noProgress: ScanProgress = {
  transponder: '',
  number: 0,
  of: 0,
  received: 0,
  found: { tv: 0, hd: 0, uhd: 0, radio: 0, data: 0, scrambled: 0 },
  trouble: '',
  tuner: undefined,
};

const scanstart = operation({
  name: 'scanstart',
  summary: 'Starts a scan of the network, which runs in the background.',
  description:
    'It uses tuners that have no more important user, and also scans transponders that the network announces. When it is done, it adds the services that it has found to the lists; it removes none. ' +
    'scanstatus shows the progress.',
  parameters: {
    table: text(
      'transponders to begin with: the name of a table in scantables; absent = the transponders in the lists that a front end can receive or, if there are none, the channels used in Europe',
      { example: 'dvb-s/Astra-19.2E' },
    ),
  },
  exampleMessage: 'The scan has started',
  async run({ scans }, { table }) {
    await scans.start(table || undefined);
    return done('The scan has started');
  },
});

const scanstop = operation({
  name: 'scanstop',
  summary: 'Stops the scan; the lists stay unchanged.',
  exampleMessage: 'The scan is being stopped',
  run({ scans }) {
    if (scans.status.state !== 'scanning') throw fail('no-scan');
    void scans.stop();
    return done('The scan is being stopped');
  },
});

const Table = recordSchema({
  name: 'dvb-s/Astra-19.2E',
  kind: oneOf(['satellite', 'terrestrial', 'cable', 'atsc']),
  position: sampled(nullable(Type.Integer({ description: 'of satellites: tenths of a degree east' })), 192),
  country: field('', 'ISO 3166 code in lower case; empty if the name does not begin with one'),
});

const Tables = recordSchema({
  tables: Type.Array(Table),
  problems: sampled(
    Type.Array(Type.String(), { description: 'files that exist but cannot be read, with the reason' }),
    [],
  ),
  result: true,
});

const scantables = operation({
  name: 'scantables',
  summary: 'The tables of transponders with which a scan can begin.',
  description:
    'From the folders in the setting `scanTables`: dtv-scan-tables, and files such as satellites.xml. Also the service lists that operators broadcast on a satellite, ' +
    'as fast-scan/NAME: each has all services of the operator, and scanning it takes seconds.',
  result: Tables,
  xml: element<Type.Static<typeof Tables>>(
    'e2scantables',
    rows(({ tables }) => tables, 'e2scantable', { e2name: 'name', e2kind: 'kind', e2country: 'country' }),
  ),
  async run({ scans }) {
    const { tables: found, problems } = await scans.tables();
    const tables = found.map(({ name, kind, position = null, country }) => ({ name, kind, position, country }));
    return { tables, problems: [...problems], result: true };
  },
});

const Guess = recordSchema({
  place: field('de, 19.2E', 'value for the parameter `place` of setup'),
  country: field('de', 'ISO 3166 code in lower case; empty if no front end receives terrestrial or cable'),
  satellites: field([192], 'tenths of a degree east'),
  result: true,
});

const setupguess = operation({
  name: 'setupguess',
  summary: 'Guesses the country and the satellites of this receiver from its time zone.',
  description: 'Contains only what the front ends can receive; everything is empty without a working front end.',
  result: Guess,
  xml: element('e2setupguess', leaves<Type.Static<typeof Guess>>({ e2place: 'place' })),
  async run({ scans, config }) {
    const { country, satellites } = await scans.guess(config.timeZone);
    return { place: placeText({ country, satellites }), country, satellites: [...satellites], result: true };
  },
});

const setup = operation({
  name: 'setup',
  summary: 'Sets up the tuners for a place, and starts a scan.',
  description:
    'A tuner without settings for its dish is assumed to be connected directly or, with several satellites, through a DiSEqC switch in that order; use tunersetup ' +
    'for anything else. scanstatus shows the progress of the scan.',
  parameters: {
    place: text('a country for an aerial or a cable, satellites for a dish, or both', {
      example: ['de', '19.2E', 'de, 19.2E'],
    }).required(),
  },
  exampleMessage: 'The scan has started',
  async run({ scans }, { place }) {
    await scans.setUp(placeOf(place));
    return done('The scan has started');
  },
});

const decimalNumber = (description: string, { minimum, maximum, example }: Range & { readonly example: number }) =>
  new Parameter<number | undefined>(
    description,
    Type.Number({ minimum, maximum, examples: [example] }),
    (given = '', name) => {
      if (given === '') return undefined;
      const value = /^[+-]?\d{1,4}(\.\d{1,6})?$/.test(given.trim()) ? Number(given) : Number.NaN;
      if (!(value >= minimum && value <= maximum)) throw refused(name, given, `a number from ${minimum} to ${maximum}`);
      return value;
    },
  );

const satelliteList = new Parameter<readonly number[]>(
  'orbital positions such as `19.2E`, separated by commas, in the order of the switch inputs',
  Type.String({ examples: ['19.2E,13.0E'] }),
  (given = '', name) => {
    const words = given.split(',').flatMap((one) => one.trim() || []);
    return words.map((word) => {
      const position = positionOf(word);
      if (position === undefined) throw fail('parameter-invalid', name, `contains '${word}', which is not like 19.2E`);
      return position;
    });
  },
);

const tunersetup = operation({
  name: 'tunersetup',
  summary: 'Sets how the dish is connected to a tuner.',
  description: 'Replaces the Enigma2 settings of this tuner (`config.Nims`).',
  parameters: {
    tuner: integer('number of the tuner in tunerstatus', { minimum: 0, maximum: 255, example: 0 }).required(),
    equipment: choice(
      'equipment between dish and tuner; absent = direct, or diseqc for several satellites',
      equipments,
    ),
    satellites: satelliteList,
    longitude: decimalNumber('longitude of a rotor, degrees east', { minimum: -180, maximum: 180, example: 13.4 }),
    latitude: decimalNumber('latitude of a rotor, degrees north', { minimum: -90, maximum: 90, example: 52.5 }),
    band: integer('user band of this tuner on a cable shared by several tuners, from 1', {
      minimum: 1,
      maximum: 32,
      example: 1,
    }),
    frequency: integer('centre frequency of the user band in MHz', { minimum: 950, maximum: 2150, example: 1210 }),
    cable: integer('number of the first tuner on the same cable', { minimum: 0, maximum: 255, example: 0 }),
  },
  exampleMessage: 'Tuner A receives 19.2° E',
  async run({ tuners }, { tuner, satellites, frequency, cable, ...given }) {
    const equipment = given.equipment ?? (satellites.length > 1 ? 'diseqc' : 'direct');
    const message = await tuners.connect(tuner, { ...given, equipment, satellites, bandFrequency: frequency }, cable);
    return done(message);
  },
});

export const scanOperations = group(
  'device',
  [setupguess, setup, scantables, scanstart, scanstop, scanstatus, tunersetup],
  'admin',
);
