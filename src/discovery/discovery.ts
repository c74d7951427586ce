/** How this receiver is announced: its name, the web port as `_http._tcp`, live streams as `_e2stream._tcp`. */
import type { Logger } from 'pino';
import { hostLabel, isLoopback, reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';
import { Announcer } from './announcer.ts';

/** The bound ports. */
export interface AnnouncedPorts {
  readonly http: number;
  readonly stream: number;
}

/** Creates the announcer without starting it. Undefined if discovery is off, or nobody could reach the receiver. */
export function announcerOf(
  { discovery, bind, name }: Pick<Configuration, 'discovery' | 'bind' | 'name'>,
  ports: AnnouncedPorts,
  log: Logger,
): Announcer | undefined {
  if (!discovery || isLoopback(bind)) return undefined;
  const one = bind === '::' || bind === '0.0.0.0' || bind.includes(':') ? undefined : bind;
  return new Announcer(
    {
      name,
      // Not the machine's own name: that is announced by the system, if at all, and with all of its addresses.
      host: hostLabel('receiverd'),
      services: [
        { type: '_http._tcp', port: ports.http, text: ['path=/'] },
        { type: '_e2stream._tcp', port: ports.stream },
      ],
      addresses: () => reachableAddresses(bind),
      network: one,
    },
    log,
  );
}
