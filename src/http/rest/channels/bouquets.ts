/** `/bouquets`: the bouquets for an editor, and their changes. `/parentallock`: the parental lock. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { positionName } from '../../../base/orbital-position.ts';
import { serialQueue } from '../../../base/serial-queue.ts';
import { readChannelList } from '../../../iptv/channel-list.ts';
import { importChannels } from '../../../iptv/import.ts';
import { isLocked } from '../../../playback/parental-control.ts';
import {
  addBouquet,
  changeBouquet,
  hideEverywhere,
  maxEntries,
  orderBouquets,
  removeBouquet,
  type WantedEntry,
} from '../../../services/bouquet-changes.ts';
import type { BouquetKind } from '../../../services/bouquets.ts';
import { ServiceReference, televisionTypes } from '../../../services/reference.ts';
import { type Service, unknownName } from '../../../services/services.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import {
  boolean,
  choice,
  integer,
  Parameter,
  serviceExample,
  serviceReference,
  text,
  texts,
} from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { address, addressFailures } from '../address.ts';

const kinds = ['tv', 'radio'] as const;
const exampleFile = 'userbouquet.favourites.tv';

const Bouquet = recordSchema({
  file: field(exampleFile, 'name of its file, which is its path below /bouquets'),
  name: 'Favourites (TV)',
  kind: oneOf(kinds),
  reference: '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet',
  hidden: false,
  locked: field(false, 'whether the parental lock contains it'),
});

const Entry = recordSchema({
  reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  name: field('Alpha HD', 'the name to show'),
  own: field('', 'its own name in this bouquet; empty: the name of the service'),
  kind: sampled(oneOf(['service', 'marker', 'bouquet']), 'service'),
  hidden: false,
  locked: field(false, 'whether the parental lock contains the entry itself, not only its bouquet'),
});

const Done = recordSchema({ result: true });

const bouquetsIn = ({ services, parentalLock }: ReceiverParts, kind: BouquetKind) =>
  services.bouquets(kind, { hidden: true }).map(({ file, name, reference, hidden }) => {
    return { file, name, kind, reference: reference.format(), hidden, locked: parentalLock.lists(reference) };
  });

/** The bouquet with this file name. @throws ReceiverError `not-found` */
function bouquetNamed(parts: ReceiverParts, file: string) {
  const bouquet = kinds.flatMap((kind) => bouquetsIn(parts, kind)).find((one) => one.file === file);
  if (bouquet === undefined) throw fail('not-found', `bouquet ${file}`);
  return bouquet;
}

const list = route({
  path: '/bouquets',
  name: 'bouquetFiles',
  summary: 'All bouquets in their order, television first, including hidden ones.',
  responses: {
    200: { description: 'the bouquets', schema: recordSchema({ bouquets: Type.Array(Bouquet), result: true }) },
  },
  run: (parts) => ({ body: { bouquets: kinds.flatMap((kind) => bouquetsIn(parts, kind)), result: true } }),
});

const add = route({
  method: 'POST',
  path: '/bouquets',
  name: 'bouquetPost',
  summary: 'Adds an empty bouquet.',
  parameters: {
    name: text('name of the bouquet', { example: 'Films' }).required(),
    kind: choice('television or radio', kinds).or('tv'),
  },
  responses: {
    201: { description: 'the bouquet is added', schema: recordSchema({ file: 'userbouquet.films.tv', result: true }) },
  },
  async run({ services }, { name, kind }) {
    return { status: 201, body: { file: await addBouquet(services, kind, name), result: true } };
  },
});

const order = route({
  method: 'PUT',
  path: '/bouquets',
  name: 'bouquetOrder',
  summary: 'Changes the order of the bouquets.',
  parameters: {
    files: texts('files of the bouquets in the new order; all other bouquets follow', { example: exampleFile }),
    kind: choice('television or radio', kinds).or('tv'),
  },
  responses: { 200: { description: 'the order is changed', schema: Done } },
  failures: { 404: 'no such bouquet' },
  async run({ services }, { files, kind }) {
    await orderBouquets(services, kind, files);
    return { body: { result: true } };
  },
});

