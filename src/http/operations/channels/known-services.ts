/** Services outside the bouquets: by satellite, by name, the whole service list, and the parental list. */
import * as Type from 'typebox';
import { parentalList } from '../../../playback/parental-control.ts';
import { radioTypes, ServiceReference, televisionTypes } from '../../../services/reference.ts';
import type { Service, Services } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { contentTypes } from '../../middleware/failures.ts';
import { boolean, bouquetReference, choice, serviceReference, text } from '../../middleware/parameters.ts';
import { piconPath, pictureOf, refreshPicons } from '../../pictures/picons.ts';
import { jsonDocument } from '../../write/json.ts';
import { field, oneOf, recordSchema } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { leaves } from '../../write/xml.ts';
import { ListedService, listedService, listState, serviceListView, tryResolve } from '../lists.ts';

const Satellites = recordSchema({
  satellites: Type.Array(
    recordSchema({
      service: '1:7:0:0:0:0:C00000:0:0:0:(satellitePosition == 192) && (type == 1) ORDER BY name',
      name: '19.2E - Services',
    }),
  ),
  result: true,
});

/** `(type == 1) || (type == 17) ...`, as in queries over the service list. */
function typesOf(kind: 'tv' | 'radio'): string {
  return [...(kind === 'tv' ? televisionTypes : radioTypes)].map((type) => `(type == ${type})`).join(' || ');
}

const getsatellites = operation({
  name: 'getsatellites',
  summary: 'The satellites and other sources of services, as lists for getservices.',
  parameters: { stype: choice('which services', ['tv', 'radio'], { wrong: 'first' }) },
  result: Satellites,
  xml: serviceListView<Type.Static<typeof Satellites>>(({ satellites }) =>
    satellites.map(({ service, name }) => ({ servicereference: service, servicename: name })),
  ),
  async run({ services }, { stype }) {
    const query = `1:7:${stype === 'tv' ? 1 : 2}:0:0:0:0:0:0:0:${typesOf(stype)} FROM SATELLITES ORDER BY satellitePosition`;
    const list = await services.listInSlices(ServiceReference.parse(query));
    const satellites = (list?.entries ?? []).map(({ reference, name }) => ({ service: reference.format(), name }));
    return { satellites, result: true };
  },
});

const NamedReference = recordSchema({ result: true, sRef: field('1:0:19:2B66:3F3:1:C00000:0:0:0:', 'empty = none') });

const getserviceref = operation({
  name: 'getserviceref',
  summary: 'The service with exactly this name.',
  parameters: {
    name: text('the name', { example: 'Ships' }).required(),
    searchinBouquetsOnly: boolean('search only the bouquets, not the whole service list', { wrong: false }),
    bRef: bouquetReference('search only this list'),
  },
  result: NamedReference,
  xml: leaves<Type.Static<typeof NamedReference>>({ e2servicereference: 'sRef' }),
  async run({ services }, { name, searchinBouquetsOnly, bRef }) {
    const bouquet = bRef ? tryResolve(services, bRef) : undefined;
    if (bRef && bouquet === undefined) return { result: true, sRef: '' };
    const within = { bouquetsOnly: searchinBouquetsOnly, ...(bouquet === undefined ? {} : { bouquet }) };
    return { result: true, sRef: (await services.findByName(name, within))?.format() ?? '' };
  },
});

const getpicon = operation({
  name: 'getpicon',
  summary: 'The picon of a service: the picture itself, or its location.',
  description:
    'A service without a picon has the logo of its channel list or guide file, or the default picture. With `json=true` the response is `{"result", "path", "link"}`.',
  parameters: {
    sRef: serviceReference('the service').required(),
    json: boolean('return path and URL instead of the picture', { wrong: false }),
  },
  contentType: ['image/png', 'image/svg+xml', 'image/jpeg', 'image/webp', contentTypes.json],
  // A picture has no text to show.
  example: '',
  async run(parts, { sRef, json }, { origin }) {
    await refreshPicons(parts);
    const reference = parts.services.resolve(sRef);
    const name = parts.services.nameOf(reference);
    if (!json) return pictureOf(parts, reference, name);
    const path = piconPath(parts, reference, name);
    return { contentType: contentTypes.json, body: jsonDocument({ result: true, path, link: `${origin}${path}` }) };
  },
});

const modes = ['all', 'tv', 'radio'] as const;

/** The services of the service list, in its order. */
function known(services: Services, mode: (typeof modes)[number]): readonly Service[] {
  const all = services.all();
  return mode === 'all' ? all : all.filter(({ reference }) => reference.isRadio === (mode === 'radio'));
}

const KnownService = recordSchema({ ...ListedService.properties, provider: 'Demo' });
const KnownServices = recordSchema({ result: true, services: Type.Array(KnownService) });

const allservices = operation({
  name: 'allservices',
  summary: 'Every service in the service list, whether or not it is in a bouquet.',
  cacheState: listState,
  parameters: { mode: choice('which services', modes, { wrong: 'first' }) },
  result: KnownServices,
  xml: serviceListView<Type.Static<typeof KnownServices>>(({ services }) => services),
  run: ({ services }, { mode }) => ({
    result: true,
    services: lazily(known(services, mode), (one) => ({ ...listedService(one), provider: one.provider })),
  }),
});

const allservicescsv = operation({
  name: 'allservicescsv',
  summary: 'The services of allservices as CSV (RFC 4180): reference, name and provider.',
  cacheState: listState,
  parameters: { mode: choice('which services', modes, { wrong: 'first' }) },
  contentType: 'text/csv; charset=utf-8',
  example: 'servicereference,servicename,provider\r\n1:0:19:2B66:3F3:1:C00000:0:0:0:,Alpha HD,Demo\r\n',
  run({ services }, { mode }) {
    return { body: table(known(services, mode)), fileName: 'services.csv' };
  },
});

function* table(services: Iterable<Service>): Generator<string> {
  yield row('servicereference', 'servicename', 'provider');
  for (const { reference, name, provider } of services) yield row(reference.format(), name, provider);
}

function row(...fields: readonly string[]): string {
  const quoted = fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return `${quoted.join(',')}\r\n`;
}

const LockedServices = recordSchema({
  result: true,
  type: oneOf(['blacklist', 'whitelist'], 'whether the listed services are locked, or the only ones not locked'),
  services: Type.Array(ListedService),
});

const parentcontrollist = operation({
  name: 'parentcontrollist',
  summary: 'The parental list: the locked services and bouquets, or, with a whitelist, the only ones not locked.',
  description: 'The contents of `blacklist` or `whitelist` in the Enigma2 folder, whether or not the lock is active.',
  result: LockedServices,
  xml: serviceListView<Type.Static<typeof LockedServices>>(({ services }) => services),
  run({ services, settings }) {
    const { kind, references } = parentalList({ services, settings });
    const shown = lazily(references, (reference) => listedService({ reference, name: services.nameOf(reference) }));
    return { result: true, type: kind, services: shown };
  },
});

export const knownServiceOperations = group('services', [
  getsatellites,
  getserviceref,
  getpicon,
  allservices,
  allservicescsv,
  parentcontrollist,
]);
