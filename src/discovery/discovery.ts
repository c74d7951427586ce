/** Configures the announcement of the receiver: web port as `_http._tcp`, live streams as `_e2stream._tcp`. */
import type { Logger } from 'pino';
import { hostLabel, isLoopback, reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';
import { Announcer } from './announcer.ts';

/** The ports on which the receiver listens. */
export interface AnnouncedPorts {
  readonly http: number;
  readonly stream: number;
}

/**
 * Creates the announcer without starting it; undefined if discovery is off or the receiver listens only on loopback.
 */
export function announcerOf(
  { discovery, bind, name }: Pick<Configuration, 'discovery' | 'bind' | 'name'>,
  ports: AnnouncedPorts,
  log: Logger,
): Announcer | undefined {
  if (!discovery || isLoopback(bind)) return undefined;
  const network = bind === '::' || bind === '0.0.0.0' || bind.includes(':') ? undefined : bind;
  return new Announcer(
    {
      name,
      // Not the machine's own name, which the system may announce with all of its addresses.
      host: hostLabel('receiverd'),
      services: [
        { type: '_http._tcp', port: ports.http, text: ['path=/'] },
        { type: '_e2stream._tcp', port: ports.stream },
      ],
      addresses: () => reachableAddresses(bind),
      network,
    },
    log,
  );
}
