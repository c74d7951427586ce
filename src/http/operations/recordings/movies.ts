/** Recordings: lists, details, and changes of tags, titles and marks. */
import * as Type from 'typebox';
import { excerpt, fail, ReceiverError } from '../../../base/errors.ts';
import { type LocalTime, localTime } from '../../../base/local-time.ts';
import type { Cut, CutKind } from '../../../recordings/files/cuts-file.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { withSlash } from '../../../recordings/library/folders.ts';
import type { Listing, RecordingChanges } from '../../../recordings/library/library.ts';
import type { Services } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation, simpleResult } from '../../endpoint/operation.ts';
import { boolean, type ParameterValues, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { exampleOf, field, recordSchema } from '../../write/record.ts';
import { lazily } from '../../write/written-list.ts';
import { each, either, element, leaves, part } from '../../write/xml.ts';
import { locationList, tagList } from './recordings.ts';

const exampleName = '20260101 1857 - Alpha HD - Ships.ts';
const examplePath = `/media/hdd/movie/${exampleName}`;
const exampleReference = `1:0:0:0:0:0:0:0:0:0:${examplePath}`;

export const Movie = recordSchema({
  filename: field(examplePath, 'absolute path'),
  filename_stripped: field(exampleName, 'without the folder'),
  serviceref: exampleReference,
  length: field('53:00', 'M:SS, minutes may exceed 59; ?:?? = unknown'),
  lastseen: field(12, { minimum: 0, maximum: 100, description: 'percent' }),
  filesize_readable: '2.00 GB',
  recordingtime: field(1767290220, 'start, in Unix time'),
  begintime: field('Today 01.01., 18:57', 'start, formatted for display'),
  eventname: 'Ships',
  servicename: field('Alpha HD', 'the channel'),
  tags: field('EPG GenreId=0x23', 'separated by spaces'),
  fullname: field(exampleReference, 'same value as serviceref'),
  descriptionExtended: 'The pilot boats of a large river.',
  description: field('Episode 3', 'short text'),
  filesize: field(2147483648, 'bytes'),
});
export type Movie = Type.Static<typeof Movie>;

const movieElement = element(
  'e2movie',
  leaves<Movie>({
    e2servicereference: 'serviceref',
    e2title: 'eventname',
    e2description: 'description',
    e2descriptionextended: 'descriptionExtended',
    e2servicename: 'servicename',
    e2time: 'recordingtime',
    e2length: 'length',
    e2tags: 'tags',
    e2filename: 'filename',
    e2filesize: 'filesize',
  }),
);

function movieListView<T extends { readonly movies: Iterable<Movie> }>(folders: (list: T) => Iterable<string>) {
  const movies = each<T, Movie>((list) => list.movies, movieElement);
  return element('e2movielist', movies, locationList(folders));
}

/** Recordings in the format of the interface, converted while they are written. */
function movieList(parts: ReceiverParts, recordings: readonly Recording[]): Iterable<Movie> {
  return lazily(recordings, movieOf(parts));
}

/** Returns the conversion of a recording to the format of the interface. */
export function movieOf({ clock, config, services }: ReceiverParts): (recording: Recording) => Movie {
  const time = localTime(config.timeZone);
  const now = clock.now();
  return (recording) => {
    const reference = recording.reference.format();
    const { path, size } = recording;
    return {
      filename: path,
      filename_stripped: path.slice(path.lastIndexOf('/') + 1),
      serviceref: reference,
      length: lengthText(recording.length),
      lastseen: recording.lastSeen,
      filesize_readable: readableSize(size),
      recordingtime: recording.begin,
      begintime: beginText(time, recording.begin, now),
      eventname: cleaned(recording.title),
      servicename: channelOf(services, recording),
      tags: recording.tags.join(' '),
      fullname: reference,
      descriptionExtended: cleaned(recording.extendedText),
      description: cleaned(recording.description),
      filesize: size,
    };
  };
}

/** The name of the recorded channel; empty if unknown. */
export function channelOf(services: Services, { serviceName, service }: Recording): string {
  return cleaned(serviceName || (service && services.find(service)?.name) || '');
}

/** `53:00`, `125:07`, `?:??` */
function lengthText(seconds: number | undefined): string {
  if (seconds === undefined) return '?:??';
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `2.00 GB` */
function readableSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return unit === 0 ? `${bytes} B` : `${size.toFixed(2)} ${units[unit]}`;
}

/**
 * `Today 01.01., 20:15`, `Yesterday 31.12.2025, 20:15`, `Mon 05.02., 20:15`: with the year if it is not the current
 * one.
 */
function beginText(time: LocalTime, begin: number, now: number): string {
  const [weekday, date = ''] = time.weekdayAndDate(begin).split(' ');
  const [, today = ''] = time.weekdayAndDate(now).split(' ');
  const [, yesterday = ''] = time.weekdayAndDate(now - 86_400).split(' ');
  const day = date === today ? 'Today' : date === yesterday ? 'Yesterday' : weekday;
  const shown = date.slice(6) === today.slice(6) ? date.slice(0, 6) : date;
  return `${day} ${shown}, ${time.clock(begin)}`;
}

/** The common parameters of all lists of recordings. */
export const movieListParameters = {
  dirname: text('folder; absent = the default location', { example: '/media/hdd/movie/' }),
  tag: text('only recordings with this tag', { example: 'News' }),
  recursive: boolean('include all sub-folders, and with them deleted recordings', { form: 'presence' }),
};

const MovieList = recordSchema({
  movies: Type.Array(Movie),
  bookmarks: field(['series'], 'names of the sub-folders'),
  directory: '/media/hdd/movie/',
  recursive: false,
  result: true,
});

/** The recordings in the folder that the parameters name; none if it does not exist or lies outside the locations. */
export async function listedRecordings(
  { locations, recordings }: ReceiverParts,
  { dirname, tag, recursive }: ParameterValues<typeof movieListParameters>,
): Promise<Listing & { readonly directory: string }> {
  const directory = withSlash(dirname || locations.default);
  try {
    const found = await recordings.list(directory, { recursive, trash: true });
    const shown = tag ? found.recordings.filter(({ tags }) => tags.includes(tag)) : found.recordings;
    return { directory, recordings: shown, folders: found.folders };
  } catch (error) {
    if (!(error instanceof ReceiverError) || error.code !== 'outside-locations') throw error;
    return { directory, recordings: [], folders: [] };
  }
}

const movielist = operation({
  name: 'movielist',
  summary: 'The recordings in a folder, newest first.',
  description:
    'The list is empty for a folder that does not exist or is outside the locations. All fields are always returned, whatever `fields` says.',
  parameters: {
    ...movieListParameters,
    fields: text('costly fields to return; ignored', { example: 'tags' }),
    internal: boolean('which parser a box uses; ignored', { form: 'presence' }),
  },
  result: MovieList,
  xml: movieListView<Type.Static<typeof MovieList>>(({ bookmarks }) => bookmarks),
  async run(parts, values) {
    const { directory, recordings, folders: bookmarks } = await listedRecordings(parts, values);
    const { recursive } = values;
    return { movies: movieList(parts, recordings), bookmarks, directory, recursive, result: true };
  },
});

const FullMovieList = recordSchema({
  movies: Type.Array(Movie),
  locations: ['/media/hdd/movie/'],
  recursive: true,
  result: true,
});

const fullmovielist = operation({
  name: 'fullmovielist',
  summary: 'The recordings in all locations, newest first.',
  result: FullMovieList,
  xml: movieListView<Type.Static<typeof FullMovieList>>(({ locations }) => locations),
  async run(parts) {
    const movies = movieList(parts, await parts.recordings.all());
    return { movies, locations: [...parts.locations.all], recursive: true, result: true };
  },
});

const reference = serviceReference('the recording').alias('sref');

/** The recording of a reference or a path. @throws ReceiverError `outside-locations`, `not-found` */
export async function recordingOf({ recordings, services }: ReceiverParts, given: string): Promise<Recording> {
  const path = given.startsWith('/') ? given : services.resolve(given).path;
  if (!path.startsWith('/')) throw fail('not-found', 'Recording');
  return recordings.find(path);
}

const MovieDetails = recordSchema({ result: true, movie: Type.Optional(Movie) });

const moviedetails = operation({
  name: 'moviedetails',
  summary: 'One recording.',
  parameters: { sRef: reference.required() },
  result: MovieDetails,
  xml: part<Type.Static<typeof MovieDetails>, Movie>(({ movie }) => movie, movieElement),
  async run(parts, { sRef }) {
    return { result: true, movie: movieOf(parts)(await recordingOf(parts, sRef)) };
  },
});

/** The tags of a recording. For a missing recording, the message under two names that clients know. */
const TagsOfRecording = recordSchema({
  result: true,
  tags: Type.Optional(field(['News', 'Series'])),
  message: Type.Optional(Type.String({ description: 'only for a failure' })),
  resulttext: Type.Optional(Type.String({ description: 'same text as message, if there is no such recording' })),
});
type TagsOfRecording = Type.Static<typeof TagsOfRecording>;

const tagsOfRecording = either<TagsOfRecording>(
  ({ result }) => result,
  tagList,
  part(({ result, message = '' }) => ({ result, message }), simpleResult),
);

/** Returns undefined for any error other than a missing recording. */
function noRecording({ code, message }: ReceiverError): TagsOfRecording | undefined {
  return code === 'not-found' ? { result: false, message, resulttext: message } : undefined;
}

const MovieInfo = recordSchema({
  ...TagsOfRecording.properties,
  title: Type.Optional(field('Ships')),
  description: Type.Optional(field('Episode 3')),
  cuts: Type.Optional(
    Type.Array(
      recordSchema({
        type: field(3, '0 in, 1 out, 2 mark, 3 last position'),
        pos: field(81000000, '90 kHz ticks'),
      }),
    ),
  ),
});

const movieinfo = operation({
  name: 'movieinfo',
  summary: 'Shows or changes the tags, title, text and marks of a recording; without one, lists all tags.',
  description: 'Tags are added first, then removed. Empty parameters change nothing.',
  parameters: {
    sRef: reference,
    addtag: text('tags to add, separated by commas', { example: 'News,Keep' }),
    deltag: text('tags to remove, separated by commas', { example: 'News' }),
    title: text('new title', { example: 'Ships' }),
    desc: text('new short text', { example: 'Episode 3' }),
    create: boolean('1 = also for a recording without a `.meta` file, which a change of its tags or texts creates', {
      form: 'bit',
    }),
    cuts: text('new marks, TYPE:POS separated by commas, POS in 90 kHz ticks; they replace all existing ones', {
      example: '2:81000000',
    }),
  },
  changesState: ['addtag', 'deltag', 'title', 'desc', 'cuts'],
  result: MovieInfo,
  xml: tagsOfRecording,
  example: exampleOf(MovieInfo, { tags: ['EPG', 'Padding=3,5'] }),
  failed: noRecording,
  async run(parts, { sRef, create, ...given }) {
    if (!sRef) return { result: true, tags: [...parts.tags.all] };
    const recording = await (create ? recordingOf : described)(parts, sRef);
    const changes = changesOf(given);
    const { tags, title, description, cuts } =
      Object.keys(changes).length === 0 ? recording : await parts.recordingActions.edit(recording.path, changes);
    return {
      result: true,
      tags: [...tags],
      title: cleaned(title),
      description: cleaned(description),
      cuts: cuts.map(({ kind, position }) => ({ type: kind, pos: position })),
    };
  },
});

const movietags = operation({
  name: 'movietags',
  summary: 'Shows or changes the tags of a recording; without one, lists all tags.',
  parameters: {
    sRef: reference,
    add: text('tags to add, separated by commas', { example: 'News,Keep' }),
    del: text('tags to remove, separated by commas', { example: 'News' }),
  },
  changesState: ['add', 'del'],
  result: TagsOfRecording,
  xml: tagsOfRecording,
  failed: noRecording,
  async run(parts, { sRef, add = '', del = '' }) {
    if (sRef) {
      const { path } = await described(parts, sRef);
      const { tags } = await parts.recordingActions.edit(path, { addTags: words(add), removeTags: words(del) });
      return { result: true, tags: [...tags] };
    }
    if (add || del) await parts.tags.change({ add: words(add), remove: words(del) });
    return { result: true, tags: [...parts.tags.all] };
  },
});

/** Finds a recording with a `.meta` file. A recording without one counts as missing. @throws ReceiverError `not-found` */
async function described(parts: ReceiverParts, sRef: string): Promise<Recording> {
  const recording = await recordingOf(parts, sRef).catch(() => undefined);
  if (!recording?.described) throw fail('not-found', 'Recording');
  return recording;
}

type GivenChanges = Readonly<Record<'addtag' | 'deltag' | 'title' | 'desc' | 'cuts', string | undefined>>;

/** @throws ReceiverError `parameter-invalid` */
function changesOf({ addtag, deltag, title, desc, cuts }: GivenChanges): RecordingChanges {
  return {
    ...(addtag && { addTags: words(addtag) }),
    ...(deltag && { removeTags: words(deltag) }),
    ...(title && { title }),
    ...(desc && { description: desc }),
    ...(cuts && { cuts: readCuts(cuts) }),
  };
}

const words = (given: string) => given.split(',').filter(Boolean);

function readCuts(given: string): Cut[] {
  return given.split(',').map((entry) => {
    const [, kind, position] = /^([0-3]):(\d{1,15})$/.exec(entry.trim()) ?? [];
    if (kind === undefined)
      throw fail(
        'parameter-invalid',
        'cuts',
        `contains '${excerpt(entry, 40)}'; it must be a list of TYPE:POS such as 2:81000000: type 0 to 3, position in 1/90000 s`,
      );
    return { kind: Number(kind) as CutKind, position: Number(position) };
  });
}

export const movieOperations = group('recordings', [movielist, fullmovielist, moviedetails, movieinfo, movietags]);
