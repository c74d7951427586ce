/** `/api/satipservers`, `/api/hdhomeruns`, `/api/enigma2boxes`: what the receiver finds in the local network and could use as tuners. */
import * as Type from 'typebox';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, recordSchema } from '../../write/record.ts';

const server = (kind: string) => ({
  host: field('192.0.2.9', `its address, for the setting tuners: ${kind}:192.0.2.9`),
  name: 'Attic',
  tuners: field(1, 'number of its tuners'),
  used: field(false, 'the setting tuners contains it'),
});
const Server = recordSchema(server('satip'), { $id: 'SatipServer' });
const Device = recordSchema(server('hdhomerun'), { $id: 'HdhomerunDevice' });

const Box = recordSchema(
  { ...server('enigma2'), login: field(false, 'it requires a login: see enigma2.logins in enigma2.md') },
  { $id: 'Enigma2Box' },
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

const hdhomeruns = route({
  path: '/api/hdhomeruns',
  name: 'hdhomeruns',
  summary: 'Searches the local network for HDHomeRun devices, which takes about two seconds.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the devices', schema: recordSchema({ servers: Type.Array(Device), result: true }) },
  },
  run: async (parts) => ({ body: { servers: await foundDevices(parts), result: true } }),
});

const enigma2boxes = route({
  path: '/api/enigma2boxes',
  name: 'enigma2boxes',
  summary: 'Searches the local network for Enigma2 boxes and other receivers, which takes about three seconds.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the boxes', schema: recordSchema({ servers: Type.Array(Box), result: true }) },
  },
  run: async (parts) => ({ body: { servers: await foundBoxes(parts), result: true } }),
});

/** Makes concurrent requests share one search. */
function shared<Found>(search: (tuners: ReceiverParts['tuners']) => Promise<Found>) {
  let searching: Promise<Found> | undefined;
  return (tuners: ReceiverParts['tuners']) => {
    searching ??= search(tuners).finally(() => {
      searching = undefined;
    });
    return searching;
  };
}

const searchServers = shared((tuners) => tuners.findServers());
const searchDevices = shared((tuners) => tuners.findDevices());
const searchBoxes = shared((tuners) => tuners.findBoxes());

const isUsed = (kind: string, host: string, { tuners }: ReceiverParts['config']) =>
  tuners.some((spec) => spec === `${kind}:*` || `${spec},`.startsWith(`${kind}:${host},`));

async function foundServers({ tuners, config, satip }: ReceiverParts) {
  const ownDescription = satip?.description('') ?? '';
  return (await searchServers(tuners))
    .filter(({ identity }) => identity === '' || !ownDescription.includes(identity))
    .map(({ host, name, frontEnds }) => ({
      host,
      name,
      tuners: frontEnds.length,
      used: isUsed('satip', host, config),
    }));
}

async function foundDevices({ tuners, config, hdhomerun }: ReceiverParts) {
  return (await searchDevices(tuners))
    .filter(({ id }) => id !== hdhomerun?.device.deviceId)
    .map(({ host, model, tunerCount }) => ({
      host,
      name: model,
      tuners: tunerCount,
      used: isUsed('hdhomerun', host, config),
    }));
}

async function foundBoxes({ tuners, config }: ReceiverParts) {
  return (await searchBoxes(tuners)).map(({ host, name, tuners, needsLogin }) => ({
    ...{ host, name, tuners, used: isUsed('enigma2', host, config), login: needsLogin },
  }));
}

export const networkTunerRoutes = group('device', [satipservers, hdhomeruns, enigma2boxes]);
