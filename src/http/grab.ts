/**
 * `/grab`: the screen as a picture. If nothing is shown, or no display is attached, a picture with the name of the
 * service and the running event.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { type CaptionSize, captionRows, captionSize } from '../dvb/caption.ts';
import { Stills } from '../playback/stills.ts';
import { Turn } from '../turn.ts';
import { bmpFile } from './bmp.ts';
import { contentDisposition } from './content-disposition.ts';
import { queryOf } from './dispatch.ts';
import { decodeJpeg, encodeJpeg, type RawPicture } from './jpeg.ts';
import { localTime } from './local-time.ts';
import { currentEvents } from './operations/current-service.ts';
import type { ReceiverParts } from './parts.ts';
import { pngFile } from './png.ts';
import type { Query } from './query.ts';

const compressed = promisify(deflate);

/** Width in pixels: the default of a picture drawn here, and the maximum of all others. */
const usualWidth = 1024;
const widest = 3840;

const types = { jpg: 'image/jpeg', png: 'image/png', bmp: 'image/bmp' } as const;
type Format = keyof typeof types;

interface Wanted {
  readonly format: Format;
  readonly width: number | undefined;
  readonly subtitles: boolean;
}

export function registerGrab(app: FastifyInstance, parts: ReceiverParts): void {
  const pictures = new Stills<Wanted>({ still: (wanted) => picture(parts, wanted) });
  app.route({
    method: ['GET', 'POST'],
    url: '/grab',
    async handler(request, reply) {
      const wanted = wantedOf(queryOf(request));
      const bytes = await pictures.take(wanted);
      const { current } = parts.playback;
      const now = localTime(parts.config.timeZone).digits(parts.clock.now());
      const name = `${current?.name ?? parts.device.identity.model}_${now}.${wanted.format}`;
      return reply
        .type(types[wanted.format])
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
function wantedOf(query: Query): Wanted {
  const format = query.get('format') ?? 'jpg';
  const width = Math.min(widest, Number.parseInt(query.get('r') ?? '0', 10));
  return {
    format: format === 'png' || format === 'bmp' ? format : 'jpg',
    width: width > 0 ? width : undefined,
    subtitles: query.get('mode') !== 'video' && !query.has('v'),
  };
}

async function picture(parts: ReceiverParts, wanted: Wanted): Promise<Buffer> {
  const { format, width, subtitles } = wanted;
  const still = await parts.playback.still({ format: format === 'png' ? 'png' : 'jpg', width, subtitles });
  if (still === undefined) return drawn(parts, wanted);
  return format === 'bmp' ? bmpFile(await decodeJpeg(still)) : still;
}

async function drawn(parts: ReceiverParts, { format, width = usualWidth }: Wanted): Promise<Buffer> {
  const { current } = parts.playback;
  const title = current?.played ? '' : ((await currentEvents(parts))?.now?.title ?? '');
  const size = captionSize(width);
  const rows = await captionRows(size, current?.name ?? parts.device.identity.model, title);
  if (format === 'png') return pngFile({ ...size, colour: 'grey' }, await compressed(rows));
  const raw = await coloured(size, rows);
  return format === 'bmp' ? bmpFile(raw) : encodeJpeg(raw);
}

/** Expands grey rows, each preceded by a 0 byte, to RGBA. */
async function coloured({ width, height }: CaptionSize, rows: Buffer): Promise<RawPicture> {
  const data = new Uint8Array(width * height * 4).fill(255);
  const turn = new Turn();
  let to = 0;
  for (let y = 0; y < height; y++) {
    if (turn.isOver) await turn.next();
    for (let from = y * (width + 1) + 1; from < (y + 1) * (width + 1); from++, to += 4) {
      const grey = rows[from] as number;
      data[to] = grey;
      data[to + 1] = grey;
      data[to + 2] = grey;
    }
  }
  return { width, height, data };
}
