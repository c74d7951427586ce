/** Names recording files by the same rules and settings as a box, so that its tools find the files they expect. */
import type { UnixSeconds } from '../clock.ts';
import type { Settings } from '../device/settings.ts';

export interface NamedRecording {
  readonly begin: UnixSeconds;
  readonly serviceName: string;
  readonly title: string;
  /** Short text. */
  readonly description: string;
}

export interface NameRules {
  /** `config.recording.filename_composition`: `standard`, `long`, `short` or `event`; anything else is `standard`. */
  readonly composition: string;
  /** `config.recording.ascii_filenames` */
  readonly ascii: boolean;
}

/** Bytes of a name: 255 less `_001` and `.ts.meta.writing`. A box cuts at 243, which leaves no room for the latter. */
const longestName = 235;
const deviceNames = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

export function nameRules(settings: Settings): NameRules {
  return {
    composition: settings.get('config.recording.filename_composition'),
    ascii: settings.isOn('config.recording.ascii_filenames'),
  };
}

/** The name without extension: never empty, without `/` and control characters, at most 235 bytes. */
export function recordingName(of: NamedRecording, timeZone: string, rules: NameRules): string {
  const { day, minute } = localBegin(of.begin, timeZone);
  return plainName(composed(of, rules.composition, day, minute), rules.ascii);
}

function composed(
  { serviceName, title, description }: NamedRecording,
  rule: string,
  day: string,
  minute: string,
): string {
  const date = `${day} ${minute}`;
  if (title === '') return `${date} - ${serviceName}`;
  switch (rule) {
    case 'long':
      return [date, serviceName, title, description].filter((part, n) => n < 3 || part !== '').join(' - ');
    case 'short':
      return `${day} - ${title}`;
    case 'event':
      return `${title} - ${date}_${serviceName}`;
    default:
      return `${date} - ${serviceName} - ${title}`;
  }
}

/**
 * Letters are composed (NFKC). A box decomposes them (NFKD), but players and network shares handle composed ones
 * better.
 */
function plainName(text: string, ascii: boolean): string {
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
function cut(text: string, bytes: number): string {
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

/** `20260101` and `2015`, in the given time zone. */
function localBegin(time: UnixSeconds, timeZone: string): { readonly day: string; readonly minute: string } {
  const two = '2-digit';
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
  }).formatToParts(time * 1000);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { day: of('year') + of('month') + of('day'), minute: of('hour') + of('minute') };
}
