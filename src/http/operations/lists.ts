/** Finds lists of services by the references that clients send, and writes them. */
import type { Static } from 'typebox';
import { ReceiverError } from '../../base/errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { ListOptions, ServiceEntry, ServiceList, Services } from '../../services/services.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { refreshPicons } from '../pictures/picons.ts';
import { recordSchema } from '../write/record.ts';
import { each, element, leaves, type View } from '../write/xml.ts';

/** A service, a bouquet or another list, as most lists show it. */
export const ListedService = recordSchema({
  servicereference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  servicename: 'Alpha HD',
});
export type ListedService = Static<typeof ListedService>;

export function listedService({ reference, name }: Pick<ServiceEntry, 'reference' | 'name'>): ListedService {
  return { servicereference: reference.format(), servicename: name };
}

export const listedLeaves = leaves<ListedService>({
  e2servicereference: 'servicereference',
  e2servicename: 'servicename',
});

/** An e2servicelist of services, bouquets or sub-services. */
export function serviceListView<T>(services: (value: T) => Iterable<ListedService>): View<T> {
  return element('e2servicelist', each(services, element('e2service', listedLeaves)));
}

/** The list that a reference names; undefined if there is no such list or the reference is invalid. */
export async function findList(
  services: Services,
  text: string,
  options: ListOptions = {},
): Promise<ServiceList | undefined> {
  const reference = tryResolve(services, text);
  return reference && services.listInSlices(reference, options);
}

/** The reference in a text; undefined if it is invalid. */
export function tryResolve(services: Services, text: string): ServiceReference | undefined {
  try {
    return services.resolve(text);
  } catch (error) {
    if (error instanceof ReceiverError) return undefined;
    throw error;
  }
}

/** The state on which responses with lists of services depend: the service lists, the picons and the logos. */
export function listState({ services, picons, logos, webPictures }: ReceiverParts): string {
  return `${services.generation} ${picons.generation} ${logos.generation} ${webPictures.day}`;
}

/** Like `listState`, for lists that may show picons: looks for new picons and logos first. */
export async function picturedListState(parts: ReceiverParts, { picon }: { readonly picon: boolean }): Promise<string> {
  if (picon) await refreshPicons(parts);
  return listState(parts);
}
