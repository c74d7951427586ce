/**
 * Names and `.nfo` files by which Plex, Jellyfin and Kodi recognise a programme: `Show/Season 02/Show - S02E05 - Title`, and
 * `Title (Year)/Title (Year)` for films. An episode without a number has its date instead.
 */
import { basename, parse } from 'node:path';
import type { UnixSeconds } from '../../base/clock.ts';
import { localTime } from '../../base/local-time.ts';
import { type XmlElement, xmlText } from '../../base/xml.ts';
import { episodeOf, episodeTitleOf, type NumberedTexts, titleOf } from '../../epg/episode-number.ts';
import type { GuideEvent } from '../../epg/event.ts';
import { cut, plainName } from '../files/file-name.ts';
import { isTrashName } from './trash-folder.ts';

export interface NamedProgramme extends NumberedTexts {
  readonly serviceName: string;
  readonly begin: UnixSeconds;
  /** Seconds; undefined if unknown. */
  readonly length?: number | undefined;
  /** Undefined or null if it is not in the guide. */
  readonly event?: Pick<GuideEvent, 'genres' | 'crids' | 'duration'> | null | undefined;
}

interface MediaName {
  /** Folders to put it into, each with a trailing slash. */
  readonly folder: string;
  /** Without extension. */
  readonly name: string;
  readonly nfo: string;
  /** Content of `tvshow.nfo` in the folder above, that of the show; undefined for a film. */
  readonly show?: string;
}

/** Bytes of a show's or film's title in names, so that the number of the episode always fits. */
const maxTitleBytes = 120;
/** Films are longer; series are often broadcast with the genre of films. */
const minFilmSeconds = 3600;
/** Content_nibble_level_1 of films and drama, and level 2 of soaps (EN 300 468 table 29). */
const filmGenre = 1;
const soapGenre = 5;

/** `(1994)`, `(USA, 1994)`, `USA 1994`, `D/F 2010` */
const years = [
  /\((?:[^()\n]{0,40}[ ,])?((?:19|20)\d\d)\)/,
  /(?<![\p{L}\d])[A-Z]{1,3}(?:\/[A-Z]{1,3}){0,5},? ((?:19|20)\d\d)(?![\p{L}\d])/u,
];

/** How many of the folders above a file were made for its name. */
export function mediaFolders(path: string): number {
  const { dir, name } = parse(path);
  if (/^Season \d{2,4}$/.test(basename(dir))) return 2;
  return name.replace(/_\d{3}$/, '') === basename(dir) ? 1 : 0;
}

export function mediaName(programme: NamedProgramme, timeZone: string, isAscii = false): MediaName {
  const digits = localTime(timeZone).digits(programme.begin);
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`;
  const plain = (text: string, maxBytes?: number) => {
    const name = plainName(text, { isAscii, keepsDots: true, ...(maxBytes !== undefined && { maxBytes }) });
    return isTrashName(name) ? `__${name}` : name;
  };
  if (isFilm(programme)) {
    const year = yearIn(programme, Number(date.slice(0, 4)));
    const title = programme.title.replace(/ ?\((?:19|20)\d\d\)/, '') || programme.title;
    const name = [plain(title, maxTitleBytes), year && `(${year})`].filter(Boolean).join(' ');
    return { folder: `${name}/`, name, nfo: filmFile(programme, title, year) };
  }
  const { season, episode } = episodeOf(programme);
  const show = plain(titleOf(programme.title) || programme.serviceName, maxTitleBytes);
  const two = (number: number) => String(number).padStart(2, '0');
  const ofYear = Number(date.slice(0, 4));
  const folder = `${show}/Season ${two(season ?? (episode === undefined ? ofYear : 1))}/`;
  const number = episode === undefined ? date : `S${two(season ?? 1)}E${two(episode)}`;
  const title = episodeTitleOf(programme.description);
  const name = [show, number, title && plain(title)].filter(Boolean).join(' - ');
  return {
    ...{ folder, name: cut(name), nfo: episodeFile(programme, { title, season, episode, date }) },
    show: nfoFile('tvshow', { title: titleOf(programme.title) || programme.serviceName }),
  };
}

function isFilm(programme: NamedProgramme): boolean {
  const { event, length } = programme;
  const { season, episode } = episodeOf(programme);
  if (!event || season !== undefined || episode !== undefined) return false;
  return (
    event.genres.some(({ level1, level2 }) => level1 === filmGenre && level2 !== soapGenre) &&
    !event.crids.some(({ type }) => type === 'series') &&
    (event.duration || (length ?? 0)) >= minFilmSeconds
  );
}

/** The year of a film that its texts name; undefined if there is none up to `until`. */
function yearIn({ title, description, extendedText }: NumberedTexts, until: number): number | undefined {
  const found = [title, description, extendedText].flatMap((text) => years.map((one) => Number(one.exec(text)?.[1])));
  return found.find((year) => year <= until);
}

const filmFile = (programme: NamedProgramme, title: string, year: number | undefined) =>
  nfoFile('movie', { title, year, outline: programme.description, ...common(programme) });

interface Episode {
  readonly title: string;
  readonly season: number | undefined;
  readonly episode: number | undefined;
  readonly date: string;
}

const episodeFile = (programme: NamedProgramme, { title, season, episode, date }: Episode) =>
  nfoFile('episodedetails', {
    title: title || programme.title,
    showtitle: titleOf(programme.title),
    ...(episode !== undefined && { season: season ?? 1, episode }),
    ...{ aired: date, ...common(programme) },
  });

const common = ({ description, extendedText, serviceName, length = 0 }: NamedProgramme) => ({
  plot: extendedText || description,
  studio: serviceName,
  runtime: Math.round(length / 60) || undefined,
});

type Values = Readonly<Record<string, string | number | undefined>>;

/** The `.nfo` file of Kodi, which Jellyfin reads too. */
function nfoFile(name: 'movie' | 'tvshow' | 'episodedetails', values: Values): string {
  const element = (of: string, content: XmlElement['content']) => ({ name: of, attributes: {}, line: 0, content });
  const filled = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  const lines = filled.flatMap(([key, value]) => ['\n  ', element(key, [String(value)])]);
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xmlText(element(name, [...lines, '\n']))}\n`;
}
