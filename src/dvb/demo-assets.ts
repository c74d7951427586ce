import { join } from 'node:path';
import { packageRoot } from '../base/package.ts';

/** The folder with the content of the demo multiplex: loops of pictures and sound, guide texts. */
export const demoAssets = join(packageRoot, 'assets', 'demo');