const Candidate = recordSchema({
  reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  name: 'Alpha HD',
  provider: field('Demo', 'empty if unknown'),
  source: field('19.2° E', 'orbital position, DVB-T or DVB-C; empty for IPTV channels'),
  encrypted: field(false, 'the last scan found it encrypted'),
});

/** True for `<n/a>`, empty names, and those of punctuation only, which broadcasters give to services of their own. */
const isNameless = (name: string) => name === unknownName || !/[\p{L}\p{N}]/u.test(name);

const candidates = route({
  path: '/bouquets/services',
  name: 'bouquetServices',
  summary: 'The television and radio services that an editor can add to bouquets.',
  description:
    'All services of the service list and of IPTV lists, in no particular order, except those without a name.',
  responses: {
    200: { description: 'the services', schema: recordSchema({ services: Type.Array(Candidate), result: true }) },
  },
  run({ services }) {
    const named = services.all().filter(({ reference, name }) => {
      const { serviceType, isRadio } = reference;
      return (isRadio || televisionTypes.has(serviceType)) && !isNameless(name);
    });
    const write = ({ reference, name, provider, isEncrypted }: Service) => ({
      reference: reference.format(),
      name: cleaned(name),
      provider: cleaned(provider),
      source: positionName(reference.source),
      encrypted: isEncrypted,
    });
    return { body: { services: lazily(named, write), result: true } };
  },
});

const fileSegment = { file: text('the file of a bouquet', { example: exampleFile }).required() };

const one = route({
  path: '/bouquets/{file}',
  name: 'bouquetEntries',
  summary: 'A bouquet with its entries, including hidden ones.',
  parameters: fileSegment,
  responses: {
    200: {
      description: 'the bouquet',
      schema: recordSchema({ ...Bouquet.properties, entries: Type.Array(Entry), result: true }),
    },
  },
  failures: { 404: 'no such bouquet' },
  run(parts, { file }) {
    const { services, parentalLock } = parts;
    const bouquet = bouquetNamed(parts, file);
    const { entries = [] } = services.list(ServiceReference.parse(bouquet.reference), { hidden: true }) ?? {};
    const shown = entries.map(({ reference, name }) => ({
      reference: reference.format(),
      name,
      own: reference.name,
      kind: reference.isMarker
        ? ('marker' as const)
        : reference.isDirectory
          ? ('bouquet' as const)
          : ('service' as const),
      hidden: reference.isHidden,
      locked: !reference.isMarker && parentalLock.lists(reference),
    }));
    return { body: { ...bouquet, entries: shown, result: true } };
  },
});

const entriesExample = '[{"reference": "1:0:19:2B66:3F3:1:C00000:0:0:0:", "own": "Alpha"}]';

/**
 * The entries of a bouquet: a list in a JSON body, or a text that contains such a list.
 * @throws ReceiverError `parameter-invalid`, `invalid-reference`
 */
const entryList = new Parameter<readonly WantedEntry[] | undefined>(
  'all entries in order: a JSON list of objects with `reference` and, optionally, `own` (name in this bouquet) and `hidden`',
  Type.String({ examples: [entriesExample] }),
  (given, name, all) => {
    if (given === undefined && all === undefined) return undefined;
    const invalid = (reason: string) =>
      fail('parameter-invalid', name, `${reason}; it must be a JSON list such as ${entriesExample}`);
    let entries: unknown;
    try {
      entries = given === undefined ? all?.map((entry) => JSON.parse(entry)) : JSON.parse(given);
    } catch {
      throw invalid('is not JSON');
    }
    if (!Array.isArray(entries)) throw invalid('is not a list');
    if (entries.length > maxEntries)
      throw fail('parameter-invalid', name, `has ${entries.length} entries; at most ${maxEntries} are allowed`);
    return entries.map((entry: unknown): WantedEntry => {
      const { reference, own, hidden = false } = Object(entry) as Readonly<Record<string, unknown>>;
      if (typeof reference !== 'string') throw invalid('has an entry without a reference');
      const parsed = ServiceReference.parse(reference);
      return { reference: parsed, name: typeof own === 'string' ? own : parsed.name, isHidden: hidden === true };
    });
  },
  { takes: 'objects' },
);

