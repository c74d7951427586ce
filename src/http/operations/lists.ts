/** Lists of services by the references that clients send. */
import { ReceiverError } from '../../errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { ListOptions, ServiceList, Services } from '../../services/services.ts';
import type { ReceiverParts } from '../parts.ts';
import type { AnswerState } from '../prepared-answers.ts';

/** What a reference lists; undefined when it names no list, or is no reference at all. */
export function listNamed(services: Services, text: string, options: ListOptions = {}): ServiceList | undefined {
  const reference = referenceNamed(services, text);
  return reference && services.list(reference, options);
}

/** The reference a text stands for; undefined when it is none. */
export function referenceNamed(services: Services, text: string): ServiceReference | undefined {
  try {
    return services.resolve(text);
  } catch (error) {
    if (error instanceof ReceiverError) return undefined;
    throw error;
  }
}

type ListParts = Pick<ReceiverParts, 'services' | 'picons'>;

/** What the answers of lists of services depend on. */
export function listState({ services, picons }: ListParts): AnswerState {
  return { text: `${services.generation} ${picons.generation}` };
}

/** The same of lists that may show picons, of which there may be new ones. */
export async function picturedListState(
  parts: ListParts,
  { picon }: { readonly picon: boolean },
): Promise<AnswerState> {
  if (picon) await parts.picons.refresh();
  return listState(parts);
}
