/**
 * What the machine's ffmpeg can encode H.264 with. A graphics processor is preferred, if it does so when tried: that a
 * driver is there does not say that it works.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Encoder {
  /** As ffmpeg calls it. */
  readonly name: string;
  /** Before the input. */
  readonly device: readonly string[];
  /** Filters of the pictures, deinterlacing included. */
  readonly filters: string;
  readonly options: readonly string[];
}

const renderNode = '/dev/dri/renderD128';
/** Bits per second of the pictures. */
const bitRate = '4M';
/** Milliseconds for a trial: on a machine with much else to do, ten seconds were too few to start ffmpeg. */
const longestTrial = 60_000;

const software: Encoder = {
  name: 'libx264',
  device: [],
  filters: "yadif=deint=interlaced,scale=-2:'min(720,ih)',format=yuv420p",
  options: ['-preset', 'superfast', '-tune', 'zerolatency', '-crf', '23', '-maxrate', bitRate, '-bufsize', bitRate],
};

/** The fastest first. */
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

/** The first one that works; undefined without an ffmpeg that has any. */
export async function findEncoder(program: string): Promise<Encoder | undefined> {
  for (const { encoder, needs } of candidates) {
    if (needs !== undefined && !existsSync(needs)) continue;
    if (await works(program, encoder)) return encoder;
  }
  return undefined;
}

/** Encodes a few pictures. */
function works(program: string, { name, device, filters, options }: Encoder): Promise<boolean> {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25', '-frames:v', '5'];
  const arguments_ = ['-hide_banner', '-nostdin', '-loglevel', 'error', ...device, ...source];
  return new Promise((resolve) => {
    execFile(
      program,
      [...arguments_, '-vf', filters, '-c:v', name, ...options, '-f', 'null', '-'],
      { timeout: longestTrial, killSignal: 'SIGKILL' },
      (error: ExecFileException | null) => resolve(error === null),
    );
  });
}
