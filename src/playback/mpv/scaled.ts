import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds to scale one picture on a slow machine. */
const patience = 20_000;

/**
 * Scales the picture in a file to this width in pixels, in its own format (by its extension: `.jpg`, `.png`). Runs
 * another mpv, since a screenshot always has the size of the picture. @throws Error of the system
 */
export async function scaled(mpv: string, path: string, width: number): Promise<void> {
  const folder = `${path}.scaled`;
  const format = extname(path).slice(1);
  await mkdir(folder, { mode: 0o700 });
  try {
    await run(
      mpv,
      [
        '--no-config',
        '--load-scripts=no',
        '--really-quiet',
        '--frames=1',
        '--vo=image',
        `--vo-image-format=${format}`,
        `--vo-image-outdir=${folder}`,
        `--vf=scale=w=${width}:h=-2`,
        '--',
        path,
      ],
      { timeout: patience },
    );
    await rename(join(folder, `00000001.${format}`), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
