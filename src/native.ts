/**
 * Loads the addon. The only file that knows its location. native/addon.d.ts declares what it exports.
 * RECEIVERD_PREBUILD=DIR loads DIR/build/Release/receiverd.node instead (sanitizer builds).
 */
import { createRequire } from 'node:module';
import type * as Addon from '../native/addon.d.ts';
import { packageRoot } from './package.ts';

export type * from '../native/addon.d.ts';

const load = createRequire(import.meta.url)('node-gyp-build') as (root: string) => typeof Addon;

export const native = load(packageRoot);
