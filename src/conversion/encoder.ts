/**
 * Finds the H.264 encoder of the machine's ffmpeg. A graphics processor is preferred, but only if a trial succeeds: its
 * driver may exist without working.
 */
import { existsSync } from 'node:fs';
import { runProgram } from '../base/child-process.ts';

export interface Encoder {
  /** ffmpeg's name of the encoder. */
  readonly name: string;
  /** Arguments before the input. */
  readonly device: readonly string[];
  /** Video filters, including deinterlacing. */
  readonly filters: string;
  readonly options: readonly string[];
}

const renderNode = '/dev/dri/renderD128';
/** Bits per second of the video. */
const bitRate = '4M';
/** Milliseconds for a trial. On a busy machine, ten seconds were not enough to start ffmpeg. */
const trialTimeoutMs = 60_000;

const software: Encoder = {
  name: 'libx264',
  device: [],
  filters: "yadif=deint=interlaced,scale=-2:'min(720,ih)',format=yuv420p",
  options: ['-preset', 'superfast', '-tune', 'zerolatency', '-crf', '23', '-maxrate', bitRate, '-bufsize', bitRate],
};

/** Encoders, the fastest first; `needs`: a device file that must exist. */
const candidates: readonly { readonly encoder: Encoder; readonly needs?: string }[] = [
  {
    needs: renderNode,
    encoder: {
      name: 'h264_vaapi',
      device: ['-vaapi_device', renderNode],
      filters: "yadif=deint=interlaced,scale=-2:'min(720,ih)',format=nv12,hwupload",
      options: ['-b:v', bitRate, '-maxrate', bitRate],
    },
  },
  {
    needs: '/dev/video11',
    encoder: { ...software, name: 'h264_v4l2m2m', options: ['-b:v', bitRate] },
  },
  { encoder: software },
];

/** The first encoder that works; undefined without ffmpeg, or if it has none. */
export async function findEncoder(program: string): Promise<Encoder | undefined> {
  for (const { encoder, needs } of candidates) {
    if (needs !== undefined && !existsSync(needs)) continue;
    if (await works(program, encoder)) return encoder;
  }
  return undefined;
}

/** Whether the encoder can encode a few pictures. */
async function works(program: string, { name, device, filters, options }: Encoder): Promise<boolean> {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25', '-frames:v', '5'];
  const command = [program, '-hide_banner', '-nostdin', '-loglevel', 'error', ...device, ...source];
  const encode = ['-vf', filters, '-c:v', name, ...options, '-f', 'null', '-'];
  const run = runProgram([...command, ...encode], { stdio: 'ignore', timeoutMs: trialTimeoutMs });
  return run.then(
    ({ why }) => why === '',
    () => false,
  );
}
