/** How this receiver is announced: under its name, the web port as `_http._tcp` and the live streams as `_e2stream._tcp`. */
import type { Logger } from 'pino';
import type { Configuration } from '../config.ts';
import { Announcer } from './announcer.ts';
import { hostLabel, isLoopback, reachableAddresses } from './network.ts';

/** The bound ports. */
export interface AnnouncedPorts {
  readonly http: number;
  readonly stream: number;
}

/** Undefined where nobody is to find it, or nobody could reach it. It has not begun. */
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
      // Not the machine's own: that is announced by the system, if at all, and with all of its addresses.
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
