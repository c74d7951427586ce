/** The source of `dist/receiver.js`, the package's main entry: it exports the receiver of the bundled program. */
import { loadProgram } from './load-program.ts';

export const { Receiver, ReceiverError } = await loadProgram().embedded();
