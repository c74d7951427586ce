/**
 * `/recordings` and `/recording`: lists and deletes recordings, and returns their bytes.
 *
 * A path in the URL is relative to the default recording folder. A path in another recording folder begins with the name
 * of that folder.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import type { GuideEvent } from '../../../epg/event.ts';
import type { Cut, CutKind } from '../../../recordings/files/cuts-file.ts';
import { ticksPerSecond } from '../../../recordings/files/meta-file.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { type RecordingFolders, withSlash } from '../../../recordings/library/folders.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { refuseTicket } from '../../middleware/login.ts';
import { boolean, integer, type ParameterValues, text } from '../../middleware/parameters.ts';
import { channelOf } from '../../operations/recordings/movies.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { exampleOf, field, nullable, recordSchema, sampled } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { eventKeys, eventRecord, exampleService } from '../event-record.ts';
import { segmentText } from '../segments.ts';

/** Clients of these routes expect this service for a file without metadata. */
const noService = '-1:0:0:0:0:0:0:0:0:0:';

const exampleName = '20260101 1857 - Alpha HD - Ships.ts';

/** A position in seconds, and the kind of mark. */
const Mark = Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 });

const Meta = recordSchema(
  {
    Description: Type.Optional(field('Episode 3', 'short text')),
    Serviceref: field(exampleService.service_reference, 'the recorded channel'),
    TimeCreate: Type.Optional(field(1767290220, 'begin, Unix seconds')),
    FileSize: field(188, 'bytes'),
    Tags: Type.Optional(field('EPG', 'separated by spaces')),
    IsScrambled: Type.Optional(field(0, '0 or 1')),
    marks: Type.Optional(
      recordSchema({
        watched: field(381, 'position at which playback stopped, in seconds'),
        maximum: field(3180, 'position of the last mark, in seconds'),
        marks: sampled(Type.Array(Mark, { description: 'seconds and kind: 0 in, 1 out, 2 mark' }), [[3180, 2]]),
      }),
    ),
  },
  { description: 'information from the files beside the recording; missing information is left out' },
);

const Programme = recordSchema(
  {
    genre: Type.Optional(field(0x23, 'content_nibble_level_1 and 2 (EN 300 468, table 28)')),
    series: Type.Optional(field('crid://broadcaster.example/ships', 'CRID of the series, as broadcast')),
  },
  { description: 'with `programme`: what the broadcast says about the recorded programme' },
);

const Item = recordSchema({
  label: field('Ships', 'title'),
  path: field(
    `/recording/${encodeURIComponent(exampleName)}`,
    'path on this receiver, percent-encoded; with `?stream=1` or a Range header, it returns the bytes',
  ),
  recording_servicename: field(exampleService.service_name, 'name of the recorded channel'),
  meta: Meta,
  event: Type.Optional(recordSchema(eventKeys)),
  programme: Type.Optional(Programme),
  length: nullable(field(3180, 'seconds')),
  size: field(188, 'bytes'),
  filename: field(
    `/media/hdd/movie/${exampleName}`,
    'absolute path, for `file` of /file, /recording.ts, /recording.m3u8 and ts.m3u',
  ),
  service_reference: field(`1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/${exampleName}`, 'the reference to play it with'),
  tags: ['EPG'],
  begin: field(1767290220, 'Unix seconds'),
  recording: field(false, 'whether it is still being written'),
});

// As without the parameter `programme`.
const { programme: _, ...exampleItem } = exampleOf(Item);
const { event: __, ...withoutEvent } = exampleItem;
/** A file without metadata. */
const exampleFile = {
  ...withoutEvent,
  label: 'Other',
  path: '/recording/series/Other.ts',
  recording_servicename: '',
  meta: { Serviceref: noService, FileSize: 188 },
  length: null,
  filename: '/media/hdd/movie/series/Other.ts',
  service_reference: '1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/series/Other.ts',
  tags: [],
  begin: 1767290000,
};

const List = recordSchema(
  {
    result: true,
    total: field(2, 'number of all recordings, regardless of limit and offset'),
    folders: Type.Optional(Type.Array(Type.String(), { description: 'with `folder`: the names of its sub-folders' })),
    items: sampled(Type.Array(Item), [exampleItem, exampleFile]),
  },
  { $id: 'Recordings' },
);

