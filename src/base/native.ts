/**
 * Loads the addon. No other file knows its location: build/Release/ in a checkout, otherwise the file for this machine
 * in prebuilds/. native/addon.d.ts declares what it exports. RECEIVERD_PREBUILD=DIR loads
 * DIR/build/Release/receiverd.node instead (sanitizer builds).
 */
import load from 'node-gyp-build';
import type * as Addon from '../../native/addon.d.ts';
import { fail } from './errors.ts';
import { packageRoot } from './package.ts';

export type * from '../../native/addon.d.ts';

export const native = loaded();

/** @throws ReceiverError `addon-missing` */
function loaded(): typeof Addon {
  try {
    return load(packageRoot) as typeof Addon;
  } catch (error) {
    const [problem = ''] = (error as Error).message.split('\n');
    throw fail('addon-missing', problem);
  }
}
