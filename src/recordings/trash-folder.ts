/** Where deleted recordings lie until they are gone for good. */
import { withSlash } from './folders.ts';

/** Names of it: ours, and that of older receivers. */
const names = new Set(['.Trash', 'movie_trash']);

/** Of a location; with a slash at the end. */
export const trashFolder = (location: string) => `${withSlash(location)}.Trash/`;

export const isTrashName = (name: string) => names.has(name);

/** Whether a path leads through one. */
export const isTrashed = (path: string) => path.split('/').slice(0, -1).some(isTrashName);
