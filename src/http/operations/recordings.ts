/** Recordings: their folders, their tags, their list, which is empty as long as nothing can be recorded. */
import Type, { type Static } from 'typebox';
import { fail, ReceiverError } from '../../errors.ts';
import { documentOperation, operation } from '../operation.ts';
import { presence, text } from '../parameters.ts';
import { each, element, leaf } from '../xml.ts';

const since = '0.1';
const tag = 'recordings';

const Tags = Type.Object({ result: Type.Boolean(), tags: Type.Array(Type.String()) });

const gettags = operation({
  name: 'gettags',
  since,
  tag,
  summary: 'The tags that may be put on recordings.',
  parameters: {},
  result: Tags,
  xml: element<Static<typeof Tags>>(
    'e2tags',
    each(
      ({ tags }) => tags,
      leaf<string>('e2tag', (word) => word),
    ),
  ),
  example: { result: true, tags: ['News', 'Series'] },
  run: ({ tags }) => ({ result: true, tags: [...tags.all] }),
});

const AllLocations = Type.Object({
  result: Type.Boolean(),
  locations: Type.Array(Type.String()),
  default: Type.String(),
});

const location = leaf<string>('e2location', (path) => path);

const getlocations = operation({
  name: 'getlocations',
  since,
  tag,
  summary: 'The folders that recordings live in.',
  parameters: {},
  result: AllLocations,
  xml: element<Static<typeof AllLocations>>(
    'e2locations',
    each(({ locations }) => locations, location),
  ),
  example: { result: true, locations: ['/media/hdd/movie/'], default: '/media/hdd/movie/' },
  run: ({ locations }) => ({ result: true, locations: [...locations.all], default: locations.default }),
});

const CurrentLocation = Type.Object({ result: Type.Boolean(), location: Type.String() });

const getcurrlocation = operation({
  name: 'getcurrlocation',
  since,
  tag,
  summary: 'The folder for recordings that was chosen last.',
  parameters: {},
  result: CurrentLocation,
  xml: element<Static<typeof CurrentLocation>>(
    'e2locations',
    each((one) => [one.location], location),
  ),
  example: { result: true, location: '/media/hdd/movie/' },
  run: ({ locations }) => ({ result: true, location: locations.current }),
});

const MovieList = Type.Object({
  movies: Type.Array(Type.Object({})),
  bookmarks: Type.Array(Type.String()),
  directory: Type.String(),
  recursive: Type.Boolean(),
  result: Type.Boolean(),
});

const movielist = operation({
  name: 'movielist',
  since,
  tag,
  summary: 'The recordings of a folder.',
  parameters: {
    dirname: text('folder; absent = the default location'),
    tag: text('only recordings with this tag'),
    recursive: presence('those of all sub-folders too'),
  },
  result: MovieList,
  xml: element<Static<typeof MovieList>>(
    'e2movielist',
    element(
      'e2locations',
      each(({ bookmarks }) => bookmarks, location),
    ),
  ),
  example: { movies: [], bookmarks: [], directory: '/media/hdd/movie/', recursive: false, result: true },
  run({ locations }, { dirname = '', recursive }) {
    return { movies: [], bookmarks: [], directory: dirname || locations.default, recursive, result: true };
  },
});

const tsm3u = documentOperation({
  name: 'ts.m3u',
  since,
  tag,
  summary: 'The playlist of a recording.',
  parameters: { file: text('path of the recording') },
  contentType: 'application/x-mpegurl',
  example: '#EXTM3U \n#EXTVLCOPT:http-reconnect=true \nhttp://receiver:8080/file?file=/media/hdd/movie/Ships.ts\n',
  failures: ['parameter-missing', 'not-found'],
  run(_parts, { file }) {
    if (!file) throw new ReceiverError('parameter-missing', 'Missing file parameter');
    throw fail('not-found', `File '${file}'`);
  },
});

export const recordingOperations = [gettags, getlocations, getcurrlocation, movielist, tsm3u];