const change = route({
  method: 'PUT',
  path: '/bouquets/{file}',
  name: 'bouquetPut',
  summary: 'Changes the name, the visibility or the entries of a bouquet.',
  parameters: {
    ...fileSegment,
    name: text('new name', { example: 'Ships' }),
    hidden: boolean('hide it in the lists of apps'),
    entries: entryList,
  },
  bodyLimit: 8 * 2 ** 20,
  responses: { 200: { description: 'the bouquet is changed', schema: Done } },
  failures: { 404: 'no such bouquet' },
  async run({ services }, { file, name, hidden, entries }) {
    await changeBouquet(services, file, { name, isHidden: hidden, entries });
    return { body: { result: true } };
  },
});

const hide = route({
  method: 'PUT',
  path: '/bouquets/services',
  name: 'bouquetServicesPut',
  summary: 'Hides services in all bouquets that list them, or shows them again.',
  parameters: {
    services: texts('references of the services', { example: serviceExample }),
    hidden: boolean('hide them; otherwise, show them').or(true),
  },
  bodyLimit: 8 * 2 ** 20,
  responses: {
    200: {
      description: 'the services are hidden or shown',
      schema: recordSchema({
        bouquets: Type.Array(
          recordSchema({
            file: exampleFile,
            services: field(
              [serviceExample],
              'the services that were not hidden, or not shown, in this bouquet before',
            ),
          }),
        ),
        result: true,
      }),
    },
  },
  async run(parts, { services, hidden }) {
    const references = services.map((service) => ServiceReference.parse(service));
    const changed = await hideEverywhere(parts.services, references, hidden);
    const bouquets = changed.map(({ file, services }) => ({
      file,
      services: services.map((one) => one.withoutName().format()),
    }));
    return { body: { bouquets, result: true } };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/bouquets/{file}',
  name: 'bouquetDelete',
  summary: 'Deletes a bouquet; its services stay in the service list.',
  parameters: fileSegment,
  responses: { 200: { description: 'the bouquet is deleted', schema: Done } },
  failures: { 404: 'no such bouquet' },
  async run({ services }, { file }) {
    await removeBouquet(services, file);
    return { body: { result: true } };
  },
});

const importM3u = route({
  method: 'POST',
  path: '/bouquets/import',
  name: 'bouquetImport',
  summary:
    'Imports the channels of an IPTV list (M3U) into a bouquet. A bouquet imported under the same name is replaced.',
  parameters: { name: text('name of the bouquet', { example: 'My provider' }).required(), url: address },
  requestBody: {
    description: 'the M3U file',
    types: ['audio/x-mpegurl', 'application/octet-stream'],
    example: '#EXTM3U\n#EXTINF:-1 tvg-id="one" group-title="News",Channel One\nhttp://192.0.2.7/one.ts\n',
  },
  responses: {
    200: {
      description: 'what was imported',
      schema: recordSchema({
        channels: field(1, 'number of imported channels'),
        groups: field(1, 'number of groups'),
        skipped: field(0, 'number of entries that were skipped because they cannot be received'),
        problems: sampled(Type.Array(Type.String({ description: 'the first skipped entries, human-readable' })), []),
        guides: sampled(
          Type.Array(Type.String({ description: 'addresses of the guide files that the list names' })),
          [],
        ),
        result: true,
      }),
    },
  },
  failures: {
    ...addressFailures,
    400: 'no name, no channel that can be received, or a file of another kind',
    413: 'the list is too large',
  },
  run: importList,
});

/** Serialises imports: only one list is in memory, and the bodies of other requests wait in their connections. */
const importing = serialQueue();
/** An upload without a byte for this long is aborted, so that the next one can begin. */
const maxSilenceMs = 30_000;

/** The pieces of a body. Aborts the connection if no piece arrives for `maxSilenceMs`. */
async function* bodyPieces(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const abort = () => body.destroy(fail('parameter-invalid', 'body', 'has stopped on its way'));
  const timer = setTimeout(abort, maxSilenceMs).unref();
  try {
    // Leaving the loop early must not destroy the stream, because the response still uses its socket.
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      yield piece as Buffer;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function importList(
  { services, logos, network }: ReceiverParts,
  { name, url }: { readonly name: string; readonly url: string | undefined },
  { body }: FastifyRequest,
): Promise<RestResponse> {
  const plain = name.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (plain === '') throw fail('parameter-empty', 'name');
  const { found, groups } = await importing(async () => {
    const ofBody = body instanceof Readable ? bodyPieces(body) : [];
    const found = await readChannelList(url === undefined ? ofBody : network.download(url));
    if (found.channels.length === 0) throw fail('parameter-invalid', 'body', 'has no channel that can be received');
    const imported = await importChannels(services, plain, found.channels);
    await logos.add('list', imported.logos, imported);
    return { found, groups: imported.groups };
  });
  const { count: skipped, first } = found.skipped;
  const problems = first.map(({ line, name, why }) => `line ${line}: ${name === '' ? '' : `${name}: `}${why}`);
  return {
    body: { channels: found.channels.length, groups, skipped, problems, guides: [...found.guides], result: true },
  };
}

const pin = text('the current PIN; required if there is one', { example: '1234' });
const pinFailures = { 403: 'the PIN is wrong', 429: 'too many wrong PINs' };

const lockState = route({
  path: '/parentallock',
  name: 'parentalLock',
  summary: 'Whether the parental lock has a PIN, and whether a service requires it.',
  parameters: { service: serviceReference('a service or bouquet') },
  responses: {
    200: {
      description: 'the state',
      schema: recordSchema({
        set: field(true, 'the parental lock has a PIN'),
        locked: field(false, 'the service itself is locked'),
        refuses: field(
          true,
          'zapping requires the PIN: for the service, for a bouquet with it, or for the age rating of its event',
        ),
        result: true,
      }),
    },
  },
  async run(parts, { service = '' }) {
    const { services, parentalLock } = parts;
    const reference = service === '' ? undefined : services.resolve(service);
    const locked = reference !== undefined && parentalLock.lists(reference);
    const refuses = reference !== undefined && (await isLocked(parts, reference));
    return { body: { set: parentalLock.isSet, locked, refuses, result: true } };
  },
});

const lock = route({
  method: 'PUT',
  path: '/parentallock',
  name: 'parentalLockPut',
  summary: 'Locks or unlocks a service or bouquet.',
  parameters: {
    service: serviceReference('the service or bouquet').required(),
    locked: boolean('lock it; otherwise, unlock it').or(true),
    pin,
  },
  responses: { 200: { description: 'it is locked or unlocked', schema: Done } },
  failures: pinFailures,
  async run(parts, { service, locked, pin = '' }, request) {
    const { services, parentalLock } = parts;
    await parentalLock.lock(services.resolve(service), locked, pin, callerOf(request, parts).client());
    return { body: { result: true } };
  },
});

const code = route({
  method: 'POST',
  path: '/parentallock',
  name: 'parentalLockPost',
  summary: 'Sets or removes the PIN of the parental lock.',
  parameters: {
    code: integer('the new PIN; 0 removes it, and nothing is locked', { minimum: 0, maximum: 9999 }).or(0),
    pin,
  },
  responses: { 200: { description: 'the PIN is set or removed', schema: Done } },
  failures: pinFailures,
  async run(parts, { code, pin = '' }, request) {
    await parts.parentalLock.change(code, pin, callerOf(request, parts).client());
    return { body: { result: true } };
  },
});

const checkCode = route({
  method: 'POST',
  path: '/parentallock/check',
  name: 'parentalLockCheck',
  permission: 'view',
  summary: 'Checks the PIN of the parental lock, for apps that ask for it before they show a locked service.',
  parameters: { pin: text('the PIN', { example: '1234' }).required() },
  responses: { 200: { description: 'the PIN is right', schema: Done } },
  failures: pinFailures,
  async run(parts, { pin }, request) {
    await parts.parentalLock.check(pin, callerOf(request, parts).client());
    return { body: { result: true } };
  },
});

export const bouquetRoutes = group(
  'services',
  [list, add, order, candidates, hide, one, change, remove, importM3u, lockState, lock, code, checkCode],
  'admin',
);
