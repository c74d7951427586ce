/**
 * A request for each documented response of every route that is not an operation. Mandatory parameters that are missing
 * here are taken from the examples in the document.
 */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { accountsPath, noAccounts, writeAccounts } from '../../../src/access/accounts-file.ts';
import { permissions } from '../../../src/access/permissions.ts';
import { maxPluginFileBytes } from '../../../src/autotimer/plugin-file.ts';
import { buildRuleSpec, maxRules } from '../../../src/autotimer/rule.ts';
import { fail } from '../../../src/base/errors.ts';
import { localTime } from '../../../src/base/local-time.ts';
import { Settings } from '../../../src/config/enigma2-settings.ts';
import { Converter } from '../../../src/conversion/converter.ts';
import { maxListBytes } from '../../../src/iptv/channel-list.ts';
import type { LiveStill } from '../../../src/pictures/live-stills.ts';
import { ParentalLock } from '../../../src/playback/parental-lock.ts';
import { RecordingActions } from '../../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../../src/recordings/library/folders.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { StoredTimers } from '../../../src/timers/stored-timers.ts';
import { type Timer, timerSpec } from '../../../src/timers/timer.ts';
import { maxTimers, TimerList } from '../../../src/timers/timer-list.ts';
import { TimersFile } from '../../../src/timers/timers-file.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { cheapHashOf } from '../../fixtures/cheap-hash.ts';
import { until } from '../../fixtures/waits.ts';
import { alpha, beta, now, unknown } from '../receiver.ts';
import { autoTimerWith, type RestWorld } from './rest-world.ts';
import { timer } from './world.ts';

export type Values = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface RestRequest {
  readonly path?: Values;
  readonly query?: Values;
  readonly form?: Values;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request, or a function that prepares the receiver for it. */
export type Given = RestRequest | ((world: RestWorld) => RestRequest | Promise<RestRequest>);

const asked = (given: Given, world: RestWorld) => (typeof given === 'function' ? given(world) : given);

/** The response to the first request matches the example, the others use the rest of the schema. */
type Requests = Readonly<Record<number, Given | readonly Given[]>>;

/** Responses that would take too long here, and the test that covers them. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  'keepTimeshift 507': 'test/recordings/recorder.test.ts',
  'guidesourceAdd 404': 'test/guide-sources/guide-sources.test.ts',
  'grab 503': 'test/http/rest/grab.test.ts',
  'grab_post 503': 'test/http/rest/grab.test.ts',
};

const range = { headers: { Range: 'bytes=0-9' } };
const changed = { headers: { 'If-Match': '"another"' } };
const behind = { headers: { Range: 'bytes=1000000000-' } };

const noReference = { path: { service_reference: 'nonsense' } };
const noNumber = { path: { id: 'x' } };
const unknownId = { path: { id: 999_999 } };
const nothingPlaying: Given = ({ playback }) => {
  playback.current = undefined;
  return {};
};

// --- The guide

/** A guide that is larger than the maximum for an epg.dat, which its first bytes announce. */
function endlessGuide(): RestRequest {
  const megabyte = new Uint8Array(2 ** 20);
  let count = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(count === 0 ? Buffer.from('\0\0\0\0ENIGMA_EPG') : megabyte);
      if (++count > 257) controller.close();
    },
  });
  return { body };
}
/** A guide file with the channel of the examples has been imported. */
async function withGuideChannel({ parts }: RestWorld): Promise<RestRequest> {
  await parts.guideChannels.add(new Map([['omega.example', 'Omega TV']]));
  return {};
}
const badAddresses: Requests = {
  403: { query: { url: 'ftp://192.0.2.1/file' } },
  502: { query: { url: 'http://127.0.0.1:1/file' } },
};
/** The HDHomeRun server is on, and offers one channel. */
const asHdhomerun: Given = ({ replace }) => {
  const model = { number: 'HDHR4-2DT', firmware: 'hdhomerun4_dvbt', version: '20231214' } as const;
  replace({
    hdhomerun: {
      device: { deviceId: '12345674', name: 'receiverd', model, tunerCount: 2 },
      streamPort: 5004,
      channels: async () => [{ number: '7', name: 'Alpha HD', reference: ServiceReference.parse(alpha) }],
    },
  });
  return {};
};
const hdhomerun: Requests = { 200: asHdhomerun, 404: {} };

const oneGuide = '<tv><channel id="a"><display-name>Alpha HD</display-name></channel></tv>';
/** Starts a server on this machine that answers as `answer` says at the time. Returns its address. */
async function guideServer(answer: { body: string; status: number }): Promise<string> {
  const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body)).unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const withUrl = (body: string) => async () => ({ query: { url: await guideServer({ body, status: 200 }) } });
/** A source was added by HTTP, and its server now answers so. */
const withSource =
  (body = oneGuide, status = 200): Given =>
  async ({ parts: { guideSources } }) => {
    for (const { source } of guideSources.all) await guideSources.remove(source.id);
    const answer = { body: oneGuide, status: 200 };
    await guideSources.add(await guideServer(answer));
    Object.assign(answer, { body, status });
    return { path: { id: guideSources.all[0]?.source.id } };
  };
