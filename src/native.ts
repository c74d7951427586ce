/**
 * Loads the addon. The only file that knows where it lies; everything else imports the typed facades in epg/, dvb/ and m3u/.
 * RECEIVERD_PREBUILD=DIR makes it take DIR/build/Release/receiverd.node (sanitizer builds).
 */
import { createRequire } from 'node:module';
import { packageRoot } from './package.ts';

const load = createRequire(import.meta.url)('node-gyp-build') as (root: string) => unknown;

export const native = load(packageRoot);
