/** Bouquets, their contents, and reloading the files of the service lists. */
import * as Type from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import type { ServiceEntry } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, operation } from '../../endpoint/operation.ts';
import { boolean, bouquetReference, choice, type ParameterValues, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { piconPath } from '../../pictures/picons.ts';
import { exampleOf, field, recordSchema, sampled } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { each, either, element, type View } from '../../write/xml.ts';
import { findList, listedLeaves, listedService, picturedListState, serviceListView } from '../lists.ts';

const favourites = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet';

const Pair = Type.Unsafe<readonly [string, string]>({ type: 'array', items: { type: 'string' } });
const Pairs = Type.Array(Pair, { description: 'pairs of reference and name' });
const BouquetList = recordSchema({ bouquets: sampled(Pairs, [[favourites, 'Favourites (TV)']]), result: true });

const bouquets = operation({
  name: 'bouquets',
  summary: 'The bouquets of the television or radio root, without hidden ones.',
  parameters: { stype: choice('which root', ['tv', 'radio'], { wrong: 'first' }) },
  result: BouquetList,
  xml: serviceListView<Type.Static<typeof BouquetList>>(({ bouquets }) =>
    bouquets.map(([servicereference, servicename]) => ({ servicereference, servicename })),
  ),
  run({ services }, { stype }) {
    const found = services.bouquets(stype);
    return { bouquets: found.map(({ reference, name }) => [reference.format(), name] as const), result: true };
  },
});

const NumberedService = recordSchema({
  pos: field(1, 'position in the list; 0 for a marker'),
  startpos: Type.Optional(
    Type.Integer({ description: 'channel numbers used by the preceding bouquets; only in the list of a root' }),
  ),
  servicename: 'Alpha HD',
  servicereference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  program: Type.Optional(field(11110, 'service id')),
  picon: Type.Optional(Type.String({ description: 'path on this server' })),
  provider: Type.Optional(Type.String()),
  channel: Type.Optional(Type.String({ description: 'channel number of ATSC, such as 10.1 (JSON)' })),
});
type NumberedService = Type.Static<typeof NumberedService>;

/** Which optional fields a list includes for each service. */
interface FieldOptions {
  readonly picon: boolean;
  readonly provider: boolean;
  readonly withoutName: boolean;
  readonly program: boolean;
}

function numberedService(parts: ReceiverParts, entry: ServiceEntry, pos: number, shown: FieldOptions): NumberedService {
  const { reference, name, provider, startpos, channel } = entry;
  return {
    pos,
    ...(startpos === undefined ? {} : { startpos }),
    servicename: name,
    servicereference: (shown.withoutName ? reference.withoutName() : reference).format(),
    ...(shown.program ? { program: reference.serviceId } : {}),
    ...(shown.picon ? { picon: piconPath(parts, reference, name) } : {}),
    ...(shown.provider ? { provider } : {}),
    ...(channel === undefined ? {} : { channel }),
  };
}

const showParameters = {
  provider: boolean('include the provider of each service (JSON)', { wrong: false }),
  showproviders: boolean('same as `provider`', { wrong: false }),
  picon: boolean('include the path of each picon (JSON)', { wrong: false }),
  removenamefromsref: boolean('omit the name of a renamed entry from its reference', { wrong: false }),
};

function shownOf(values: ParameterValues<typeof showParameters>): FieldOptions {
  const { picon, provider, showproviders, removenamefromsref: withoutName } = values;
  return { picon, provider: provider || showproviders, withoutName, program: true };
}

const listFilters = {
  noiptv: boolean('omit network streams', { wrong: false }),
  showall: boolean('false: leave out markers and folders', { wrong: false }).or(true),
};

/** Returns a predicate: whether an entry passes these filters. */
function filterOf({ noiptv, showall }: ParameterValues<typeof listFilters>): (entry: ServiceEntry) => boolean {
  return ({ reference }) =>
    !(noiptv && (reference.isStream || reference.isMediaPlayer)) && (showall || reference.flags === 0);
}

/** Whether an entry is video on demand, recognised by `/movie/` in its URL (`http://host/movie/user/password/1.mkv`). */
function isVodFilm({ reference }: ServiceEntry): boolean {
  return (reference.isStream || reference.isMediaPlayer) && reference.path.includes('/movie/');
}

const ServiceList = recordSchema({
  result: true,
  processingtime: '0:00:00.000812',
  pos: field(1, 'the last number assigned'),
  services: Type.Array(NumberedService),
});

const getservices = operation({
  name: 'getservices',
  summary: 'The entries of a bouquet, a provider, a satellite or the bouquet root.',
  cacheState: picturedListState,
  parameters: {
    sRef: bouquetReference('the list; absent = the bouquets of the television root'),
    hidden: boolean('include hidden entries', { wrong: false }),
    ...showParameters,
    ...listFilters,
  },
  result: ServiceList,
  xml: serviceListView<Type.Static<typeof ServiceList>>(({ services }) => services),
  example: exampleOf(ServiceList, {
    services: [{ pos: 1, startpos: 0, servicename: 'Favourites (TV)', servicereference: favourites, program: 0 }],
  }),
  async run(parts, values) {
    const startMs = performance.now();
    const { services } = parts;
    const { sRef = '', hidden } = values;
    const list = await findList(services, sRef || services.root('tv').format(), { hidden });
    const shown = shownOf(values);
    const show = (entry: ServiceEntry) => numberedService(parts, entry, entry.pos, shown);
    return {
      result: true,
      processingtime: durationSince(startMs),
      pos: list?.lastPos ?? 0,
      services: lazily(list?.entries ?? [], show, filterOf(values)),
    };
  },
});

const Bouquet = recordSchema({
  servicereference: favourites,
  servicename: 'Favourites (TV)',
  subservices: Type.Unsafe<Iterable<NumberedService>>(Type.Array(NumberedService)),
});
type Bouquet = Type.Static<typeof Bouquet>;

const BouquetContents = recordSchema({ result: true, processingtime: '0:00:00.002101', services: Type.Array(Bouquet) });

/** An empty bouquet is written like a service, because some clients stop parsing at an empty e2bouquet. */
const bouquetView: View<Bouquet> = either<Bouquet>(
  ({ subservices }) => subservices[Symbol.iterator]().next().done === true,
  element('e2service', listedLeaves),
  element(
    'e2bouquet',
    listedLeaves,
    serviceListView<Bouquet>(({ subservices }) => subservices),
  ),
);

const getallservices = operation({
  name: 'getallservices',
  summary: 'Every bouquet with all its entries.',
  cacheState: picturedListState,
  parameters: {
    type: text('absent or `tv` = television, anything else = radio', { example: 'radio' }),
    nolastscanned: boolean('omit the bouquet of the last scan', { wrong: false }),
    exclude: text(
      'what to omit, separated by commas: `program` the service ids (JSON), `vod` films on demand, `iptv` all network streams, `lastscanned` the bouquet of the last scan',
      { example: 'vod,lastscanned' },
    ),
    renameserviceforxmbc: boolean('names become `NUMBER - NAME`', { form: 'presence' }),
    ...showParameters,
    ...listFilters,
  },
  result: BouquetContents,
  xml: element(
    'e2servicelistrecursive',
    each<{ services: Bouquet[] }, Bouquet>(({ services }) => services, bouquetView),
  ),
  example: exampleOf(BouquetContents, {
    services: [
      exampleOf(Bouquet),
      {
        servicereference: '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.empty.tv" ORDER BY bouquet',
        servicename: 'Empty (TV)',
        subservices: [],
      },
    ],
  }),
  async run(parts, values) {
    const startMs = performance.now();
    const { services } = parts;
    const { type = 'tv', exclude = '', renameserviceforxmbc } = values;
    const excluded = new Set(exclude.toLowerCase().split(','));
    const withoutLastScanned = values.nolastscanned || excluded.has('lastscanned');
    const filter = filterOf({ ...values, noiptv: values.noiptv || excluded.has('iptv') });
    const keep = (entry: ServiceEntry) => filter(entry) && !(excluded.has('vod') && isVodFilm(entry));
    const shown = { ...shownOf(values), program: !excluded.has('program') };
    const all = await services.allBouquetsInSlices(type === 'tv' ? 'tv' : 'radio');
    const found = all.filter(({ file }) => !(withoutLastScanned && file.includes('LastScanned')));
    const serviceOf = (entry: ServiceEntry) => {
      const service = numberedService(parts, entry, entry.running, shown);
      return renameserviceforxmbc
        ? { ...service, servicename: `${service.channel ?? service.pos} - ${service.servicename}` }
        : service;
    };
    return {
      result: true,
      processingtime: durationSince(startMs),
      services: found.map((bouquet) => ({
        ...listedService(bouquet),
        subservices: lazily(bouquet.entries, serviceOf, keep),
      })),
    };
  },
});

interface Reload {
  readonly text: string;
  run(parts: ReceiverParts): Promise<unknown>;
}

/**
 * What each mode reloads. Editors call mode 0 after replacing the whole folder, so it covers everything. The settings are
 * reloaded with the lists that depend on them.
 */
const reloads: Readonly<Record<string, Reload>> = {
  '0': {
    text: 'reloaded both',
    run: ({ services, settings, picons, tags }) =>
      Promise.all([services.reload('all'), settings.reload(), picons.reload(), tags.reload()]),
  },
  '1': { text: 'reloaded lamedb', run: ({ services }) => services.reload('services') },
  '2': {
    text: 'reloaded bouquets',
    run: ({ services, settings }) => Promise.all([services.reload('bouquets'), settings.reload()]),
  },
  '3': { text: 'reloaded transponders', run: async () => undefined },
  '4': {
    text: 'reloaded parentalcontrol white-/blacklist',
    run: ({ services, settings }) => Promise.all([services.reload('parental'), settings.reload()]),
  },
};

const servicelistreload = operation({
  name: 'servicelistreload',
  permission: 'admin',
  summary: 'Rereads the files in the Enigma2 folder, after an editor has changed them.',
  description:
    'Mode 0 also reads settings, tags and picon folders; 2 and 4 also read the settings. Transponders are part of the service list here, so 3 has nothing to read.',
  parameters: {
    mode: text('0 = services and bouquets, 1 = services, 2 = bouquets, 3 = transponders, 4 = parental lists', {
      example: '0',
    }).required(),
  },
  exampleMessage: 'reloaded both',
  async run(parts, { mode }) {
    const reload = Object.hasOwn(reloads, mode) ? reloads[mode] : undefined;
    if (reload === undefined) {
      const modes =
        'mode must be 0 (services and bouquets), 1 (services), 2 (bouquets), 3 (transponders) or 4 (parental lists)';
      throw new ReceiverError('parameter-invalid', modes);
    }
    await reload.run(parts);
    return done(reload.text);
  },
});

/** The time since a value of `performance.now()`, as `0:00:00.004512`. */
function durationSince(startMs: number): string {
  const seconds = (performance.now() - startMs) / 1000;
  return `0:00:${seconds.toFixed(6).padStart(9, '0')}`;
}

export const serviceOperations = group('services', [bouquets, getservices, getallservices, servicelistreload]);
