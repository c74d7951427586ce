/** Where the pictures of services are on this server. */
import type { ServiceReference } from '../services/reference.ts';

/** Path of a service's picon; asking for it gives the default picture where there is none. */
export function piconPath(reference: ServiceReference): string {
  return `/picon/${reference.piconName}.png`;
}
