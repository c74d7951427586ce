/** Scales pictures with mpv. */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds for scaling a picture; slow machines need many seconds. */
const scaleTimeoutMs = 20_000;

/**
 * Scales the picture in a file to this width in pixels; its extension (`.jpg`, `.png`) is its format. Runs another mpv,
 * because a screenshot always has the size of the video.
 * @throws the system's error
 */
export async function scalePicture(mpv: string, path: string, width: number): Promise<void> {
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
      { timeout: scaleTimeoutMs },
    );
    await rename(join(folder, `00000001.${format}`), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
