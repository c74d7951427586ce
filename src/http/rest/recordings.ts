/**
 * `/recordings` and `/recording`: the recordings by path, relative to their folder, and their bytes.
 *
 * A path is relative to the default folder. For any other folder, the folder's name comes first.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import Type from 'typebox';
import { fail, ReceiverError } from '../../errors.ts';
import type { Cut, CutKind } from '../../recordings/cuts-file.ts';
import { type RecordingFolders, withSlash } from '../../recordings/folders.ts';
import { ticksPerSecond } from '../../recordings/meta-file.ts';
import type { Recording } from '../../recordings/recording.ts';
import { Turn } from '../../turn.ts';
import { nullable } from '../faces/operation.ts';
import { type ParameterValues, text, toggle, whole } from '../gate/parameters.ts';
import type { Parts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { lazily } from '../write/written-list.ts';
import { eventKeys, eventRecord, exampleEvent, exampleService } from './event-record.ts';
import { segmentRest } from './parameters.ts';
import { type RestAnswer, route } from './route.ts';

const Item = Type.Object({
  label: Type.String({ description: 'title' }),
  path: Type.String({ description: 'its URL path, percent-encoded' }),
  recording_servicename: Type.String({ description: 'name of the recorded channel' }),
  meta: Type.Object(
    {
      Description: Type.Optional(Type.String({ description: 'short text' })),
      Serviceref: Type.String({ description: 'the recorded channel' }),
      TimeCreate: Type.Optional(Type.Integer({ description: 'start, Unix seconds' })),
      FileSize: Type.Integer({ description: 'bytes' }),
      Tags: Type.Optional(Type.String({ description: 'separated by spaces' })),
      IsScrambled: Type.Optional(Type.Integer({ description: '0 or 1' })),
      marks: Type.Optional(
        Type.Object({
          watched: Type.Integer({ description: 'last position, seconds' }),
          maximum: Type.Integer({ description: 'position of the last mark, seconds' }),
          marks: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
            description: 'seconds and kind: 0 in, 1 out, 2 mark',
          }),
        }),
      ),
    },
    { description: 'information from the accompanying files; missing information is omitted' },
  ),
  event: Type.Optional(Type.Object(eventKeys)),
  length: nullable(Type.Integer({ description: 'seconds' })),
  size: Type.Integer({ description: 'bytes' }),
  filename: Type.String({ description: 'absolute path' }),
  service_reference: Type.String({ description: 'the reference for playing it' }),
  tags: Type.Array(Type.String()),
  begin: Type.Integer({ description: 'Unix seconds' }),
  recording: Type.Boolean({ description: 'still being written' }),
});

const List = Type.Object(
  {
    result: Type.Boolean(),
    total: Type.Integer({ description: 'total number, regardless of limit and offset' }),
    items: Type.Array(Item),
  },
  { $id: 'Recordings' },
);

/** The service that clients of this family expect for a file without metadata. */
const noService = '-1:0:0:0:0:0:0:0:0:0:';

const exampleName = '20260101 1857 - Alpha HD - Ships.ts';
const example = {
  result: true,
  total: 2,
  items: [
    {
      label: 'Ships',
      path: `/recording/${encodeURIComponent(exampleName)}`,
      recording_servicename: exampleService.service_name,
      meta: {
        Description: 'Episode 3',
        Serviceref: exampleService.service_reference,
        TimeCreate: 1767290220,
        FileSize: 188,
        Tags: 'EPG',
        IsScrambled: 0,
        marks: { watched: 381, maximum: 3180, marks: [[3180, 2]] },
      },
      event: exampleEvent,
      length: 3180,
      size: 188,
      filename: `/media/hdd/movie/${exampleName}`,
      service_reference: `1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/${exampleName}`,
      tags: ['EPG'],
      begin: 1767290220,
      recording: false,
    },
    {
      label: 'Other',
      path: '/recording/series/Other.ts',
      recording_servicename: '',
      meta: { Serviceref: noService, FileSize: 188 },
      length: null,
      size: 188,
      filename: '/media/hdd/movie/series/Other.ts',
      service_reference: '1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/series/Other.ts',
      tags: [],
      begin: 1767290000,
      recording: false,
    },
  ],
};

export const binary = Type.Unsafe<string>({ type: 'string', format: 'binary' });
/** Media types of recordings: that of `.ts`, and those of the other extensions. */
export const recordingTypes = ['video/mp2t', 'video/*', 'audio/*', 'application/octet-stream'];