export const binary = Type.Unsafe<string>({ type: 'string', format: 'binary' });
/** Media types of recordings: the first is for `.ts`, the others are for other extensions. */
export const recordingTypes = ['video/mp2t', 'video/*', 'audio/*', 'application/octet-stream'];

/** Items per response; also the default of `limit`. */
const maxItems = 10_000;

const query = {
  recursive: boolean('whether to include the recordings in sub-folders').or(true),
  tag: text('only recordings with this tag', { example: 'News' }),
  programme: boolean('whether to include `programme`, for recordings with an event').or(false),
  limit: integer('maximum number of items', { minimum: 0, maximum: maxItems }).or(maxItems),
  offset: integer('number of items to skip', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }).or(0),
};
type ListRequest = ParameterValues<typeof query>;

const head = {
  caching: 'no-cache',
  responses: { 200: { description: 'the recordings, newest first', schema: List } },
} as const;

const orderDescription =
  'Newest first. Deleted recordings are left out, and so are links that lead out of the recording folders.';

const listRoute = (path: `/${string}`, name: string) =>
  route({
    ...head,
    path,
    name,
    summary: 'The recordings in all recording folders.',
    description: orderDescription,
    parameters: {
      ...query,
      folder: text(
        'only recordings in this folder: an absolute path in a recording folder; deleted recordings are in its sub-folder `.Trash`',
        { example: '/media/hdd/movie/' },
      ),
    },
    failures: { 403: 'the folder is outside the recording folders' },
    async run(parts, { folder, ...request }, sent) {
      refuseTicket(sent);
      if (folder) return listFolder(parts, folder, request);
      const all = request.recursive
        ? await parts.recordings.all()
        : (await Promise.all(parts.locations.all.map((folder) => parts.recordings.list(folder)))).flatMap(
            (one) => one.recordings,
          );
      return responseOf(parts, all, request);
    },
  });

const restOfPath = {
  path: segmentText('path below the default folder; in another one, the name of that folder comes first', exampleName),
};
const failures = {
  400: 'an empty path segment or an invalid parameter',
  403: 'the path leads out of the recording folders',
  404: 'no such folder or recording',
};

const recordingsOf = route({
  ...head,
  path: '/recordings/{path*}',
  name: 'recordingsOf',
  summary: 'The recordings in a folder and its sub-folders, or one recording.',
  description: orderDescription,
  parameters: { ...restOfPath, ...query },
  failures,
  run: (parts, { path, ...request }) => withoutRealPaths(path, () => listOrFind(parts, path, request)),
});

const recording = route({
  ...head,
  path: '/recording/{path*}',
  name: 'recording',
  summary: 'One recording, or the recordings in a folder; with a Range header or `stream`, the bytes of a recording.',
  description:
    'A request for several byte ranges returns the whole file. A file that is still being written is sent up to its current end.',
  parameters: {
    ...restOfPath,
    ...query,
    stream: boolean('return the bytes of the recording').or(false),
  },
  responses: {
    200: { ...head.responses[200], others: [{ types: recordingTypes, schema: binary }] },
    206: { description: 'the requested byte range', types: recordingTypes, schema: binary },
  },
  failures: {
    ...failures,
    412: 'the file does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  async run(parts, { path, stream, ...request }, sent): Promise<RestResponse> {
    return withoutRealPaths(path, async () => {
      if (!stream && sent.headers.range === undefined) {
        refuseTicket(sent);
        return listOrFind(parts, path, request);
      }
      const found = await parts.recordings.find(filePath(parts.locations, path));
      return { file: found.path, handle: await parts.locations.open(found.path) };
    });
  },
});

const folderPost = route({
  method: 'POST',
  path: '/recordings',
  name: 'recordingFolderPost',
  summary: 'Creates a folder for recordings, if it does not exist.',
  parameters: {
    folder: text('absolute path in a recording folder', { example: '/media/hdd/movie/series/' }).required(),
  },
  responses: {
    200: {
      description: 'the folder exists',
      schema: recordSchema({ folder: field('/media/hdd/movie/series/', 'its path'), result: true }),
    },
  },
  failures: {
    400: 'a name that no folder can have',
    403: 'the path leads out of the recording folders',
    404: 'the recording folder that should contain it does not exist',
  },
  run: async ({ recordingActions }, { folder }) => ({
    body: { folder: await recordingActions.addFolder(folder), result: true },
  }),
});