const unknownSource = { path: { id: 'unknown' } };

const guideFiles: Requests = { ...badAddresses, 200: {}, 400: { body: '<tv><programme' }, 413: endlessGuide };

// --- Recordings

const paths = {
  400: { path: { path: 'series//Ships.ts' } },
  403: { path: { path: '../lamedb' } },
  404: { path: { path: 'nosuch.ts' } },
} as const;

/** Starts copying the other recording. */
async function copying({ parts: { recordingActions }, other }: RestWorld) {
  truncateSync(other, 512 << 20);
  recordingActions.copy(other, join(dirname(other), 'series')).catch(() => undefined);
  return until(() => {
    const [transfer] = recordingActions.transfers;
    if (transfer === undefined) throw new Error('no transfer is running');
    return transfer;
  });
}

const movie = '/media/hdd/movie/';
const ended = { from: `${movie}Ships.ts`, format: 'mkv', isCut: true, progress: 1, error: '' } as const;
const exportsListed = [
  { ...ended, id: 1, state: 'done', to: `${movie}Exports/Ships.mkv` },
  { ...ended, id: 2, state: 'running', progress: 0.5 },
] as const;

/** A request while there are exports; adding one fails with `error`. */
const withExports =
  (request: RestRequest, error?: Error): Given =>
  ({ replace }) => {
    const add = async () => {
      if (error) throw error;
      return exportsListed[1];
    };
    replace({ exports: { list: exportsListed, names: 'recording', add, remove: (id) => id === 1 } });
    return request;
  };

const deletions: Requests = {
  200: { path: { path: 'Other.ts' } },
  ...paths,
  400: { path: { path: 'series' } },
  409: async (world) => {
    await copying(world);
    return { path: { path: 'Other.ts' } };
  },
};

// --- Timers

const manual = { start_time: now + 7200, end_time: now + 9000, title: 'Films' };
/** A service on another multiplex. */
const elsewhere = '1:0:19:1:777:1:C00000:0:0:0:';
const outside = { dirname: '/etc' };

/** A list that cannot be written, because a folder has the name of its file. */
const withUnwritable =
  (name: string, request: Given): Given =>
  async (world) => {
    const given = await asked(request, world);
    const path = join(world.folder, name);
    rmSync(path, { force: true });
    mkdirSync(join(path, 'in the way'), { recursive: true });
    return given;
  };

/** Deletes a timer, if there still is one. The request restores it. */
const deletedTimer = async ({ parts: { timers } }: RestWorld): Promise<RestRequest> => {
  const [{ id }] = timers.all.length > 0 ? (timers.all as readonly [Timer]) : [{ id: 1 }];
  await timers.remove(id);
  return { form: { timer_id: id } };
};

/** With the maximum number of timers. */
const withAllTimers: Given = ({ folder, parts, replace }) => {
  const [one] = parts.timers.all as readonly [Timer];
  const file = new StoredTimers(new TimersFile(join(folder, 'many.xml')), new TimersFile(join(folder, 'none.xml')));
  const { clock } = parts;
  const zone = localTime('Europe/Berlin');
  const log = pino({ level: 'silent' });
  const all = Array.from({ length: maxTimers }, (_, index) => ({ ...one, id: index + 1 }));
  replace({ timers: new TimerList({ file, clock, zone, log, reception: () => undefined }, all) });
  return { form: manual };
};

// --- Rules

const weather = buildRuleSpec({ match: 'weather', name: 'Weather' });

const rule = async ({ parts: { autoTimer } }: RestWorld): Promise<RestRequest> => {
  const { id } = await autoTimer.rules.add(weather);
  await autoTimer.runChangedRules();
  return { path: { id } };
};

const withAllRules: Given = (world) => {
  const all = Array.from({ length: maxRules }, (_, index) => ({ ...weather, id: index + 1, enabled: false }));
  world.replace({ autoTimer: autoTimerWith(world, all) });
  return {};
};