/** Maximum and default number of items in a response. */
const mostItems = 10_000;

const query = {
  recursive: toggle('no = without sub-folders').or(true),
  tag: text('only recordings with this tag'),
  limit: whole('maximum number of items', { minimum: 0, maximum: mostItems }).or(mostItems),
  offset: whole('number of items to skip', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }).or(0),
};
type ListRequest = ParameterValues<typeof query>;

const head = {
  method: 'GET',
  tag: 'recordings',
  caching: 'no-cache',
  responses: { 200: { description: 'the recordings, newest first', schema: List, example } },
} as const;

const order =
  'Newest first, without deleted recordings and without anything behind links that lead out of the folders.';

const everything = (path: `/${string}`, name: string) =>
  route({
    ...head,
    path,
    name,
    summary: 'The recordings in all locations.',
    description: order,
    query,
    async run(parts, request) {
      const all = request.recursive
        ? await parts.recordings.all()
        : (await Promise.all(parts.locations.all.map((folder) => parts.recordings.list(folder)))).flatMap(
            (one) => one.recordings,
          );
      return answer(parts, all, request);
    },
  });

export const recordings = everything('/recordings', 'recordings');

/** The same list at the root of the recordings' own paths. */
export const recordingRoot = everything('/recording', 'recordingRoot');

const restOfPath = { path: segmentRest('path below the default folder, or below the named one', exampleName) };
const failures = {
  400: 'an empty path segment or an invalid parameter',
  403: 'the path leads out of the recording folders',
  404: 'no such folder or recording',
};

export const recordingsOf = route({
  ...head,
  path: '/recordings/{path*}',
  name: 'recordingsOf',
  summary: 'The recordings in a folder and its sub-folders, or one recording.',
  description: order,
  segments: restOfPath,
  query,
  failures,
  run: (parts, { path, ...request }) => at(path, () => listAt(parts, path, request)),
});

export const recording = route({
  ...head,
  path: '/recording/{path*}',
  name: 'recording',
  summary: 'One recording, or the recordings in a folder; with a Range header or `stream`, the bytes of a recording.',
  description:
    'A single byte range is returned as such; several ranges return the whole file. A file still being written is sent up to its present end.',
  segments: restOfPath,
  query: { ...query, stream: toggle('return the bytes of the recording').or(false) },
  responses: {
    200: { ...head.responses[200], others: [{ types: recordingTypes, schema: binary }] },
    206: { description: 'the requested byte range', types: recordingTypes, schema: binary },
  },
  failures: { ...failures, 416: 'the range begins after the end' },
  async run(parts, { path, stream, ...request }, { headers }): Promise<RestAnswer> {
    return at(path, async () => {
      if (!stream && headers.range === undefined) return listAt(parts, path, request);
      const found = await parts.recordings.find(fileAt(parts.locations, path));
      return { file: found.path };
    });
  },
});

const deletionQuery = {
  trash: toggle('no = do not use the trash, even if the settings enable it').or(true),
  force: toggle('stop a running recording first').or(false),
};

const deletion = {
  method: 'DELETE',
  tag: 'recordings',
  caching: 'no-store',
  segments: restOfPath,
  query: deletionQuery,
  responses: {
    200: {
      description: 'the recording and all its files are deleted',
      schema: Type.Object({
        result: Type.Boolean(),
        files: Type.Array(Type.String(), { description: 'their names below the location' }),
      }),
      example: { result: true, files: [exampleName, `${exampleName}.meta`] },
    },
  },
  failures: {
    400: 'an empty path segment, a folder, or an invalid parameter',
    403: 'the path leads out of the recording folders',
    404: 'no such recording',
    409: '`recording-active`: it is still running; `recording-busy`: it is being moved or copied',
  },
} as const;

async function deleteAt(
  { locations, recordings, recordingActions }: Parts<'locations' | 'recordingActions' | 'recordings'>,
  path: string,
  { trash, force }: ParameterValues<typeof deletionQuery>,
): Promise<RestAnswer> {
  const named = await locations.existing(fileAt(locations, path));
  if (await recordings.isFolder(named)) throw fail('bad-path', `${path} of a folder, which is not deleted`);
  if (!force) recordingActions.refuseActive(named);
  const { files } = await recordingActions.delete(named, { forGood: !trash });
  const below = (file: string) => file.slice((locations.folderOf(file) ?? '').length);
  return { body: { result: true, files: files.map(below) } };
}

