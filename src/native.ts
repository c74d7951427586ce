/**
 * Loads the addon. The only file that knows its location; all others import the typed wrappers in epg/, dvb/ and m3u/.
 * RECEIVERD_PREBUILD=DIR loads DIR/build/Release/receiverd.node instead (sanitizer builds).
 */
import { createRequire } from 'node:module';
import { packageRoot } from './package.ts';

const load = createRequire(import.meta.url)('node-gyp-build') as (root: string) => unknown;

export const native = load(packageRoot);
