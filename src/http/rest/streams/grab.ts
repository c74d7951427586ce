/**
 * `/grab`: a picture of the screen. If nothing is shown or there is no display, a picture with the names of the service and
 * of the present event.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { localTime } from '../../../base/local-time.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { type CaptionSize, captionRows, captionSize } from '../../../dvb/caption.ts';
import { shareStills } from '../../../playback/stills.ts';
import {
  boolean,
  choice,
  givenIn,
  integer,
  type ParameterValues,
  readParameters,
} from '../../middleware/parameters.ts';
import { currentEvents } from '../../operations/current-service.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { bmpFile } from '../../pictures/bmp.ts';
import { decodeJpeg, encodeJpeg, type RawPicture } from '../../pictures/jpeg.ts';
import { pngFile } from '../../pictures/png.ts';
import { contentDisposition } from '../../write/content-disposition.ts';

const compress = promisify(deflate);

/** Width in pixels of a drawn picture. */
const defaultWidth = 1024;

const types = { jpg: 'image/jpeg', png: 'image/png', bmp: 'image/bmp' } as const;

/** There is no on-screen menu, picture in picture or front display, so all modes but `video` have the same result. */
export const grabParameters = {
  format: choice('format of the picture; any other value means jpg', ['jpg', 'png', 'bmp'], { wrong: 'first' }),
  r: integer('width in pixels; without a video output, 160 to 1920; 0 or absent = original size', {
    minimum: 0,
    maximum: 3840,
    wrong: 'nearest',
    example: 720,
  }),
  mode: choice('video: without subtitles; all others: with subtitles', ['all', 'video', 'osd', 'pip', 'lcd'], {
    wrong: 'first',
  }),
  v: boolean('alias of mode=video, sent by dreamDroid; `o` and `n` are accepted and ignored', { form: 'presence' }),
};

interface GrabRequest {
  readonly format: keyof typeof types;
  readonly width: number | undefined;
  readonly subtitles: boolean;
}

export function registerGrab(app: FastifyInstance, parts: ReceiverParts): void {
  const take = shareStills((wanted: GrabRequest) => picture(parts, wanted));
  app.route({
    method: ['GET', 'POST'],
    url: '/grab',
    async handler(request, reply) {
      const wanted = grabRequestOf(readParameters(grabParameters, givenIn(request)));
      const bytes = await take(wanted);
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

function grabRequestOf({ format, r, mode, v }: ParameterValues<typeof grabParameters>): GrabRequest {
  return { format, width: r || undefined, subtitles: mode !== 'video' && !v };
}

async function picture(parts: ReceiverParts, wanted: GrabRequest): Promise<Buffer> {
  const { format, width, subtitles } = wanted;
  const still = await parts.playback.still({ format: format === 'png' ? 'png' : 'jpg', width, subtitles });
  if (still === undefined) return drawCaption(parts, wanted);
  return format === 'bmp' ? bmpFile(await decodeJpeg(still)) : still;
}

async function drawCaption(parts: ReceiverParts, { format, width = defaultWidth }: GrabRequest): Promise<Buffer> {
  const { current } = parts.playback;
  const title = current?.played ? '' : ((await currentEvents(parts))?.now?.title ?? '');
  const size = captionSize(width);
  const rows = await captionRows(size, current?.name ?? parts.device.identity.model, title);
  if (format === 'png') return pngFile({ ...size, colour: 'grey' }, await compress(rows));
  const raw = await greyToRgba(size, rows);
  return format === 'bmp' ? bmpFile(raw) : encodeJpeg(raw);
}

/** Expands grey rows, each preceded by a 0 byte, to RGBA. */
async function greyToRgba({ width, height }: CaptionSize, rows: Buffer): Promise<RawPicture> {
  const data = new Uint8Array(width * height * 4).fill(255);
  const slice = new TimeSlice();
  let to = 0;
  for (let y = 0; y < height; y++) {
    if (slice.isOver) await slice.next();
    for (let from = y * (width + 1) + 1; from < (y + 1) * (width + 1); from++, to += 4) {
      const grey = rows[from] as number;
      data[to] = grey;
      data[to + 1] = grey;
      data[to + 2] = grey;
    }
  }
  return { width, height, data };
}
