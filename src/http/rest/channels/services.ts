/** `/services`: the services in the bouquets, in their order. */
import { randomBytes } from 'node:crypto';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { perGeneration } from '../../../services/per-generation.ts';
import { reducedName } from '../../../services/picons.ts';
import { radioTypes, type ServiceReference, televisionTypes } from '../../../services/reference.ts';
import type { ServiceEntry, Services } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { boolean, choice, type ParameterValues } from '../../middleware/parameters.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, recordSchema, sampled } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { exampleService } from '../event-record.ts';
import { segmentText } from '../segments.ts';

const ServiceArray = Type.Array(Type.String(), {
  minItems: 3,
  maxItems: 3,
  description: 'service reference, name, picon-style name',
});
const ServiceObject = Type.Object(
  {
    service_reference: Type.String(),
    service_name: Type.String(),
    picon_name: Type.String(),
    service_type: Type.Integer({ minimum: 0, description: 'service type from the SDT' }),
    bouquets: Type.Array(Type.String(), { description: 'names of the bouquets that contain the service' }),
    number: Type.Integer({ minimum: 0, description: 'channel number: the place in the bouquets' }),
    channel: Type.Optional(Type.String({ description: 'channel number of ATSC, such as 10.1, if it has one' })),
  },
  { $id: 'ServiceEntry', description: 'with format=object' },
);
const ServiceItem = Type.Union([ServiceArray, ServiceObject]);

const exampleItem = [...Object.values(exampleService), 'alphahd'];

const ServiceListSchema = recordSchema(
  {
    result: true,
    len: field(1, { minimum: 0, description: 'number of services' }),
    errors: sampled(Type.Array(Type.String(), { description: 'always empty' }), []),
    items: sampled(Type.Array(ServiceItem), [exampleItem]),
    services: Type.Optional(Type.Array(ServiceItem, { description: 'with compat=1: a copy of items' })),
  },
  { $id: 'Services' },
);

const query = {
  format: choice(
    'format of an item. array: reference, name and picon-style name; object: these as keys, and service type, bouquets and channel number',
    ['array', 'object'],
  ).or('array'),
  compat: boolean('also return the list under its old name, `services`').or(false),
};

const head = {
  caching: 'no-cache',
  parameters: query,
  responses: { 200: { description: 'the services', schema: ServiceListSchema } },
} as const;

const allServices = route({
  ...head,
  path: '/services',
  name: 'services',
  summary: 'The services in all bouquets.',
  description:
    'In the order of the bouquets, television first. Each pair of reference and name is listed once. Markers, folders and hidden entries are left out.',
  run: ({ services }, values) => responseOf(services, () => true, values),
});

const ofKind = (kind: 'tv' | 'radio', name: string, summary: string) =>
  route({
    ...head,
    path: `/services/${kind}`,
    name,
    summary,
    run: ({ services }, values) => responseOf(services, kinds[kind], values),
  });

const servicesOfType = route({
  ...head,
  path: '/services/{type}',
  name: 'servicesOfType',
  summary: 'The services in the bouquets that have the given DVB service type.',
  parameters: {
    type: segmentText('service type from the SDT as a decimal number, for example 25 for H.264 HD television', '25'),
    ...query,
  },
  failures: { 404: 'neither tv, radio nor a number' },
  run: ({ services }, { type, ...values }) => responseOf(services, filterOf(type), values),
});

export const serviceRoutes = group('services', [
  allServices,
  ofKind('tv', 'televisionServices', 'The television services in the bouquets.'),
  ofKind('radio', 'radioServices', 'The radio services in the bouquets.'),
  servicesOfType,
]);

/** Part of the ETag, because the counting of generations restarts with the receiver. */
const runId = randomBytes(6).toString('base64url');

type Filter = (reference: ServiceReference) => boolean;

const kinds: Readonly<Record<'tv' | 'radio', Filter>> = {
  tv: ({ serviceType }) => televisionTypes.has(serviceType),
  radio: ({ serviceType }) => radioTypes.has(serviceType),
};

function filterOf(type: string): Filter {
  if (!/^\d{1,10}$/.test(type)) throw fail('not-found', `service type '${type}'`);
  return ({ serviceType }) => serviceType === Number(type);
}

function responseOf(
  services: Services,
  filter: Filter,
  { format, compat }: ParameterValues<typeof query>,
): RestResponse {
  const make = async () => {
    const all = await services.allEntriesInSlices();
    const write: (entry: ServiceEntry) => object = format === 'object' ? objectWriter(services) : writeArray;
    const entries = all.filter(({ reference }) => filter(reference));
    const items = lazily(entries, write);
    return { result: true, len: entries.length, errors: [], items, ...(compat && { services: items }) };
  };
  return { etag: `${runId}-${services.generation}`, make };
}

/** The reference as in responses: without its name. */
const referenceText = (reference: ServiceReference) => reference.withoutName().format();

/** The picon-style name of a service whose name has no letter and no digit. */
const noPiconName = '--------';

export const piconStyleName = (name: string) => reducedName(name) || noPiconName;

function writeArray({ reference, name }: ServiceEntry): readonly string[] {
  return [referenceText(reference), cleaned(name), piconStyleName(name)];
}

/** The names of the bouquets that contain a service, by the identity of its reference. */
const bouquetNames = perGeneration((services) => {
  const bouquets = new Map<string, string[]>();
  for (const bouquet of [...services.allBouquets('tv'), ...services.allBouquets('radio')]) {
    for (const { reference } of bouquet.entries) {
      const names = bouquets.get(reference.identity);
      if (names === undefined) bouquets.set(reference.identity, [bouquet.name]);
      else if (!names.includes(bouquet.name)) names.push(bouquet.name);
    }
  }
  return bouquets;
});

function objectWriter(services: Services) {
  const bouquets = bouquetNames(services);
  return ({ reference, name, number, channel }: ServiceEntry) => ({
    service_reference: referenceText(reference),
    service_name: cleaned(name),
    picon_name: piconStyleName(name),
    service_type: reference.serviceType,
    bouquets: bouquets.get(reference.identity) ?? [],
    number,
    ...(channel === undefined ? {} : { channel }),
  });
}