/** A request from a page of another site. */
const elsewhereOnTheWeb = { headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://other.example' } };

// --- Accounts

/** With a user. `wrong`: number of wrong passwords sent before. */
const withUser =
  (password: string, wrong = 0, further = {}): Given =>
  async ({ folder, replace }) => {
    const own = join(folder, 'accounts');
    const rights = ['view' as const, 'control' as const];
    const anna = { name: 'anna', rights, password: cheapHashOf('correct horse') };
    await writeAccounts(accountsPath(own), { ...noAccounts(), users: [anna] });
    const accessControl = openAccessControl(own);
    await accessControl.accounts.refresh();
    for (let n = 0; n < wrong; n++) await accessControl.logIn('anna', 'wrong', '127.0.0.1').catch(() => undefined);
    replace({ accessControl });
    return { form: { user: 'anna', password, ...further } };
  };

// --- Bouquets and the parental lock

const noBouquet = { path: { file: 'userbouquet.none.tv' } };
const emptyBouquet = 'userbouquet.empty.tv';

/** With an empty bouquet, which is added again if a request has removed it. */
const withEmptyBouquet: Given = ({ parts: { services } }) => {
  services.edit(({ bouquet, addBouquet }) => bouquet(emptyBouquet) ?? addBouquet('Empty', 'tv', emptyBouquet));
  return { path: { file: emptyBouquet } };
};

/** After so many wrong PINs that the client has to wait. */
const withWrongPins: Given = async ({ parts, replace }) => {
  const parentalLock = new ParentalLock(parts.services, parts.settings);
  for (let n = 0; n < 6; n++) await parentalLock.check('1', '127.0.0.1').catch(() => undefined);
  replace({ parentalLock });
  return { form: { service: alpha, pin: '1' } };
};

// --- Settings

/** With a settings file that is not valid YAML. */
const withInvalidSettings =
  (request: RestRequest): Given =>
  ({ folder }) => {
    writeFileSync(join(folder, 'receiverd.yaml'), 'name: [');
    return request;
  };

/** With a box among the tuners. */
const withBox =
  (request: RestRequest): Given =>
  ({ folder }) => {
    writeFileSync(join(folder, 'receiverd.yaml'), 'tuners: [enigma2:192.0.2.9]');
    return request;
  };

const setupCode = 'K7QM-3XPA';

/** With a setup code. `isThere`: there is an administrator already. `wrong`: number of wrong codes sent before. */
const withSetupCode =
  (code: string, { password = 'correct horse', isThere = false, wrong = 0 } = {}): Given =>
  async ({ folder, replace }) => {
    const own = mkdtempSync(join(folder, 'own-'));
    const accessControl = openAccessControl(own, { setupCode });
    if (isThere) await accessControl.accounts.put({ kind: 'user', name: 'bert', password, permissions: ['admin'] });
    for (let n = 0; n < wrong; n++)
      await accessControl.addFirst('AAAA-AAAA', 'anna', password, '127.0.0.1').catch(() => undefined);
    replace({ accessControl });
    return { form: { code, password } };
  };

/** With separate accounts, so that later requests need no login. `user`: an account in the file, not read yet. */
const withOwnAccounts =
  (form: Values, { name = 'anna', user = '' } = {}): Given =>
  async ({ folder, replace }) => {
    const own = mkdtempSync(join(folder, 'own-'));
    const one = { name: user, rights: [...permissions], password: cheapHashOf('correct horse') };
    if (user) await writeAccounts(accountsPath(own), { ...noAccounts(), users: [one] });
    const accessControl = openAccessControl(own);
    replace({ accessControl });
    return { path: { kind: 'user', name }, form };
  };

const noRule = { 400: noNumber, 404: unknownId };

// --- Timeshift

const withTimeshift =
  (request: RestRequest = {}): Given =>
  async ({ replace, timeshifts }) => {
    replace({ timeshifts: await timeshifts() });
    return request;
  };

const segment =
  (request: RestRequest = {}): Given =>
  async ({ replace, timeshifts }) => {
    const running = await timeshifts();
    replace({ timeshifts: running });
    return { path: { segment: `${running.active?.segments[0]?.sequence}.ts` }, ...request };
  };

// --- Live streams

const withLiveStreams =
  (request: RestRequest = {}): Given =>
  async ({ replace, watching }) => {
    replace(await watching());
    return request;
  };

/** With streams that cannot be opened. */
const withFailingStreams =
  (code: 'not-allowed' | 'unsupported' | 'stream-failed' | 'no-signal'): Given =>
  ({ replace, parts }) => {
    const refuse = async () => {
      throw fail(code, 'the service', 'gone');
    };
    replace({
      streams: { ...parts.streams, open: refuse },
      liveSegments: { ...parts.liveSegments, segmentsOf: refuse },
    });
    return {};
  };

const streamFailures: Requests = {
  403: withFailingStreams('not-allowed'),
  501: withFailingStreams('unsupported'),
  502: withFailingStreams('stream-failed'),
  503: {},
  504: withFailingStreams('no-signal'),
};

const liveSegment =
  (request: RestRequest = {}): Given =>
  async ({ replace, watching }) => {
    const { streams, liveSegments } = await watching();
    replace({ streams, liveSegments });
    const { growing } = await liveSegments.segmentsOf({ reference: ServiceReference.parse(alpha) }, 'test');
    return { path: { segment: `${growing.sequence - 1}.ts` }, ...request };
  };

/** A recording to convert, without ffmpeg or without a free conversion. */
const withoutConverter =
  (converter: ConstructorParameters<typeof Converter>[0]): Given =>
  async ({ replace, recording }) => {
    const own = new Converter(converter, pino({ level: 'silent' }));
    for (let n = 0; n < converter.maximum && converter.path === 'ffmpeg'; n++) await own.start({ what: 'sound' });
    replace({ converter: own });
    return { query: { file: recording, convert: 'sound' } };
  };

const recorded: Given = ({ recording }) => ({ query: { file: recording } });

/** A picture that was fetched for an event. */
const fetchedPicture =
  (request: RestRequest = {}, isThere = true): Given =>
  ({ replace, parts, folder }) => {
    const guide: typeof parts.guide = Object.create(parts.guide, {
      pictureOf: { value: async () => 'http://pictures.example/1.png' },
    });
    const path = isThere ? join(folder, 'picon', 'beta.png') : undefined;
    replace({ guide, webPictures: { mayHave: () => true, isPending: () => !isThere, day: 0, find: async () => path } });
    return request;
  };

type Made = 'frame.jpg' | 'later' | 'none';

function makes({ replace, folder }: RestWorld, picture: Made): void {
  const path = join(folder, 'frame.jpg');
  writeFileSync(path, 'JPEG');
  const found = { 'frame.jpg': path, later: 'later', none: undefined }[picture];
  const find = async () => found;
  replace({ recordingPictures: { find, findPreview: find, findShifted: find } });
}

/** A picture of the recording, none yet, or none. */
const madePicture =
  (picture: Made, request: RestRequest = {}): Given =>
  (world) => {
    makes(world, picture);
    return { query: { file: world.recording }, ...request };
  };

/** A preview of timeshift, none yet, or none. */
const shiftedPicture =
  (picture: Made, request: RestRequest = {}): Given =>
  async (world) => {
    makes(world, picture);
    const timeshifts = await world.timeshifts();
    world.replace({ timeshifts });
    return { query: { service_reference: timeshifts.active?.reference.format() ?? '', time: 1 }, ...request };
  };

const withStill =
  (still: LiveStill): Given =>
  ({ replace, folder }) => {
    // Without the parental lock.
    const settings = Settings.read(join(folder, 'no-settings'));
    replace({ liveStills: { find: async () => still }, settings });
    return {};
  };

/** With the maximum number of clients of an endless response. */
const withAllClients =
  (path: string, count: number, given: Given): Given =>
  async (world) => {
    const request = await asked(given, world);
    await Promise.all(Array.from({ length: count }, () => world.follow(path)));
    return request;
  };

/** The requests by the name of the route, then by status. */
export const restRequests: Readonly<Record<string, Requests>> = {
  eventlookup: {
    200: [
      { query: { minutes: 0 } },
      { query: { flags: 'IBDTSECRNnPWX', event_id: 4711 } },
      { query: { service_reference: beta, flags: 'IRX', querytype: 2, begin: 1 } },
    ],
    400: { query: { service_reference: undefined } },
  },
  eventsearch: {
    200: [
      // With the parameters that the other query types need.
      { query: { what: 'ships', service_reference: alpha, event_id: 4711 } },
      { query: { what: 'ships' } },
      { query: { what: 'ships', querytype: 'title-is', flags: 'NPW', max_rows: 1 } },
    ],
    400: [{}, { query: { what: 'ships', flags: '?' } }, { query: { what: 'ships', querytype: 'nonsense' } }],
  },
  eventsuggest: { 200: { query: { what: 'shi' } }, 400: { query: { max_rows: 0 } } },
  epgimport: guideFiles,
  epgimportPut: guideFiles,
  frontends: { 200: {}, 403: elsewhereOnTheWeb },
  satipservers: { 200: {}, 403: elsewhereOnTheWeb },
  hdhomeruns: { 200: {}, 403: elsewhereOnTheWeb },
  enigma2boxes: { 200: {}, 403: elsewhereOnTheWeb },
  enigma2status: { 200: {} },
  enigma2loginPost: {
    200: withBox({ form: { source: 'enigma2:192.0.2.9', user: 'root', password: 'secret' } }),
    400: { form: { source: 'enigma2:192.0.2.9', user: '' } },
    403: [
      { form: { source: 'enigma2:192.0.2.9', user: 'root' } },
      withBox({ form: { source: 'enigma2:192.0.2.9', user: 'root', password: 'wrong' } }),
    ],
  },
  hdhomerunDiscover: hdhomerun,
  hdhomerunLineup: hdhomerun,
  hdhomerunLineupXml: hdhomerun,
  hdhomerunPlaylist: hdhomerun,
  hdhomerunLineupStatus: hdhomerun,
  hdhomerunScan: hdhomerun,
  hdhomerunDescription: hdhomerun,
  hdhomerunCapability: hdhomerun,
  hdhomerunGuide: hdhomerun,
  guidechannels: { 200: {}, 400: { query: { max: 0 } } },
  guidechannelsearch: { 200: withGuideChannel, 400: { query: { max: 0 } }, 403: elsewhereOnTheWeb },
  setguidepriority: { 200: { form: { service_reference: alpha } }, 400: { form: { priority: 10 } } },
  guidesources: { 200: withSource(), 403: elsewhereOnTheWeb },
  guidesourceAdd: { ...badAddresses, 200: withUrl(oneGuide), 400: withUrl('<tv><programme') },
  guidesourceDelete: { 200: withSource(), 404: unknownSource },
  guidesourcePriority: { 200: withSource(), 400: { form: { priority: 10 } }, 404: unknownSource },
  guidesourceRefresh: { 200: withSource(), 404: unknownSource, 502: withSource('', 500) },
  chooseguidechannel: {
    200: withGuideChannel,
    400: { form: { service_reference: 'x' } },
    404: { form: { channel: 'unknown.example' } },
  },
  services: {
    200: [{}, { query: { compat: 1 } }, { query: { format: 'object' } }],
    400: { query: { format: 'nonsense' } },
  },
  televisionServices: { 200: [{}, { query: { format: 'object' } }], 400: { query: { format: 'nonsense' } } },
  radioServices: { 200: {}, 400: { query: { format: 'nonsense' } } },
  servicesOfType: { 200: {}, 400: { query: { format: 'nonsense' } }, 404: { path: { type: 'foo' } } },
  currentEvent: {
    200: [
      {},
      async ({ playback, recording }) => {
        await playback.zap(ServiceReference.parse(`1:0:0:0:0:0:0:0:0:0:${recording}`));
        return {};
      },
    ],
    503: nothingPlaying,
  },
  currentEventOf: { 200: {}, 400: noReference, 503: { path: { service_reference: beta } } },
  currentEventItem: {
    200: {},
    400: [noReference, { path: { item: 'x' } }],
    404: { path: { item: 1 } },
    503: { path: { service_reference: beta } },
  },
  messages: {
    200: ({ parts }) => {
      parts.device.messages.show('question', 'Record the film?', 60);
      return {};
    },
  },
  messageAnswer: {
    200: ({ parts }) => ({ path: parts.device.messages.show('question', 'Record the film?') && { id: lastId(parts) } }),
    400: { form: { answer: 'perhaps' } },
    404: unknownId,
  },
  notifications: {
    200: ({ parts }) => {
      parts.notifications.publish('recordingFailed', { title: 'Ships & Harbours', problem: 'no signal' });
      return {};
    },
  },
  notificationTargets: { 200: {}, 403: elsewhereOnTheWeb },
  notificationDismiss: { 200: { form: { id: 'x' } }, 400: { form: { id: '' } }, 403: elsewhereOnTheWeb },
  notificationTest: { 200: {}, 403: elsewhereOnTheWeb },
  login: { 200: {} },
  logIn: {
    200: withUser('correct horse'),
    400: { form: { user: '', password: '' } },
    401: withUser('wrong'),
    429: withUser('correct horse', 10),
  },
  passwordPut: {
    200: withUser('correct horse', 0, { new_password: 'battery staple' }),
    400: withUser('correct horse', 0, { new_password: 'short' }),
    401: withUser('wrong', 0, { new_password: 'battery staple' }),
    429: withUser('correct horse', 10, { new_password: 'battery staple' }),
  },
  logOut: { 200: {} },
  recordingFolderPost: {
    200: ({ folder }) => ({ form: { folder: join(folder, 'movie', 'new') } }),
    400: ({ folder }) => ({ form: { folder: join(folder, 'movie', '.hidden') } }),
    403: { form: { folder: '/etc/new' } },
    404: ({ folder, parts: { recordings: library, settings }, replace }) => {
      const folders = new RecordingFolders([join(folder, 'gone')]);
      replace({ recordingActions: new RecordingActions({ folders, library, settings }) });
      return { form: { folder: join(folder, 'gone', 'new') } };
    },
  },
  administratorPost: {
    200: withSetupCode(setupCode),
    400: withSetupCode(setupCode, { password: 'short' }),
    401: [withSetupCode('AAAA-AAAA'), withSetupCode(setupCode, { isThere: true })],
    429: withSetupCode(setupCode, { wrong: 10 }),
  },
  accounts: { 200: {}, 403: elsewhereOnTheWeb },
  accountPut: {
    200: withOwnAccounts({ password: 'correct horse' }),
    400: [withOwnAccounts({ password: 'short' }), withOwnAccounts({ password: 'correct horse' }, { name: 'a b' })],
  },
  accountDelete: {
    200: withOwnAccounts({}, { user: 'anna' }),
    400: { path: { kind: 'guest', name: 'anna' } },
    404: withOwnAccounts({}, { name: 'bert' }),
  },
  file: {
    200: [
      ({ folder }) => ({ query: { dir: join(folder, 'movie') } }),
      ({ folder }) => ({ query: { dir: join(folder, 'movie', 'nosuch') } }),
      ({ recording }) => ({ query: { file: recording } }),
      ({ recording }) => ({ query: { file: recording, action: 'stream', name: 'Ships' } }),
      { query: { file: '/etc/enigma2/lamedb' } },
      { query: { file: '/usr/share/enigma2/picon/beta.png' } },
    ],
    206: ({ recording }) => ({ query: { file: recording }, ...range }),
    400: {},
    403: { query: { file: '/etc/passwd' } },
    404: ({ folder }) => ({ query: { file: join(folder, 'movie', 'nosuch.ts') } }),
    412: ({ recording }) => ({ query: { file: recording }, ...changed }),
    416: ({ recording }) => ({ query: { file: recording }, ...behind }),
  },
  recordings: {
    200: [{}, ({ folder }) => ({ query: { folder: join(folder, 'movie') } })],
    400: { query: { limit: -1 } },
    403: { query: { folder: '/etc' } },
  },
  recordingsOf: { 200: [{}, { path: { path: 'series' } }], ...paths },
  recordingRoot: { 200: {}, 400: { query: { recursive: 'nonsense' } }, 403: { query: { folder: '/etc' } } },
  storage: { 200: {} },
  locationfolders: {
    200: [{}, ({ folder }) => ({ query: { folder: join(folder, 'movie') } })],
    400: { query: { folder: 'movie' } },
    403: { query: { folder: '/etc' } },
    404: ({ folder }) => ({ query: { folder: join(folder, 'movie', 'nosuch') } }),
  },
  recording: {
    200: [{}, { query: { stream: 1 } }],
    206: range,
    ...paths,
    412: { query: { stream: 1 }, ...changed },
    416: behind,
  },
  deleteAllRecordings: { 400: {} },
  deleteRecordingRoot: { 400: {} },
  deleteRecordings: deletions,
  deleteRecording: deletions,
  transfers: {
    200: async (world) => {
      await copying(world);
      return {};
    },
  },
  cancelTransfer: { 200: async (world) => ({ path: { id: (await copying(world)).id } }), ...noRule },
  exports: { 200: withExports({}) },
  addExport: {
    200: withExports({ form: { file: 'Other.ts', format: 'mp4', cut: 1, names: 'media' } }),
    400: { form: { file: 'Other.ts', format: 'avi' } },
    403: { form: { file: '/etc/passwd' } },
    404: { form: { file: 'nosuch.ts' } },
    409: withExports({ form: { file: 'Other.ts' } }, fail('recording-active', 'Other.ts')),
    503: withExports({ form: { file: 'Other.ts' } }, fail('too-many-exports', 32)),
  },
  removeExport: { 200: withExports({ path: { id: 1 } }), ...noRule },
  timers: { 200: {}, 400: { query: { state: 'nonsense' } } },
  timersOf: { 200: [{}, { path: { service_reference: beta } }], 400: noReference },
  timersDelete: { 400: [{}, noReference] },
  timerItem: {
    200: [{}, ({ parts }) => ({ path: { item: `t${parts.timers.all[0]?.id}` } })],
    400: [noReference, { path: { item: 'x' } }],
    404: { path: { item: 1 } },
  },
  timerDelete: {
    200: {},
    400: { path: { item: 'x' } },
    404: { path: { item: 1 } },
    500: withUnwritable('timers.xml', {}),
  },
  timerRestore: {
    200: deletedTimer,
    400: { form: { timer_id: 0 } },
    404: { form: { timer_id: 999 } },
    500: async (world) => asked(withUnwritable('timers.xml', await deletedTimer(world)), world),
    507: async (world) => {
      await asked(withAllTimers, world);
      const given = await deletedTimer(world);
      const [one] = world.parts.timers.all as readonly [Timer];
      await world.parts.timers.add({ ...one, allowDuplicate: true });
      return given;
    },
  },
  timerPost: {
    200: { form: { start_time: timer.begin, end_time: timer.end, title: 'Ships' } },
    201: [{ form: { id: 4712 } }, { form: manual }],
    400: [{}, { form: { ...manual, afterevent: 'nonsense' } }],
    403: { form: { ...manual, ...outside } },
    404: { form: { id: 1 } },
    409: async ({ parts }) => {
      const [one] = parts.timers.all as readonly [Timer];
      return { form: { ...manual, service_reference: elsewhere, start_time: one.begin, end_time: one.end } };
    },
    500: withUnwritable('timers.xml', { form: manual }),
    503: { form: { ...manual, service_reference: unknown } },
    501: { form: { ...manual, service_reference: '1:64:1:0:0:0:0:0:0:0::x' } },
    507: withAllTimers,
  },
  timerPut: {
    200: { form: { title: 'Ships again' } },
    400: { form: { repeat_mask: 128 } },
    403: { form: outside },
    404: { path: { item: 1 } },
    409: async ({ parts }) => {
      const [one] = parts.timers.all as readonly [Timer];
      const reference = ServiceReference.parse(elsewhere);
      await parts.timers.add({ ...one, reference, begin: one.end, end: one.end + 60, eventId: undefined });
      return { form: { end_time: one.end + 30 } };
    },
    500: withUnwritable('timers.xml', { form: { title: 'Ships again' } }),
    503: async ({ parts }) => {
      const reference = ServiceReference.parse(unknown);
      const { timer } = await parts.timers.add(
        timerSpec({ reference, begin: now, end: now + 60, name: 'Off', disabled: true }),
      );
      return { path: { service_reference: unknown, item: `t${timer.id}` }, form: { disabled: 0 } };
    },
  },
  conflicts: {
    200: async ({ parts }) => {
      const [one] = parts.timers.all as readonly [Timer];
      const reference = ServiceReference.parse(elsewhere);
      await parts.timers.add({ ...one, reference, eventId: undefined, conflictDetection: false });
      return {};
    },
  },
  timeshift: { 200: [withTimeshift(), {}] },
  timeshiftPlaylist: { 200: withTimeshift(), 404: {} },
  timeshiftEntry: { 200: withTimeshift(), 404: {} },
  timeshiftSegment: { 200: segment(), 206: segment(range), 404: {}, 412: segment(changed), 416: segment(behind) },
  timeshiftStream: {
    200: withTimeshift(),
    400: withTimeshift({ query: { position: 'x' } }),
    404: {},
    503: withAllClients('/timeshift.ts', 48, withTimeshift()),
  },
  liveStream: {
    ...streamFailures,
    200: withLiveStreams(),
    400: { query: { convert: 'x' } },
    404: { query: { sRef: unknown } },
  },
  liveStreamByPath: {
    ...streamFailures,
    200: withLiveStreams(),
    400: noReference,
    404: { path: { service_reference: unknown } },
  },
  hlsPlaylist: {
    ...streamFailures,
    200: withLiveStreams(),
    400: noReference,
    404: { path: { service_reference: unknown } },
  },
  hlsSegment: {
    200: liveSegment(),
    206: liveSegment(range),
    400: noReference,
    404: {},
    412: liveSegment(changed),
    416: liveSegment(behind),
  },
  recordingPlaylist: {
    200: recorded,
    400: { query: { file: '' } },
    403: { query: { file: '/etc/passwd' } },
    404: { query: { file: '/media/hdd/movie/none.ts' } },
  },
  recordingStream: {
    200: recorded,
    400: async (world) => ({ query: { ...(await asked(recorded, world)).query, time: 'x' } }),
    403: { query: { file: '/etc/passwd' } },
    404: { query: { file: '/media/hdd/movie/none.ts' } },
    501: withoutConverter({ path: '/nonexistent/ffmpeg', maximum: 1 }),
    503: withoutConverter({ path: 'ffmpeg', maximum: 1 }),
  },
  conversion: { 200: {} },
  servicePicture: {
    200: {},
    204: { query: { service_reference: unknown } },
    206: range,
    400: { query: { service_reference: 'nonsense' } },
    412: changed,
    416: behind,
  },
  eventPicture: {
    200: fetchedPicture(),
    202: fetchedPicture({}, false),
    204: {},
    206: fetchedPicture(range),
    400: { query: { event_id: 'x' } },
    412: fetchedPicture(changed),
    416: fetchedPicture(behind),
  },
  recordingPicture: {
    200: madePicture('frame.jpg'),
    202: madePicture('later'),
    204: [madePicture('none'), { query: { file: '/media/hdd/movie/none.ts' } }],
    206: madePicture('frame.jpg', { headers: { Range: 'bytes=0-1' } }),
    400: { query: { file: '' } },
    403: { query: { file: '/etc/passwd' } },
    412: madePicture('frame.jpg', changed),
    416: madePicture('frame.jpg', behind),
  },
  timeshiftPicture: {
    200: shiftedPicture('frame.jpg'),
    202: shiftedPicture('later'),
    204: [shiftedPicture('none'), { query: { service_reference: alpha, time: 1 } }],
    206: shiftedPicture('frame.jpg', { headers: { Range: 'bytes=0-1' } }),
    400: { query: { service_reference: undefined, time: 1 } },
    412: shiftedPicture('frame.jpg', changed),
    416: shiftedPicture('frame.jpg', behind),
  },
  livePicture: {
    200: withStill(Buffer.from('JPEG')),
    202: withStill('later'),
    204: { query: { service_reference: unknown } },
    400: { query: { service_reference: 'nonsense' } },
  },
  keepTimeshift: {
    200: withTimeshift(),
    400: withTimeshift({ form: { from: 'x' } }),
    403: withTimeshift({ form: { folder: '/etc' } }),
    404: {},
  },
  endKeptTimeshift: { 200: [withTimeshift(), {}] },
  autotimers: {
    200: async (world) => {
      await rule(world);
      return {};
    },
  },
  autotimer: { 200: rule, ...noRule },
  autotimerMatches: { 200: rule, ...noRule },
  autotimerPreview: {
    200: [
      async (world) => {
        const { path } = await rule(world);
        return { form: { id: path?.id, weekdays: 127 } };
      },
      { form: { match: 'Weather' } },
    ],
    400: { form: { match: '' } },
    403: { form: { match: 'Weather', ...outside } },
    404: { form: { id: 999_999 } },
  },
  autotimerPost: {
    201: {},
    400: { form: { match: '' } },
    403: { form: outside },
    500: withUnwritable('autotimers.json', {}),
    507: withAllRules,
  },
  autotimersXml: { 200: rule },
  autotimersImport: {
    200: {},
    400: { body: '<autotimer>\n<timer match="x">' },
    413: { body: ' '.repeat(maxPluginFileBytes + 1) },
    500: withUnwritable('autotimers.json', {}),
    507: async (world) => ({
      ...(await asked(withAllRules, world)),
      body: '<autotimer><timer match="films"/></autotimer>',
    }),
  },
  autotimerPut: {
    200: rule,
    ...noRule,
    403: async (world) => ({ ...(await rule(world)), form: outside }),
    500: withUnwritable('autotimers.json', async (world) => ({ ...(await rule(world)), form: { weekdays: 1 } })),
  },
  autotimerDelete: { 200: rule, ...noRule, 500: withUnwritable('autotimers.json', rule) },
  evil: {
    200: [{ form: { uma: 'version' } }, { form: { uma: 'import os' } }],
    400: {},
    429: withAllClients('/api/evil', 20, { form: { uma: 'echo' } }),
  },
  events: {
    200: {},
    400: { query: { types: 'nonsense' } },
    404: { query: { tuner: 7 } },
    503: withAllClients('/api/events', 3, {}),
  },
  metrics: { 200: {} },
  health: { 200: {}, 503: stopping },
  healthReady: { 200: {}, 503: stopping },
  healthLive: { 200: [{}, stopping] },
  bouquetFiles: { 200: {} },
  bouquetPost: { 201: {}, 400: { form: { kind: 'cinema' } } },
  bouquetOrder: {
    200: { form: { files: ['userbouquet.second.tv'] } },
    400: { form: { kind: 'cinema' } },
    404: { form: { files: ['userbouquet.none.tv'] } },
  },
  bouquetServices: { 200: {} },
  bouquetServicesPut: {
    200: [{ form: { services: alpha } }, { form: { services: alpha, hidden: 0 } }],
    400: { form: { services: 'x' } },
    413: { form: { services: 'x'.repeat(8 * 2 ** 20 + 1) } },
  },
  bouquetEntries: { 200: {}, 404: noBouquet },
  bouquetPut: {
    200: { form: { name: 'Mine', hidden: 1 } },
    400: [{ form: { name: ' ' } }, { form: { entries: '{}' } }, { form: { entries: '[{"reference": "x"}]' } }],
    404: noBouquet,
    413: { form: { entries: 'x'.repeat(8 * 2 ** 20 + 1) } },
  },
  bouquetDelete: { 200: withEmptyBouquet, 404: noBouquet },
  bouquetImport: { ...badAddresses, 200: {}, 400: { body: '#EXTM3U' }, 413: { body: ' '.repeat(maxListBytes + 1) } },
  parentalLock: { 200: [{ query: { service: alpha } }, {}], 400: { query: { service: 'x' } } },
  parentalLockPut: {
    200: { form: { service: alpha, pin: '1234' } },
    400: { form: { service: 'x' } },
    403: { form: { service: alpha, pin: '1' } },
    429: withWrongPins,
  },
  parentalLockPost: {
    200: { form: { code: 1234, pin: '1234' } },
    400: { form: { code: 10_000 } },
    403: { form: { code: 1, pin: '1' } },
    429: withWrongPins,
  },
  parentalLockCheck: {
    200: { form: { pin: '1234' } },
    400: { form: { pin: '' } },
    403: { form: { pin: '1' } },
    429: withWrongPins,
  },
  log: { 200: [{}, { query: { after: 1 } }], 400: { query: { after: -1 } }, 403: elsewhereOnTheWeb },
  doctor: { 200: {}, 403: elsewhereOnTheWeb },
  configuration: { 200: {}, 403: elsewhereOnTheWeb, 500: withInvalidSettings({}) },
  configurationPost: {
    200: { form: { changes: '{"name": "Kitchen"}' } },
    400: [{ form: { changes: '[]' } }, { form: { changes: '{"guide.history": "long"}' } }],
    403: { form: { changes: '{"bind": "::1"}' } },
    404: { form: { changes: '{"colour": "red"}' } },
    500: withInvalidSettings({ form: { changes: '{"name": "Kitchen"}' } }),
  },
  logLevel: { 200: {} },
  logLevelPost: { 200: { form: { level: 'debug' } }, 400: [{ form: { level: '' } }, { form: { level: 'loud' } }] },
  openapi2: { 200: {} },
  openapi2Index: { 200: {} },
  openapi31: { 200: {} },
  picon: { 200: {}, 404: { path: { file: 'nosuch.png' } }, 412: changed },
  default_picon: { 200: {} },
  // A small picture: a JPEG of normal size takes half a second, and each parameter is tested with several requests.
  grab: { 200: { query: { r: '64' } } },
  grab_post: { 200: { query: { r: '64' } } },
  plugin_autotimer: { 200: {} },
  plugin_autotimer_post: { 200: {} },
  plugin_autotimer_get: { 200: {} },
  plugin_autotimer_get_post: { 200: {} },
  plugin_autotimer_set: { 200: { query: { add_name_to_tags: 'false' } }, 403: elsewhereOnTheWeb },
  plugin_autotimer_set_post: { 200: { form: { add_name_to_tags: 'false' } } },
  plugin_autotimer_edit: { 200: { query: { match: 'Weather' } }, 403: elsewhereOnTheWeb },
  plugin_autotimer_edit_post: { 200: { form: { match: 'Weather' } } },
  plugin_autotimer_change: { 200: {}, 403: elsewhereOnTheWeb },
  plugin_autotimer_change_post: { 200: {} },
  plugin_autotimer_remove: { 200: {}, 403: elsewhereOnTheWeb },
  plugin_autotimer_remove_post: { 200: {} },
  plugin_autotimer_parse: { 200: {}, 403: elsewhereOnTheWeb },
  plugin_autotimer_parse_post: { 200: {} },
  plugin_autotimer_simulate: { 200: {} },
  plugin_autotimer_simulate_post: { 200: {} },
  plugin_autotimer_test: { 200: {} },
  plugin_autotimer_test_post: { 200: {} },
  page: { 200: {} },
};

function stopping({ replace }: RestWorld): RestRequest {
  replace({ phase: 'stopping' });
  return {};
}

const lastId = ({ device }: RestWorld['parts']) => device.messages.open.at(-1)?.id;
