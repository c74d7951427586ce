/** The supported keys of an Enigma2 `settings` file, with the kind of value and the default of each. */

import { fail } from '../base/errors.ts';
import type { SettingSchema } from './configuration-check.ts';

/** Yes or no, an integer within bounds, one of several words, a time of day, or any text. */
type Kind =
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'choice'; readonly words: readonly string[] }
  | { readonly kind: 'clock' }
  | { readonly kind: 'text' };

export type KnownSetting = Kind & {
  /** The default in stored form. */
  readonly default: string;
  /** False for paths, ports, logins, locks and values maintained by the receiver, which no client may change. */
  readonly writable: boolean;
  /**
   * Description for people; undefined if the setting has no effect in this receiver, or is not for people to choose.
   */
  readonly meaning?: string;
};

const yesNo = (defaultValue: boolean, writable = true): KnownSetting => ({
  kind: 'yesNo',
  default: defaultValue ? 'True' : 'False',
  writable,
});
const integer = (defaultValue: number, minimum: number, maximum: number, writable = true): KnownSetting => ({
  kind: 'integer',
  default: String(defaultValue),
  minimum,
  maximum,
  writable,
});
const choice = (words: readonly [string, ...string[]]): KnownSetting => ({
  kind: 'choice',
  default: words[0],
  words,
  writable: true,
});
const clock = (defaultValue: string): KnownSetting => ({ kind: 'clock', default: defaultValue, writable: true });
const readOnlyText = (defaultValue = ''): KnownSetting => ({ kind: 'text', default: defaultValue, writable: false });

const described = (meaning: string, setting: KnownSetting): KnownSetting => ({ ...setting, meaning });

/** Preferences of web pages: whether lists show picons, and whether requesting the playlist of a service zaps to it. */
export const showPicons = 'config.OpenWebif.webcache.showchannelpicon';
export const zapForStreams = 'config.OpenWebif.webcache.zapstream';

const maxValueLength = 1000;

/** A time of day as Enigma2 stores it: leading zeros may be missing. */
const clockTime = /^(?:[01]?\d|2[0-3]):[0-5]?\d$/;

const known: Readonly<Record<string, KnownSetting>> = {
  'config.recording.margin_before': described(
    'minutes by which a recording starts before its event',
    integer(3, 0, 120),
  ),
  'config.recording.margin_after': described('minutes by which a recording ends after its event', integer(5, 0, 120)),
  'config.recording.filename_composition': described(
    'file names of new recordings: `standard` is time, channel and title; `long` adds the description; `short` is date and title; `event` is title, time and channel; `media` is for Plex, Jellyfin and Kodi, in folders, with .nfo files',
    choice(['standard', 'long', 'short', 'event', 'media']),
  ),
  'config.recording.ascii_filenames': described(
    'use only capital letters without accents in the file names of new recordings',
    yesNo(false),
  ),
  'config.recording.keep_timers': described('days for which finished timers are kept', integer(7, 1, 120)),
  'config.recording.never_decrypt': yesNo(false),
  'config.recording.always_ecm': yesNo(false),
  'config.usage.movielist_trashcan': described('move deleted recordings to the trash', yesNo(true)),
  'config.usage.movielist_trashcan_days': described(
    'days after which recordings in the trash are deleted',
    integer(8, 1, 31),
  ),
  'config.usage.movielist_trashcan_reserve': described(
    'gigabytes to keep free on each disk: while less than this, or less than a tenth of the disk, is free, its trash is emptied, oldest first',
    integer(40, 1, 1000),
  ),
  'config.usage.alternative_number_mode': described('start the channel numbers at 1 in each bouquet', yesNo(false)),
  'config.epgselection.grid.primetime': described('start of prime time in the guide', clock('20:15')),
  'config.usage.default_path': readOnlyText(),
  'config.usage.timer_path': readOnlyText('<default>'),
  'config.usage.instantrec_path': readOnlyText('<default>'),
  'config.usage.timeshift_path': readOnlyText('/media/hdd/'),
  'config.movielist.videodirs': readOnlyText("['/media/hdd/movie/']"),
  'config.movielist.last_videodir': readOnlyText('/media/hdd/movie/'),
  'config.movielist.last_timer_videodir': readOnlyText('/media/hdd/movie/'),
  'config.misc.epgcache_filename': readOnlyText('/media/hdd/epg.dat'),
  'config.epg.eit': yesNo(true),
  'config.epg.mhw': yesNo(false),
  'config.epg.freesat': yesNo(true),
  'config.epg.viasat': yesNo(true),
  'config.epg.netmed': yesNo(true),
  'config.epg.virgin': yesNo(false),
  'config.epg.opentv': yesNo(false),
  'config.epg.histminutes': integer(0, 0, 120),
  'config.epg.correct_invalid_epgdata': choice(['1', '0', '2', '3']),
  'config.streaming.authentication': yesNo(false, false),
  'config.streaming.stream_ecm': yesNo(false),
  'config.streaming.descramble': yesNo(true),
  'config.streaming.stream_eit': yesNo(true),
  'config.streaming.stream_ait': yesNo(true),
  'config.OpenWebif.port': integer(80, 0, 65535, false),
  'config.OpenWebif.streamport': integer(8001, 0, 65535, false),
  'config.OpenWebif.auth': yesNo(false, false),
  'config.OpenWebif.https_enabled': yesNo(false, false),
  'config.OpenWebif.https_port': integer(443, 0, 65535, false),
  'config.OpenWebif.auth_for_streaming': yesNo(false, false),
  'config.OpenWebif.parentalenabled': yesNo(false, false),
  'config.OpenWebif.service_name_for_stream': yesNo(true),
  [showPicons]: yesNo(true),
  [zapForStreams]: yesNo(false),
  'config.ParentalControl.configured': yesNo(false, false),
  'config.ParentalControl.type': readOnlyText(),
  'config.ParentalControl.age': integer(18, 0, 18, false),
  'config.ParentalControl.hideBlacklist': yesNo(false, false),
  'config.ParentalControl.servicepin.0': integer(0, 0, 9999, false),
  'config.tv.lastservice': readOnlyText(),
  'config.tv.lastroot': readOnlyText(),
  'config.radio.lastservice': readOnlyText(),
  'config.radio.lastroot': readOnlyText(),
  'config.servicelist.lastmode': readOnlyText('tv'),
  'config.servicelist.startupservice': readOnlyText(),
};

