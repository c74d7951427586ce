/** What a country suggests for the settings of a receiver: time zone, languages of the guide, prime time. */

export interface CountrySettings {
  /** IANA name. */
  readonly timeZone: string;
  /** ISO 639-2, the preferred one first. */
  readonly languages: readonly string[];
  /** `20:15`. */
  readonly primeTime: string;
}

/** Languages by country, where Unicode's likely language is not the only one. */
const languagesOf: Readonly<Record<string, readonly string[]>> = {
  ...{ be: ['nld', 'fra'], ca: ['eng', 'fra'], ch: ['deu', 'fra', 'ita'], es: ['spa', 'cat'], fi: ['fin', 'swe'] },
  ...{ ie: ['eng', 'gle'], lu: ['fra', 'deu'], no: ['nor'], ph: ['fil', 'eng'], us: ['eng', 'spa'] },
};

/** ISO 639-2 by ISO 639-1. */
const codes =
  'am:amh ar:ara az:aze be:bel bg:bul bn:ben bs:bos ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa et:est fa:fas fi:fin ' +
  'fr:fra he:heb hi:hin hr:hrv hu:hun hy:hye id:ind is:isl it:ita ja:jpn ka:kat kk:kaz ko:kor lt:lit lv:lav mk:mkd mn:mon ' +
  'ms:msa mt:mlt nb:nor nl:nld pl:pol pt:por ro:ron ru:rus sk:slk sl:slv sq:sqi sr:srp sv:swe sw:swa ta:tam th:tha tr:tur ' +
  'uk:ukr ur:urd uz:uzb vi:vie zh:zho';
const threeLetters = new Map(codes.split(' ').map((pair) => pair.split(':') as [string, string]));

/** The zone where most people live, of countries with several. */
const mainZones: Readonly<Record<string, string>> = {
  ...{ ar: 'America/Argentina/Buenos_Aires', au: 'Australia/Sydney', br: 'America/Sao_Paulo', ca: 'America/Toronto' },
  ...{ cl: 'America/Santiago', de: 'Europe/Berlin', ec: 'America/Guayaquil', es: 'Europe/Madrid' },
  ...{ id: 'Asia/Jakarta', kz: 'Asia/Almaty', mx: 'America/Mexico_City', nz: 'Pacific/Auckland' },
  ...{ pt: 'Europe/Lisbon', ru: 'Europe/Moscow', ua: 'Europe/Kiev', us: 'America/New_York' },
};

const primeTimes: readonly (readonly [start: string, countries: string])[] = [
  ['19:00', 'jp'],
  ['20:15', 'at ch de li'],
  ['20:30', 'be nl au nz'],
  ['21:00', 'ar br cl es fr gr ie gb mx pt'],
  ['21:20', 'it sm'],
];
const usualPrimeTime = '20:00';

/** `country`: ISO 3166 in lower case; `timeZone`: that of the machine, which is kept if the country has it. */
export function countrySettings(country: string, timeZone: string): CountrySettings {
  const locale: Intl.Locale & Zoned = new Intl.Locale(`und-${country.toUpperCase()}`);
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  const likely = threeLetters.get(locale.maximize().language);
  return {
    timeZone: zones.includes(timeZone) ? timeZone : (mainZones[country] ?? zones[0] ?? timeZone),
    languages: languagesOf[country] ?? (likely === undefined ? [] : [likely]),
    primeTime: primeTimes.find(([, countries]) => countries.split(' ').includes(country))?.[0] ?? usualPrimeTime,
  };
}

/** `getTimeZones` in current versions of Node and of browsers, `timeZones` in Node 20. */
export interface Zoned {
  getTimeZones?(): readonly string[] | undefined;
  readonly timeZones?: readonly string[] | undefined;
}
