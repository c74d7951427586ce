/** The source of `dist/receiver.js`, the package's main entry: it takes the receiver from the bundled program. */
import { loadProgram } from './load-program.ts';

export const { Receiver, ReceiverError } = await loadProgram().embedded();
