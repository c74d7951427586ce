/** Names recording files by the same rules and settings as a box, so that its tools find the files they expect. */

import { localTime } from '../base/local-time.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { RecordingSpec } from './recording-order.ts';

/** Bytes of a name, as on a box: 255 less `_001` and `.ts.meta`. */
const longestName = 243;
const deviceNames = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

/** The name without extension: never empty, without `/` and control characters, at most 243 bytes. */
export function recordingName(
  { begin, serviceName, title, description }: Pick<RecordingSpec, 'begin' | 'serviceName' | 'title' | 'description'>,
  timeZone: string,
  settings: Settings,
): string {
  const digits = localTime(timeZone).digits(begin);
  const day = digits.slice(0, 8);
  const date = `${day} ${digits.slice(8, 12)}`;
  const composed = () => {
    if (title === '') return `${date} - ${serviceName}`;
    switch (settings.get('config.recording.filename_composition')) {
      case 'long':
        return [date, serviceName, title, description].filter((part, n) => n < 3 || part !== '').join(' - ');
      case 'short':
        return `${day} - ${title}`;
      case 'event':
        return `${title} - ${date}_${serviceName}`;
      default:
        return `${date} - ${serviceName} - ${title}`;
    }
  };
  return plainName(composed(), settings.isOn('config.recording.ascii_filenames'));
}

/**
 * Letters are composed (NFKC). A box decomposes them (NFKD), but players and network shares handle composed ones
 * better.
 */
function plainName(given: string, ascii: boolean): string {
  // The time to normalise a text grows with the square of its length.
  const text = given.slice(0, 4 * longestName);
  const legal = (ascii ? asciiOf(text) : text)
    .replaceAll('.', '_')
    .replace(/[\p{Cc}\p{Cs}\\/:*?"<>|\ufffd]/gu, '')
    .normalize('NFKC')
    // Compatibility forms bring some of them back (U+2100 is "a/c").
    .replace(/[\\/:*?"<>|]/g, '')
    .replaceAll('.', '_')
    .trim();
  const name = legal === '' || deviceNames.test(legal) ? `__${legal}` : legal;
  return cut(name, longestName);
}

/** The form a box writes with `ascii_filenames`: capital letters without accents. */
function asciiOf(text: string): string {
  return text
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toUpperCase()
    .replace(/[^\x20-\x7e]/g, '_');
}

/** At most `bytes` bytes of UTF-8, cut between characters. */
export function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept.trimEnd();
}
