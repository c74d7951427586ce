/** Names recording files by the rules and settings of Enigma2 boxes, so that their tools find the expected files. */

import { localTime } from '../../base/local-time.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import type { RecordingSpec } from './recording-spec.ts';

/** Bytes of a name, as on a box: 255 less `_001` and `.ts.meta`. */
const maxNameBytes = 243;
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
  return plainName(composed(), { isAscii: settings.isOn('config.recording.ascii_filenames') });
}

interface NameRules {
  readonly isAscii: boolean;
  /** Keeps dots within the name. Otherwise they become `_`, as on a box. */
  readonly keepsDots?: boolean;
  readonly maxBytes?: number;
}

/**
 * Removes characters that file systems and network shares refuse. Normalises to NFKC; boxes use NFKD, but players and
 * network shares handle composed letters better.
 */
export function plainName(given: string, { isAscii, keepsDots = false, maxBytes = maxNameBytes }: NameRules): string {
  // The time to normalise a text grows with the square of its length.
  const text = given.slice(0, 4 * maxNameBytes);
  const legal = (isAscii ? asciiOf(text) : text)
    .replace(/[\p{Cc}\p{Cs}\\/:*?"<>|\ufffd]/gu, '')
    .normalize('NFKC')
    // Normalising can produce such characters again: U+2100 becomes "a/c".
    .replace(/[\\/:*?"<>|]/g, '');
  const plain = keepsDots ? withoutOuterDots(cut(legal, maxBytes)) : cut(legal.replaceAll('.', '_').trim(), maxBytes);
  return plain === '' || deviceNames.test(plain) ? `__${plain}` : plain;
}

/** Files with a dot first are hidden; network shares drop dots and blanks at the end. */
function withoutOuterDots(text: string): string {
  let [from, until] = [0, text.length];
  while (from < until && /[. ]/.test(text.charAt(from))) from++;
  while (until > from && /[. ]/.test(text.charAt(until - 1))) until--;
  return text.slice(from, until);
}

/** ASCII only, as a box writes it with `ascii_filenames`: capital letters without accents. */
function asciiOf(text: string): string {
  return text
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toUpperCase()
    .replace(/[^\x20-\x7e]/g, '_');
}

/** Shortens a text to at most `maxBytes` bytes of UTF-8, between characters. */
export function cut(text: string, maxBytes: number = maxNameBytes): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > maxBytes) break;
    kept += character;
  }
  return kept.trimEnd();
}
