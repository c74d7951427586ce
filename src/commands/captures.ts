/** Captures that a configuration names but that cannot be opened. */
import { accessSync, constants, statSync } from 'node:fs';
import { parseTunerSpec } from '../dvb/tuner-spec.ts';
import { systemReason } from '../errors.ts';

/** Why the file of a tuner specification cannot be opened; empty if it can, and for tuners without a file. */
export function captureProblem(specification: string): string {
  const spec = parseTunerSpec(specification);
  if (spec.kind !== 'file') return '';
  try {
    accessSync(spec.path, constants.R_OK);
    return statSync(spec.path).isDirectory() ? 'is a folder' : '';
  } catch (error) {
    return systemReason(error);
  }
}
