/** `/api/satipservers`: SAT>IP servers of the local network, whose tuners the receiver could use. */
import * as Type from 'typebox';
import { group } from '../endpoint/endpoint.ts';
import { route } from '../endpoint/route.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, recordSchema } from '../write/record.ts';

const Server = recordSchema(
  {
    host: field('192.0.2.9', 'its address, for the setting tuners: satip:192.0.2.9'),
    name: 'Attic',
    tuners: field(1, 'number of its tuners'),
    used: field(false, 'the setting tuners contains it'),
  },
  { $id: 'SatipServer' },
);

const satipservers = route({
  path: '/api/satipservers',
  name: 'satipservers',
  summary: 'Searches the local network for SAT>IP servers, which takes about three seconds.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the servers', schema: recordSchema({ servers: Type.Array(Server), result: true }) },
  },
  run: async (parts) => ({ body: { servers: await foundServers(parts), result: true } }),
});

/** The search in progress: concurrent requests share it. */
let searching: ReturnType<ReceiverParts['tuners']['findServers']> | undefined;

async function foundServers({ tuners, config, satip }: ReceiverParts) {
  searching ??= tuners.findServers().finally(() => {
    searching = undefined;
  });
  const isUsed = (host: string) =>
    config.tuners.some((spec) => spec === 'satip:*' || spec.split(',', 1)[0] === `satip:${host}`);
  const ownDescription = satip?.description('') ?? '';
  return (await searching)
    .filter(({ identity }) => identity === '' || !ownDescription.includes(identity))
    .map(({ host, name, frontEnds }) => ({ host, name, tuners: frontEnds.length, used: isUsed(host) }));
}

export const satipServerRoutes = group('device', [satipservers]);