const refusedDeletion = (path: `/${string}`, name: string) =>
  route({
    method: 'DELETE',
    path,
    name,
    tag: 'recordings',
    summary: 'Always refused: recordings are deleted one at a time.',
    caching: 'no-store',
    responses: {},
    failures: { 400: 'always' },
    run() {
      throw fail('bad-path', `${path}/ of a folder, which is not deleted`);
    },
  });

export const deleteAllRecordings = refusedDeletion('/recordings', 'deleteAllRecordings');
export const deleteRecordingRoot = refusedDeletion('/recording', 'deleteRecordingRoot');

export const deleteRecordings = route({
  ...deletion,
  path: '/recordings/{path*}',
  name: 'deleteRecordings',
  summary: 'Deletes a recording with all its files.',
  run: (parts, { path, ...request }) => at(path, () => deleteAt(parts, path, request)),
});

export const deleteRecording = route({
  ...deletion,
  path: '/recording/{path*}',
  name: 'deleteRecording',
  summary: 'Deletes a recording with all its files.',
  run: (parts, { path, ...request }) => at(path, () => deleteAt(parts, path, request)),
});

/**
 * Runs `use` for a path of a request. If nothing is found, or only something outside the folders, the error does not
 * reveal where folders lie on the machine.
 */
async function at<Result>(path: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof ReceiverError)) throw error;
    if (error.code === 'not-found') throw new ReceiverError('not-found', 'not found');
    throw error.code === 'outside-locations' ? fail('outside-locations', path) : error;
  }
}

async function listAt(
  parts: Parts<'locations' | 'recorder' | 'recordings' | 'services'>,
  path: string,
  request: ListRequest,
): Promise<RestAnswer> {
  const named = await parts.locations.existing(fileAt(parts.locations, path));
  const one = await parts.recordings.find(named).catch((error) => {
    if (error instanceof ReceiverError && error.code === 'not-found') return undefined;
    throw error;
  });
  if (one !== undefined) return answer(parts, [one], request);
  if (!(await parts.recordings.isFolder(named))) throw fail('not-found', path);
  const { recordings } = await parts.recordings.list(named, { recursive: request.recursive });
  return answer(parts, recordings, request);
}

async function answer(
  parts: Parts<'locations' | 'recorder' | 'services'>,
  all: readonly Recording[],
  { tag, limit, offset }: ListRequest,
): Promise<RestAnswer> {
  const shown = tag ? all.filter(({ tags }) => tags.includes(tag)) : all;
  const hash = createHash('sha1').update(`${shown.length}`);
  const turn = new Turn();
  const given = shown.slice(offset, offset + limit);
  for (const one of given) {
    if (turn.isOver) await turn.next();
    hash.update(JSON.stringify(itemOf(parts, one)));
  }
  const items = lazily(given, (one) => itemOf(parts, one));
  return { etag: hash.digest('base64url'), body: { result: true, total: shown.length, items } };
}

function itemOf({ locations, services, recorder }: Parts<'locations' | 'recorder' | 'services'>, one: Recording) {
  const { service, event, size } = one;
  const serviceName = one.serviceName || (service && services.find(service)?.name) || '';
  return {
    label: cleaned(one.title),
    path: urlPath(locations, one.path),
    recording_servicename: cleaned(serviceName),
    meta: metaOf(one),
    ...(event && { event: eventRecord(event) }),
    length: one.length ?? null,
    size,
    filename: one.path,
    service_reference: one.reference.format(),
    tags: [...one.tags],
    begin: one.begin,
    recording: recorder.active.some(({ path }) => path === one.path),
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
 * `/recording/` and the path relative to its folder, percent-encoded. The name of a folder other than the default comes
 * first.
 */
export function urlPath(locations: RecordingFolders, path: string): string {
  const folder = locations.folderOf(path) ?? locations.default;
  const below = path.slice(folder.length);
  const named = folder === locations.default ? below : `${basename(folder)}/${below}`;
  return `/recording/${named.split('/').map(encodeURIComponent).join('/')}`;
}

/** The file at such a path. @throws ReceiverError `bad-path` */
function fileAt(locations: RecordingFolders, path: string): string {
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.includes('')) throw fail('bad-path', `${path} with an empty segment`);
  const [first, ...below] = segments;
  const other = locations.all.find((folder) => folder !== locations.default && basename(folder) === first);
  return other === undefined ? locations.default + segments.join('/') : withSlash(other) + below.join('/');
}
