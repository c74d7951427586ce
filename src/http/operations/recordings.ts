/** Folders and tags for recordings. */
import Type, { type Static } from 'typebox';
import { ReceiverError } from '../../errors.ts';
import { done, operation, SimpleResult, simpleResult } from '../faces/operation.ts';
import { text, yesNo } from '../gate/parameters.ts';
import { each, element, leaf, type View } from '../write/xml.ts';

const since = '0.1';
const tag = 'recordings';

const TagList = Type.Object({ result: Type.Boolean(), tags: Type.Array(Type.String()) });

export const tagList: View<{ readonly tags?: readonly string[] }> = element(
  'e2tags',
  each(
    ({ tags = [] }) => tags,
    leaf<string>('e2tag', (word) => word),
  ),
);

const gettags = operation({
  name: 'gettags',
  since,
  tag,
  summary: 'The tags that may be added to recordings.',
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
  summary: 'The recording folders (locations).',
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
  summary: 'The current location: the target of the last move or copy.',
  parameters: {},
  result: CurrentLocation,
  xml: element<Static<typeof CurrentLocation>>(
    'e2locations',
    each((one) => [one.location], location),
  ),
  example: { result: true, location: '/media/hdd/movie/' },
  run: ({ locations }) => ({ result: true, location: locations.current }),
});

const change = { since, tag, changesState: true, result: SimpleResult, xml: simpleResult } as const;

/**
 * The failure of a change in the wording that clients know, otherwise the error's own text. @throws other than
 * ReceiverError
 */
function told(error: unknown, texts: Readonly<Record<string, string>>): SimpleResult {
  if (!(error instanceof ReceiverError)) throw error;
  return { result: false, message: texts[error.code] ?? error.message };
}

const addlocation = operation({
  ...change,
  name: 'addlocation',
  summary: 'Adds a location.',
  description:
    'The folder must be inside one of the configured `locations` or `locationRoots`. It is stored in the setting `config.movielist.videodirs`.',
  parameters: { dirname: text('absolute path').required(), createFolder: yesNo('create the folder') },
  example: { result: true, message: "Location '/media/hdd/movie/series/' added succesfully" },
  async run({ locationChanges }, { dirname, createFolder }) {
    try {
      await locationChanges.add(dirname, { create: createFolder });
      return done(`Location '${dirname}' added succesfully`);
    } catch (error) {
      return told(error, {
        'folder-not-found': `Folder '${dirname}' does not exist`,
        'file-unwritable': `Creation of folder '${dirname}' failed`,
        'file-exists': `Location '${dirname}' is already defined`,
      });
    }
  },
});

const removelocation = operation({
  ...change,
  name: 'removelocation',
  summary: 'Removes a location.',
  description: 'Its contents stay. Configured folders and the default folder cannot be removed.',
  parameters: { dirname: text('absolute path').required(), removeFolder: yesNo('delete the folder if it is empty') },
  example: { result: true, message: "Location '/media/hdd/movie/series/' removed succesfully" },
  async run({ locationChanges }, { dirname, removeFolder }) {
    try {
      const erased = await locationChanges.remove(dirname, { erase: removeFolder });
      return done(`Location ${erased ? 'and Folder ' : ''}'${dirname}' removed succesfully`);
    } catch (error) {
      return told(error, { 'not-found': `Location '${dirname}' is not defined` });
    }
  },
});

export const recordingOperations = [gettags, getlocations, getcurrlocation, addlocation, removelocation];