const deletionQuery = {
  trash: boolean('move it to the trash if the settings enable that; otherwise, delete it permanently').or(true),
  force: boolean('stop the recording first if it is still running').or(false),
  folder: text('absolute path of the folder that `path` is relative to, in a recording folder', {
    example: '/media/hdd/movie/',
  }),
};

const Deleted = recordSchema({
  result: true,
  files: field([exampleName, `${exampleName}.meta`], 'paths of the deleted files, relative to the recording folder'),
  trashed: Type.Optional(
    Type.String({
      description: 'with `folder`: path of the recording in the trash; `moviemove` can restore it from there',
    }),
  ),
});

const deleteRoute = (path: `/${string}`, name: string) =>
  route({
    method: 'DELETE',
    path,
    name,
    summary: 'Deletes a recording with all its files.',
    parameters: { ...restOfPath, ...deletionQuery },
    responses: { 200: { description: 'the recording and all its files are deleted', schema: Deleted } },
    failures: {
      400: 'an empty path segment, a folder, or an invalid parameter',
      403: 'the path leads out of the recording folders',
      404: 'no such recording',
      409: '`recording-active`: it is still being recorded; `recording-busy`: it is being moved or copied',
    },
    run: (parts, { path, ...request }) => withoutRealPaths(path, () => deleteRecording(parts, path, request)),
  });

async function deleteRecording(
  { locations, recordings, recordingActions }: ReceiverParts,
  path: string,
  { trash, force, folder }: ParameterValues<typeof deletionQuery>,
): Promise<RestResponse> {
  const named = await locations.resolveExisting(folder ? withSlash(folder) + path : filePath(locations, path));
  if (await recordings.isFolder(named)) throw fail('bad-path', `${path} of a folder, which is not deleted`);
  if (!force) recordingActions.refuseActive(named);
  const { files, trashed } = await recordingActions.delete(named, { forGood: !trash });
  const below = (file: string) => file.slice((locations.folderOf(file) ?? '').length);
  return { body: { result: true, files: files.map(below), ...(folder && trashed !== undefined && { trashed }) } };
}

const refusedDeleteRoute = (path: `/${string}`, name: string) =>
  route({
    method: 'DELETE',
    path,
    name,
    summary: 'Always rejected: recordings are deleted one at a time.',
    responses: {},
    failures: { 400: 'always' },
    run() {
      throw fail('bad-path', `${path}/ of a folder, which is not deleted`);
    },
  });

export const recordingRoutes = group(
  'recordings',
  [
    listRoute('/recordings', 'recordings'),
    recordingsOf,
    // The same list at `/recording`, because the paths of the recordings begin with it.
    listRoute('/recording', 'recordingRoot'),
    recording,
    folderPost,
    refusedDeleteRoute('/recordings', 'deleteAllRecordings'),
    refusedDeleteRoute('/recording', 'deleteRecordingRoot'),
    deleteRoute('/recordings/{path*}', 'deleteRecordings'),
    deleteRoute('/recording/{path*}', 'deleteRecording'),
  ],
  'record',
);

/**
 * Runs an action for a path of a request. Replaces the paths in its errors, which would reveal where the folders are on the
 * machine.
 */
async function withoutRealPaths<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ReceiverError)) throw error;
    if (error.code === 'not-found') throw new ReceiverError('not-found', 'not found');
    throw error.code === 'outside-locations' ? fail('outside-locations', path) : error;
  }
}

async function listOrFind(parts: ReceiverParts, path: string, request: ListRequest): Promise<RestResponse> {
  const named = await parts.locations.resolveExisting(filePath(parts.locations, path));
  const one = await parts.recordings.find(named).catch((error) => {
    if (error instanceof ReceiverError && error.code === 'not-found') return undefined;
    throw error;
  });
  if (one !== undefined) return responseOf(parts, [one], request);
  if (!(await parts.recordings.isFolder(named))) throw fail('not-found', path);
  const { recordings } = await parts.recordings.list(named, { recursive: request.recursive });
  return responseOf(parts, recordings, request);
}

