/**
 * `/api/satipservers`, `/api/hdhomeruns`, `/api/enigma2boxes`: what the receiver finds in the local network and could use as
 * tuners. `/api/enigma2status`: the boxes that it uses. `/api/enigma2login`: sets the login of one.
 */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { namesEnigma2 } from '../../../config/enigma2-spec.ts';
import type { Host } from '../../../host/host.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type Route, route } from '../../endpoint/route.ts';
import { text } from '../../middleware/parameters.ts';
import { TunerUse } from '../../operations/channels/tuners.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';

const server = (kind: string) => ({
  host: field('192.0.2.9', `its address, for the setting tuners: ${kind}:192.0.2.9`),
  name: 'Attic',
  tuners: field(1, 'number of its tuners'),
  used: field(false, 'the setting tuners contains it'),
});
const Server = recordSchema(server('satip'), { $id: 'SatipServer' });
const Device = recordSchema(server('hdhomerun'), { $id: 'HdhomerunDevice' });

const Box = recordSchema(
  {
    ...server('enigma2'),
    login: field(false, 'it requires a login, or refuses the one it gets; POST /api/enigma2login sets one'),
    problem: field('', 'why one that the setting tuners contains cannot be used'),
  },
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
  description: 'Boxes that the setting tuners contains come first, also if they do not answer.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the boxes', schema: recordSchema({ servers: Type.Array(Box), result: true }) },
  },
  run: async (parts) => ({ body: { servers: await foundBoxes(parts), result: true } }),
});

const states = ['idle', 'receiving', 'searching', 'missing'] as const;

const BoxState = recordSchema(
  {
    name: field('192.0.2.9', 'its host, with the web port if that is not 80'),
    source: field('enigma2:192.0.2.9', 'as in the configuration'),
    model: field('duo', 'what it calls itself; empty until it has answered'),
    state: sampled(oneOf(states, 'idle: nothing is received from it; missing: it cannot be used'), 'receiving'),
    reason: field('', 'why it cannot be used'),
    login: field(false, 'it requires a login, or refuses the one it gets; POST /api/enigma2login sets one'),
    tuners: field(2, 'number of its tuners'),
    services: field(430, 'number of services that can be received from it'),
    streams: field(1, 'number of services that are received from it now'),
    users: Type.Array(TunerUse, { description: 'those who use these services' }),
  },
  { $id: 'Enigma2BoxState' },
);

const enigma2status = route({
  path: '/api/enigma2status',
  name: 'enigma2status',
  summary:
    'The Enigma2 boxes and other receivers that are used as tuners: whether they answer, and what is received from them.',
  responses: { 200: { description: 'the boxes', schema: recordSchema({ boxes: Type.Array(BoxState), result: true }) } },
  run: (parts) => ({ body: { boxes: usedBoxes(parts), result: true } }),
});

/**
 * The setting `enigma2.logins` contains passwords, so only its file can change it as a whole. A client may set one login,
 * of a box that the setting `tuners` names already.
 */
export const boxLoginRoutes = ({ settings }: Host): readonly Route[] =>
  group('device', [
    route({
      method: 'POST',
      path: '/api/enigma2login',
      name: 'enigma2loginPost',
      summary: 'Stores the login of an Enigma2 box that is used as a tuner, if the box accepts it or does not answer.',
      parameters: {
        source: text('the box, as in the setting tuners', { example: 'enigma2:192.0.2.9' }).required(),
        user: text('name of the user', { example: 'root' }).required(),
        password: text('password of the user', { example: 'dreambox' }).or(''),
      },
      responses: {
        200: {
          description: 'the login is stored',
          schema: recordSchema({
            problem: nullable(field('it does not answer', 'why the box cannot be used; null if it can')),
            result: true,
          }),
        },
      },
      failures: { 403: 'the box refuses the login, or the setting tuners does not name it' },
      async run({ tuners }, { source, user, password }) {
        let trouble = '';
        await settings.setBoxLogin(source, { user, password }, async () => {
          const found = await tuners.askBox(source, { user, password });
          if (found.needsLogin) throw fail('box-login-refused', source);
          trouble = found.trouble;
        });
        return { body: { problem: trouble || null, result: true } };
      },
    }),
  ]);

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

const isUsed = (kind: string, host: string, { tuners }: Pick<ReceiverParts['config'], 'tuners'>) =>
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

/** With the boxes that are used after the next start. */
async function foundBoxes({ tuners, config, host: program }: ReceiverParts) {
  const given = program?.settings.list().find(({ name }) => name === 'tuners')?.value ?? config.tuners;
  const used = (given as readonly string[]).filter(namesEnigma2);
  return (await tuners.findBoxes(used)).map(({ host, name, tuners, trouble, needsLogin }) => ({
    ...{ host, name, tuners, used: isUsed('enigma2', host, { tuners: used }), login: needsLogin, problem: trouble },
  }));
}

function usedBoxes({ tuners, services }: ReceiverParts): Type.Static<typeof BoxState>[] {
  return tuners
    .boxes()
    .map(({ name, source, model, state, reason, needsLogin, tunerCount, serviceCount, streams }) => ({
      ...{ name, source, model, state, reason, login: needsLogin },
      ...{ tuners: tunerCount, services: serviceCount, streams: streams.length },
      users: streams.flatMap(({ reference, users }) =>
        users.map(({ purpose, user }) => ({
          ...{ purpose, user, servicereference: reference.withoutName().format() },
          servicename: services.nameOf(reference),
        })),
      ),
    }));
}

export const networkTunerRoutes = group('device', [satipservers, hdhomeruns, enigma2boxes, enigma2status]);
