/**
 * The folder of the package, which contains package.json, the web page of dist/ui/ and the addon. It is the
 * closest parent folder with a package.json, both for the sources in src/ and for the build in dist/.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const packageRoot: string = fileURLToPath(rootAbove(new URL('.', import.meta.url)));

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('..', folder);
  if (above.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`);
  return rootAbove(above);
}
