/** What recordings can be put into and marked with: folders and tags. */
import Type, { type Static } from 'typebox';
import { operation } from '../operation.ts';
import { each, element, leaf, type View } from '../xml.ts';

const since = '0.1';
const tag = 'recordings';

export const TagList = Type.Object({ result: Type.Boolean(), tags: Type.Array(Type.String()) });

export const tagList: View<{ readonly tags: readonly string[] }> = element(
  'e2tags',
  each(
    ({ tags }) => tags,
    leaf<string>('e2tag', (word) => word),
  ),
);

const gettags = operation({
  name: 'gettags',
  since,
  tag,
  summary: 'The tags that may be put on recordings.',
  parameters: {},
  result: TagList,
  xml: tagList,
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

export const recordingOperations = [gettags, getlocations, getcurrlocation];
