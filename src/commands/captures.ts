/** Finds configured captures that cannot be opened. */
import { accessSync, constants, statSync } from 'node:fs';
import { systemReason } from '../base/errors.ts';
import { namesSeveral, parseTunerSpec } from '../config/tuner-spec.ts';
import { demoAssets } from '../dvb/demo-assets.ts';

/**
 * Why the file of a tuner, or the assets of the demo, cannot be opened. Empty if they can, and for other kinds of
 * tuners.
 */
export function captureProblem(specification: string): string {
  if (namesSeveral(specification)) return '';
  const spec = parseTunerSpec(specification);
  if (spec.kind !== 'demo' && spec.kind !== 'file') return '';
  try {
    if (spec.kind === 'demo') {
      accessSync(demoAssets, constants.R_OK);
      return '';
    }
    accessSync(spec.path, constants.R_OK);
    return statSync(spec.path).isDirectory() ? 'is a folder' : '';
  } catch (error) {
    return spec.kind === 'demo' ? `${demoAssets}: ${systemReason(error)}` : systemReason(error);
  }
}
