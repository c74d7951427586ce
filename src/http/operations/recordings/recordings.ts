/** Locations (recording folders) and tags for recordings. */
import type { Static } from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import { group } from '../../endpoint/endpoint.ts';
import { done, failure, operation, type SimpleResult } from '../../endpoint/operation.ts';
import { boolean, text } from '../../middleware/parameters.ts';
import { recordSchema } from '../../write/record.ts';
import { each, element, leaf, type View } from '../../write/xml.ts';

const TagList = recordSchema({ result: true, tags: ['News', 'Series'] });

export const tagList: View<{ readonly tags?: readonly string[] }> = element(
  'e2tags',
  each(
    ({ tags = [] }) => tags,
    leaf<string>('e2tag', (word) => word),
  ),
);

const gettags = operation({
  name: 'gettags',
  summary: 'The tags that may be added to recordings.',
  result: TagList,
  xml: tagList,
  run: ({ tags }) => ({ result: true, tags: [...tags.all] }),
});

const AllLocations = recordSchema({ result: true, locations: ['/media/hdd/movie/'], default: '/media/hdd/movie/' });

/** An e2locations of folders. */
export function locationList<T>(folders: (value: T) => Iterable<string>): View<T> {
  return element(
    'e2locations',
    each(
      folders,
      leaf<string>('e2location', (path) => path),
    ),
  );
}

const getlocations = operation({
  name: 'getlocations',
  summary: 'The recording folders (locations).',
  result: AllLocations,
  xml: locationList<Static<typeof AllLocations>>(({ locations }) => locations),
  run: ({ locations }) => ({ result: true, locations: [...locations.all], default: locations.default }),
});

const CurrentLocation = recordSchema({ result: true, location: '/media/hdd/movie/' });

const getcurrlocation = operation({
  name: 'getcurrlocation',
  summary: 'The current location: the target of the last move or copy.',
  result: CurrentLocation,
  xml: locationList<Static<typeof CurrentLocation>>(({ location }) => [location]),
  run: ({ locations }) => ({ result: true, location: locations.current }),
});

/** Reports a failure in the wording that clients know, otherwise with the error's own message. @throws any other error */
function knownFailure(error: unknown, texts: Readonly<Record<string, string>>): SimpleResult {
  if (!(error instanceof ReceiverError)) throw error;
  return failure(error, texts[error.code]);
}

const addlocation = operation({
  name: 'addlocation',
  permission: 'admin',
  summary: 'Adds a location.',
  description:
    'The folder must be inside one of the configured `locations` or `locationRoots`. It is stored in the setting `config.movielist.videodirs`.',
  parameters: {
    dirname: text('absolute path', { example: '/media/hdd/movie/' }).required(),
    createFolder: boolean('create the folder', { wrong: false }),
  },
  exampleMessage: "Location '/media/hdd/movie/series/' added succesfully",
  async run({ locationChanges }, { dirname, createFolder }) {
    try {
      await locationChanges.add(dirname, { create: createFolder });
      return done(`Location '${dirname}' added succesfully`);
    } catch (error) {
      return knownFailure(error, {
        'folder-not-found': `Folder '${dirname}' does not exist`,
        'file-unwritable': `Creation of folder '${dirname}' failed`,
        'file-exists': `Location '${dirname}' is already defined`,
      });
    }
  },
});

const removelocation = operation({
  name: 'removelocation',
  permission: 'admin',
  summary: 'Removes a location.',
  description: 'Its contents stay. Configured folders and the default folder cannot be removed.',
  parameters: {
    dirname: text('absolute path', { example: '/media/hdd/movie/' }).required(),
    removeFolder: boolean('delete the folder if it is empty', { wrong: false }),
  },
  exampleMessage: "Location '/media/hdd/movie/series/' removed succesfully",
  async run({ locationChanges }, { dirname, removeFolder }) {
    try {
      const erased = await locationChanges.remove(dirname, { erase: removeFolder });
      return done(`Location ${erased ? 'and Folder ' : ''}'${dirname}' removed succesfully`);
    } catch (error) {
      return knownFailure(error, { 'not-found': `Location '${dirname}' is not defined` });
    }
  },
});

export const recordingOperations = group('recordings', [
  gettags,
  getlocations,
  getcurrlocation,
  addlocation,
  removelocation,
]);
