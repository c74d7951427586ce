/**
 * `/grab`: what is on the screen, as a picture. Where nothing is shown, or nothing shows it, a picture with the station's name and
 * what runs there.
 *
 * The answer says of what form it is; it is not always the one that was asked for: there is no BMP, and what is drawn here is PNG.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { captionRows, captionSize } from '../dvb/caption.ts';
import type { StillOptions } from '../playback/output.ts';
import { contentDisposition } from './content-disposition.ts';
import { queryOf } from './dispatch.ts';
import { localTime } from './local-time.ts';
import { currentEvents } from './operations/current-service.ts';
import type { ReceiverParts } from './parts.ts';
import { pngFile } from './png.ts';
import type { Query } from './query.ts';

const compressed = promisify(deflate);

/** Points across: of a picture that is drawn here without being told, and the bound of every other. */
const usualWidth = 1024;
const widest = 3840;

interface Picture {
  readonly format: 'jpg' | 'png';
  readonly bytes: Buffer;
}

export function registerGrab(app: FastifyInstance, parts: ReceiverParts): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/grab',
    async handler(request, reply) {
      const wanted = stillOptions(queryOf(request));
      const still = await parts.playback.still(wanted);
      const { format, bytes } = still ? { format: wanted.format, bytes: still } : await drawn(parts, wanted.width);
      const { current } = parts.playback;
      const now = localTime(parts.config.timeZone).digits(parts.clock.now());
      const name = `${current?.name ?? parts.device.identity.model}_${now}.${format}`;
      return reply
        .type(format === 'jpg' ? 'image/jpeg' : 'image/png')
        .header('Cache-Control', 'no-store')
        .header('Content-Disposition', contentDisposition('inline', name))
        .send(bytes);
    },
  });
}

/**
 * `format` jpg (default), png, bmp; `r` points across, 0 as it is; `mode` video, or `v` as dreamDroid has it: without subtitles. Every
 * other mode has what there is: there is no on-screen menu, no second picture and no display.
 */
function stillOptions(query: Query): StillOptions {
  const format = query.get('format') ?? 'jpg';
  const width = Math.min(widest, Number.parseInt(query.get('r') ?? '0', 10));
  return {
    format: format === 'png' || format === 'bmp' ? 'png' : 'jpg',
    width: width > 0 ? width : undefined,
    subtitles: query.get('mode') !== 'video' && !query.has('v'),
  };
}

async function drawn(parts: ReceiverParts, width = usualWidth): Promise<Picture> {
  const { current } = parts.playback;
  const title = current?.played ? '' : ((await currentEvents(parts))?.now?.title ?? '');
  const size = captionSize(width);
  const rows = await captionRows(size, current?.name ?? parts.device.identity.model, title);
  return { format: 'png', bytes: pngFile({ ...size, colour: 'grey' }, await compressed(rows)) };
}
