/** What the bundled program offers: its command line, and the package's main entry. */
export { commandLine } from './command-line.ts';

/** Loaded only by programs that embed a receiver. */
export const embedded = () => import('../library/receiver.ts');
