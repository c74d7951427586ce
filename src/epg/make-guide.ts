/** Builds the guide from the configuration, with the character tables stored beside the service lists. */
import { join } from 'node:path';
import { BroadcastClock, type Clock } from '../base/clock.ts';
import { readRegularFile } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import { Guide } from './guide.ts';

/** Seconds. A capture that is tuned again restarts at its own time, so events that have ended are on the air again. */
const captureHistorySeconds = 86_400;

/** `onProblem` is called with a message for each file that exists but cannot be read. */
export async function makeGuide(
  { guide, languages, enigma2Dir }: Configuration,
  clock: Clock,
  onProblem: (problem: string) => void = () => undefined,
): Promise<Guide> {
  const { history, maximumEvents, huffman } = guide;
  const textOf = (path: string) =>
    readRegularFile(path).then(String, ({ code, message }: NodeJS.ErrnoException) => {
      if (code !== 'ENOENT') onProblem(`${path}: ${message}`);
      return undefined;
    });
  const encodings = await textOf(join(enigma2Dir, 'encoding.conf'));
  const first = huffman === '' ? undefined : await textOf(join(huffman, 'freesat.t1'));
  const second = first === undefined ? undefined : await textOf(join(huffman, 'freesat.t2'));
  return new Guide({
    clock,
    languages,
    history: clock instanceof BroadcastClock ? Math.max(history, captureHistorySeconds) : history,
    maxEvents: maximumEvents,
    ...(encodings !== undefined && { encodings }),
    ...(first !== undefined && second !== undefined && { huffman: [first, second] }),
  });
}
