/** The metadata of an export, in ffmpeg's own form: texts, and chapters. */
import { localTime } from '../base/local-time.ts';
import { episodeOf } from '../epg/episode-number.ts';
import type { Recording } from '../recordings/files/recording.ts';
import type { Chapter } from './plan.ts';

/** Characters of a value. */
const maxLength = 8000;

/** The text of an ffmetadata file. */
export function metadataOf(recording: Recording, chapters: readonly Chapter[], timeZone: string): string {
  const { title, description, extendedText, serviceName, begin } = recording;
  const { season, episode } = episodeOf(recording);
  const day = localTime(timeZone).digits(begin).slice(0, 8);
  const lines = [
    ['title', title],
    ['description', description || extendedText],
    ['synopsis', extendedText],
    ['network', serviceName],
    ['date', `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`],
    ['season_number', season ?? ''],
    ['episode_sort', episode ?? ''],
  ] as const;
  const texts = lines.flatMap(([key, value]) => (value === '' ? [] : `${key}=${escaped(String(value))}`));
  const parts = chapters.map(
    ({ begin, end, title: name }) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${Math.round(begin * 1000)}\nEND=${Math.round(end * 1000)}\ntitle=${escaped(name)}`,
  );
  return `;FFMETADATA1\n${[...texts, ...parts].join('\n')}\n`;
}

/** A value, in which `=`, `;`, `#`, `\` and line ends have a meaning. */
const escaped = (text: string) =>
  text
    .slice(0, maxLength)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]|\p{Cs}/gu, ' ')
    .replace(/[=;#\\\n]/g, '\\$&');
