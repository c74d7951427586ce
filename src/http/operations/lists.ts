/** Lists of services by the references that clients send. */
import { ReceiverError } from '../../errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { ListOptions, ServiceList, Services } from '../../services/services.ts';

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