/** Lists an absolute folder with its sub-folders. @throws ReceiverError `outside-locations` */
async function listFolder(parts: ReceiverParts, folder: string, request: ListRequest): Promise<RestResponse> {
  const { recursive } = request;
  const { recordings, folders } = await parts.recordings.list(folder, { recursive });
  return responseOf(parts, recordings, request, { folders: [...folders].sort() });
}

async function responseOf(
  parts: ReceiverParts,
  all: readonly Recording[],
  { tag, programme, limit, offset }: ListRequest,
  more: object = {},
): Promise<RestResponse> {
  const matching = tag ? all.filter(({ tags }) => tags.includes(tag)) : all;
  const hash = createHash('sha1').update(`${matching.length}${JSON.stringify(more)}`);
  const slice = new TimeSlice();
  const page = matching.slice(offset, offset + limit);
  for (const recording of page) {
    if (slice.isOver) await slice.next();
    hash.update(JSON.stringify(itemOf(parts, recording, programme)));
  }
  const items = lazily(page, (recording) => itemOf(parts, recording, programme));
  return { etag: hash.digest('base64url'), body: { result: true, total: matching.length, ...more, items } };
}

function itemOf({ locations, services, recorder }: ReceiverParts, recording: Recording, withProgramme: boolean) {
  const { event, size } = recording;
  return {
    label: cleaned(recording.title),
    path: urlPath(locations, recording.path),
    recording_servicename: channelOf(services, recording),
    meta: metaOf(recording),
    ...(event && { event: eventRecord(event) }),
    ...(withProgramme && event && { programme: programmeOf(event) }),
    length: recording.length ?? null,
    size,
    filename: recording.path,
    service_reference: recording.reference.format(),
    tags: [...recording.tags],
    begin: recording.begin,
    recording: recorder.active.some(({ path }) => path === recording.path),
  };
}

function programmeOf({ genres, crids }: GuideEvent) {
  const [genre] = genres;
  const series = crids.find(({ type }) => type === 'series')?.crid;
  return {
    ...(genre && { genre: genre.level1 * 16 + genre.level2 }),
    ...(series !== undefined && { series: cleaned(series) }),
  };
}

function metaOf({ described, description, service, begin, size, tags, scrambled, cuts }: Recording) {
  const marks = cuts.length > 0 && { marks: marksOf(cuts) };
  if (!described) return { Serviceref: noService, FileSize: size, ...marks };
  return {
    Description: cleaned(description),
    Serviceref: service?.withoutName().format() ?? noService,
    TimeCreate: begin,
    FileSize: size,
    Tags: tags.join(' '),
    IsScrambled: scrambled ? 1 : 0,
    ...marks,
  };
}

function marksOf(cuts: readonly Cut[]) {
  const seconds = ({ position }: Cut) => Math.floor(position / ticksPerSecond);
  const watched = cuts.find(({ kind }) => kind === 3);
  return {
    watched: watched ? seconds(watched) : 0,
    maximum: seconds(cuts.at(-1) as Cut),
    marks: cuts.filter(({ kind }) => kind !== 3).map((cut): [number, CutKind] => [seconds(cut), cut.kind]),
  };
}

/**
 * The URL path of a recording: `/recording/` and its path relative to the recording folder, percent-encoded. In a folder
 * other than the default, the name of the folder comes first.
 */
export function urlPath(locations: RecordingFolders, path: string): string {
  const folder = locations.folderOf(path) ?? locations.default;
  const below = path.slice(folder.length);
  const named = folder === locations.default ? below : `${basename(folder)}/${below}`;
  return `/recording/${named.split('/').map(encodeURIComponent).join('/')}`;
}

/** The absolute path of the file that a URL path names. @throws ReceiverError `bad-path` */
function filePath(locations: RecordingFolders, path: string): string {
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.includes('')) throw fail('bad-path', `${path} with an empty segment`);
  const [first, ...below] = segments;
  const other = locations.all.find((folder) => folder !== locations.default && basename(folder) === first);
  return other === undefined ? locations.default + segments.join('/') : withSlash(other) + below.join('/');
}
