/** The trash folder, where deleted recordings stay until they are deleted for good. */
import { withSlash } from './folders.ts';

/** Names of trash folders: ours, and the one of older receivers. */
const names = new Set(['.Trash', 'movie_trash']);

/** The trash folder of a location, with a trailing slash. */
export const trashFolder = (location: string) => `${withSlash(location)}.Trash/`;

export const isTrashName = (name: string) => names.has(name);

/** Whether a path is in a trash folder. */
export const isTrashed = (path: string) => path.split('/').slice(0, -1).some(isTrashName);
