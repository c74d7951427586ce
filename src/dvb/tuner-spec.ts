/**
 * Tuner specifications on the command line and in the configuration:
 *
 *   demo                  the built-in demonstration multiplex, unless it was left out when the addon was built
 *   demo:speed=N          the same, N times as fast as real time (2 to 50): for tests and trials
 *   file:PATH             a transport stream file (looped) or a pipe, paced by its PCR
 */
import { fail } from '../errors.ts';
import type { TunerSpec } from '../native.ts';

export type { TunerSpec };

/** Parses `SPEC`. @throws ReceiverError `parameter-invalid`, or `unsupported` for kinds that cannot be opened. */
export function parseTunerSpec(text: string): TunerSpec {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? '' : text.slice(colon + 1);
  switch (kind) {
    case 'demo':
      return { kind: 'demo', speed: colon < 0 ? 1 : demoSpeed(text, rest) };
    case 'file':
      if (rest === '') throw fail('parameter-invalid', 'tuner', `'${text}' names no file, expected file:PATH`);
      return { kind: 'file', path: rest, loop: true, paced: true };
    case 'dvb':
    case 'satip':
      throw fail('unsupported', `the tuner '${text}' (this version opens demo and file:PATH)`);
    default:
      throw fail('parameter-invalid', 'tuner', `'${text}' is neither demo nor file:PATH`);
  }
}

/** Returns the text that parses to this specification (loop and pace at their defaults). */
export function formatTunerSpec(spec: TunerSpec): string {
  if (spec.kind === 'file') return `file:${spec.path}`;
  return spec.speed === 1 ? 'demo' : `demo:speed=${spec.speed}`;
}

function demoSpeed(text: string, argument: string): number {
  const speed = Number(/^speed=(\d{1,2})$/.exec(argument)?.[1] ?? Number.NaN);
  if (speed >= 2 && speed <= 50) return speed;
  throw fail('parameter-invalid', 'tuner', `'${text}': expected demo, or demo:speed=N with N from 2 to 50`);
}
