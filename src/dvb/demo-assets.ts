import { join } from 'node:path';
import { packageRoot } from '../base/package.ts';

/** The folder of what the demo multiplex shows: loops of pictures and sound, guide texts. */
export const demoAssets = join(packageRoot, 'assets', 'demo');
