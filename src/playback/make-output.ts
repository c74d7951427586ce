import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../config.ts';
import { MpvOutput } from './mpv/mpv-output.ts';
import { noOutput, type Output } from './output.ts';

/** Creates the output selected by the configuration. */
export function makeOutput({ output, mpv, dataDir }: Configuration, log: Logger): Output {
  return output === 'mpv' ? new MpvOutput({ ...mpv, folder: join(dataDir, 'output') }, log) : noOutput;
}
