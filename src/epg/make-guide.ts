/** Builds the guide from the configuration, with the character tables stored beside the service lists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BroadcastClock, type Clock } from '../clock.ts';
import type { Configuration } from '../config.ts';
import { Guide } from './guide.ts';

/** Seconds. A capture tuned again restarts at its own time, which brings events that have ended back on the air. */
const captureHistory = 86_400;

export function makeGuide({ guide, languages, enigma2Dir }: Configuration, clock: Clock): Guide {
  const { history, maximumEvents, huffman } = guide;
  return new Guide({
    clock,
    languages,
    history: clock instanceof BroadcastClock ? Math.max(history, captureHistory) : history,
    maximumEvents,
    ...fileOption('encodings', join(enigma2Dir, 'encoding.conf')),
    ...huffmanTables(huffman),
  });
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The option with the content of a file, or no option if the file is missing. */
function fileOption<Name extends string>(name: Name, path: string): { [K in Name]?: string } {
  const content = readOptional(path);
  return (content === undefined ? {} : { [name]: content }) as { [K in Name]?: string };
}

function huffmanTables(folder: string): { huffman?: readonly [string, string] } {
  if (folder === '') return {};
  const tables = ['freesat.t1', 'freesat.t2'].map((name) => readOptional(join(folder, name)));
  const [first, second] = tables;
  return first !== undefined && second !== undefined ? { huffman: [first, second] } : {};
}
