/** Lists of services by the references that clients send. */
import { ReceiverError } from '../../errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { ListOptions, ServiceList, Services } from '../../services/services.ts';
import type { Parts } from '../parts/parts.ts';

/** The list that a reference names; undefined if it names none or is invalid. */
export function listNamed(services: Services, text: string, options: ListOptions = {}): ServiceList | undefined {
  const reference = referenceNamed(services, text);
  return reference && services.list(reference, options);
}

/** The reference in a text; undefined if it is invalid. */
export function referenceNamed(services: Services, text: string): ServiceReference | undefined {
  try {
    return services.resolve(text);
  } catch (error) {
    if (error instanceof ReceiverError) return undefined;
    throw error;
  }
}

type ListParts = Parts<'services' | 'picons'>;

/** What responses with lists of services depend on. */
export function listState({ services, picons }: ListParts): string {
  return `${services.generation} ${picons.generation}`;
}

/** The same for lists that may show picons. Looks for new picons first. */
export async function picturedListState(parts: ListParts, { picon }: { readonly picon: boolean }): Promise<string> {
  if (picon) await parts.picons.refresh();
  return listState(parts);
}
