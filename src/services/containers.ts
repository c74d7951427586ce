/** Results of container queries: services of the list, or providers and satellites as folders with queries. */
import { type Steps, sorted } from '../base/time-slice.ts';
import { serviceFlags } from './lamedb.ts';
import { compareNames } from './name-order.ts';
import { type Queried, type Query, quote, unknownProvider } from './query.ts';
import { namespaceSources, referenceFlags, ServiceReference } from './reference.ts';

/** A service or folder in the result of a query. */
type ContainerEntry = Omit<Queried, 'flags'>;

/** A query over the service list. */
export type ListQuery = Exclude<Query, { readonly from: 'bouquet' }>;

const folder = referenceFlags.directory | referenceFlags.mustDescend | referenceFlags.canDescend;

/** Evaluates a query over the service list. Entries are in the order of the query. */
export function* containerEntries(query: ListQuery, services: readonly Queried[]): Steps<ContainerEntry[]> {
  const found: Queried[] = [];
  for (const service of services) {
    if (query.selects(service)) found.push(service);
    yield;
  }
  if (query.from === 'providers') return yield* providerFolders(query, found);
  if (query.from === 'satellites') return satelliteFolders(query, found);
  if (query.orderBy === 'name') return yield* sorted(found, (a, b) => compareNames(a.name, b.name));
  if (query.orderBy === 'satellitePosition')
    return yield* sorted(found, (a, b) => a.reference.source - b.reference.source);
  return found;
}

function* providerFolders(query: ListQuery, services: readonly Queried[]): Steps<ContainerEntry[]> {
  const providers = new Set(services.map((service) => service.provider || unknownProvider));
  return (yield* sorted([...providers], compareNames)).map((provider) => {
    const path = joined(`(provider == ${quote(provider)})`, query.expressionText, 'ORDER BY name');
    return { reference: container(path, 0), name: provider, provider: '' };
  });
}

/** Up to three folders per satellite: its services, its providers, and the services new in the last scan, if any. */
function satelliteFolders(query: ListQuery, services: readonly Queried[]): ContainerEntry[] {
  const sources = new Set(services.map((service) => service.reference.source));
  const isNew = (service: Queried) => (service.flags & serviceFlags.newFound) !== 0;
  const withNew = new Set(services.filter(isNew).map((service) => service.reference.source));
  return [...sources]
    .sort((a, b) => a - b)
    .flatMap((source) => {
      const here = `(satellitePosition == ${source})`;
      const name = sourceName(source);
      const entry = (title: string, path: string) => {
        return { reference: container(path, source), name: `${name} - ${title}`, provider: '' };
      };
      const folders = [
        entry('Services', joined(here, query.expressionText, 'ORDER BY name')),
        entry('Providers', joined(here, query.expressionText, 'FROM PROVIDERS ORDER BY name')),
      ];
      if (withNew.has(source)) {
        const fresh = `${here} && (flags == ${serviceFlags.newFound})`;
        folders.push(entry('New', joined(fresh, query.expressionText, 'ORDER BY name')));
      }
      return folders;
    });
}

/** `19.2E`, `0.8W`, `Cable`, `Terrestrial`. */
function sourceName(source: number): string {
  if (source === namespaceSources.cable) return 'Cable';
  if (source === namespaceSources.terrestrial) return 'Terrestrial';
  return source > 1800 ? `${((3600 - source) / 10).toFixed(1)}W` : `${(source / 10).toFixed(1)}E`;
}

function joined(first: string, expression: string, rest: string): string {
  return expression === '' ? `${first} ${rest}` : `${first} && ${expression} ${rest}`;
}

function container(path: string, source: number): ServiceReference {
  const namespace = (source << 16) >>> 0;
  return ServiceReference.of({ flags: folder, fields: [0, 0, 0, 0, namespace, 0, 0, 0], path });
}
