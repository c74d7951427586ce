/**
 * `/grab`: the screen as a picture. If nothing is shown, or no display is attached, a picture with the name of the
 * service and the running event.
 *
 * The response states its format, which may differ from the requested one: there is no BMP, and pictures drawn here are
 * always PNG.
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

/** Width in pixels: the default of a picture drawn here, and the maximum of all others. */
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
 * `format`: jpg (default), png or bmp. `r`: width in pixels, 0 = unscaled. `mode=video`, or dreamDroid's `v`, leaves
 * out the subtitles. Every other mode shows what there is, because there is no on-screen menu, second picture or
 * display.
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