/** True for the values that Enigma2 accepts as yes: `1`, `enable`, `on`, `true`, `yes` in any case. */
export const isYes = (text: string) => /^(?:1|enable|on|true|yes)$/i.test(text);

/** Schemas of the settings that people may choose, in the form of those of the configuration. */
export const chosenSettings: Readonly<Record<string, SettingSchema>> = Object.fromEntries(
  Object.entries(known).flatMap(([key, setting]) =>
    setting.meaning === undefined ? [] : [[key, { ...schemaOf(setting), description: setting.meaning }]],
  ),
);

function schemaOf(setting: KnownSetting): SettingSchema {
  const { kind, default: defaultText } = setting;
  switch (kind) {
    case 'yesNo':
      return { type: 'boolean', default: isYes(defaultText) };
    case 'integer':
      return { type: 'integer', default: Number(defaultText), minimum: setting.minimum, maximum: setting.maximum };
    case 'choice':
      return { type: 'string', default: defaultText, enum: setting.words };
    case 'clock':
      return {
        type: 'string',
        default: defaultText,
        pattern: clockTime.source,
        expected: 'a time of day such as 20:15',
      };
    case 'text':
      return { type: 'string', default: defaultText, maxLength: maxValueLength };
  }
}

/** The setting of a key; undefined if it is not supported. */
export function knownSetting(key: string): KnownSetting | undefined {
  return Object.hasOwn(known, key) ? known[key] : undefined;
}

/**
 * Converts a key as clients write it to the form of the file: `config.list[0]` and `config.dict['name']` become
 * ordinary parts. Keys are only ever looked up, never evaluated.
 */
export function plainKey(key: string): string {
  return key
    .trim()
    .replace(/\[\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*\]/g, (_, single, double, index) => `.${single ?? double ?? index}`);
}

/**
 * Converts a client's value to the form of the file: only `true` is yes, a number is clamped to its bounds. @throws
 * ReceiverError `setting-refused`, `parameter-empty`
 */
export function storedText(key: string, setting: KnownSetting, value: string): string {
  const text = value.trim();
  if (text === '') throw fail('parameter-empty', 'value');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a setting is one line.
  if (text.length > maxValueLength || /[\x00-\x1f]/.test(text))
    throw fail('setting-refused', key, 'takes one short line');
  switch (setting.kind) {
    case 'yesNo':
      return text === 'true' ? 'True' : 'False';
    case 'integer': {
      if (!/^[+-]?\d{1,15}$/.test(text)) throw fail('setting-refused', key, 'takes a whole number');
      return String(Math.min(setting.maximum, Math.max(setting.minimum, Number(text))));
    }
    case 'choice':
      if (!setting.words.includes(text)) throw fail('setting-refused', key, `takes ${setting.words.join(', ')}`);
      return text;
    case 'clock':
      if (!clockTime.test(text)) throw fail('setting-refused', key, 'takes a time of day such as 20:15');
      return text;
    case 'text':
      return text;
  }
}

/** Whether a text in stored form means the default, which is not written to the file. */
export function isDefault({ kind, default: defaultText }: KnownSetting, text: string): boolean {
  return kind === 'yesNo' ? isYes(text) === isYes(defaultText) : text === defaultText;
}

/** Parses a list as stored by Enigma2, a Python literal: `['/media/hdd/movie/', "/media/usb/"]`. Skips non-strings. */
export function stringList(literal: string): string[] {
  const inside = /^\s*\[(.*)\]\s*$/s.exec(literal)?.[1] ?? '';
  // The last string may lack its end. A pattern that required one would backtrack to every quotation mark inside.
  const texts = inside.matchAll(/'((?:[^'\\]|\\.)*)('|\\?$)|"((?:[^"\\]|\\.)*)("|\\?$)/gs);
  return Array.from(texts).flatMap(([, single, singleEnd, double, doubleEnd]) =>
    singleEnd === "'" || doubleEnd === '"' ? unescaped(single ?? double ?? '') : [],
  );
}

/** Formats a list as Enigma2 stores it; the inverse of `stringList`. */
export function listLiteral(texts: readonly string[]): string {
  const hex = (one: string) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const escaped = (text: string) => text.replace(/[\\']/g, '\\$&').replace(/\p{Cc}/gu, hex);
  return `[${texts.map((text) => `'${escaped(text)}'`).join(', ')}]`;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gis, (_, short?: string, long?: string, plain = '') => {
    const code = short ?? long;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return plain === 'n' ? '\n' : plain;
  });
}
