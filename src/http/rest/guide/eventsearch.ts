/**
 * `/api/eventsearch`: searches the guide by text.
 *
 * A search type has a readable name, and some have a number too. `modes` defines how the guide searches for each.
 */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { localTime } from '../../../base/local-time.ts';
import { type DvbTriplet, tripletKey } from '../../../dvb/triplet.ts';
import type { ListedQuery } from '../../../epg/event-response.ts';
import { type TextMatch, type TextScope, textMatches } from '../../../epg/query.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { listedServices } from '../../../services/listed-services.ts';
import { perGeneration } from '../../../services/per-generation.ts';
import { type Service, type Services, unknownName } from '../../../services/services.ts';
import { errorKeys, exampleError } from '../../endpoint/route.ts';
import {
  choice,
  endTimes,
  eventIds,
  isYes,
  Parameter,
  type ParameterValues,
  refused,
  serviceReference,
  text,
  texts,
  unixTimes,
} from '../../middleware/parameters.ts';
import type { QueryLists } from '../../middleware/query.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { EventList, ListedServices } from '../../write/event-shape.ts';
import { compactForm } from '../../write/json.ts';
import { nullable } from '../../write/record.ts';
import { exampleEvent, exampleService } from '../event-record.ts';
import {
  eventsSchema,
  firstNumber,
  firstText,
  guideNumber,
  guideRoute,
  queryListsOf,
  rowFields,
  rowLimit,
} from './event-list.ts';
import { rowTexts } from './fields.ts';

/** How to search: for a text, for other showings of an event, for the series of an event, or for a CRID. */
export type SearchMode =
  | { readonly kind: 'text'; readonly match: TextMatch; readonly within: TextScope }
  | { readonly kind: 'similar' }
  | { readonly kind: 'series' }
  | { readonly kind: 'crid' };

const modes = {
  similar: { kind: 'similar' },
  'title-is': { kind: 'text', match: 'exact', within: 'title' },
  title: { kind: 'text', match: 'contains', within: 'title' },
  short: { kind: 'text', match: 'contains', within: 'short' },
  'title+short': { kind: 'text', match: 'contains', within: 'title+short' },
  long: { kind: 'text', match: 'contains', within: 'long' },
  text: { kind: 'text', match: 'contains', within: 'text' },
  all: { kind: 'text', match: 'contains', within: 'all' },
  'title-starts': { kind: 'text', match: 'prefix', within: 'title' },
  'title-ends': { kind: 'text', match: 'suffix', within: 'title' },
  crid: { kind: 'crid' },
  series: { kind: 'series' },
} as const satisfies Record<string, SearchMode>;

/** The search types that have a number, which is their index. */
const numberedModes = ['similar', 'title-is', 'title', 'short', 'title+short', 'long', 'all'] as const;

/** The values of `querytype`. */
const searchTypes: readonly string[] = [...numberedModes.keys(), ...Object.keys(modes)].map(String);

/** The title contains the text. */
const defaultSearchType = '2';

const isNumber = (given: string) => /^\s*\d+\s*$/.test(given);

/** An unescaped `+` in a URL is a space, so `title short` is `title+short`. */
export const searchType = new Parameter<SearchMode>(
  'what to search: 0 or similar (other showings of event_id on service_reference), 1 or title-is, 2 or title (contains), 3 or short, ' +
    '4 or title+short, 5 or long, 6 or all, text (short and long), title-starts, title-ends, crid, series (the events of the series of event_id)',
  Type.String({ default: defaultSearchType, enum: searchTypes }),
  (given, name) => {
    const type = given || defaultSearchType;
    const mode = (isNumber(type) && numberedModes[Number(type)]) || type.replace(' ', '+');
    if (!Object.hasOwn(modes, mode)) throw refused(name, type, `one of ${searchTypes.join(', ')}`);
    return modes[mode as keyof typeof modes];
  },
);

/** A header, because clients know the keys of the body and may not expect another one. */
const totalHeader = 'X-Total-Count';

const MangledParameters = Type.Object(
  {
    case_sensitive: Type.Boolean(),
    flags: nullable(Type.String()),
    what: nullable(Type.String({ description: 'the first value given' })),
    whats: Type.Optional(Type.Array(Type.String(), { description: 'all values, if several were given' })),
    querytype: Type.Union([Type.Integer(), Type.String(), Type.Null()], {
      description: 'the number or name in the request',
    }),
    max_rows: nullable(Type.Integer()),
  },
  { description: 'the parameters as understood; null = not given' },
);

const exampleRequest = { path: '/api/eventsearch', method: 'GET' } as const;

function understood(given: QueryLists) {
  const what = given.get('what') ?? [];
  const type = firstText(given, 'querytype');
  return {
    case_sensitive: isYes(given.get('case_sensitive')?.[0]),
    flags: firstText(given, 'flags'),
    what: what[0] ?? null,
    ...(what.length > 1 && { whats: what }),
    querytype: type !== null && isNumber(type) ? Number(type) : type,
    max_rows: firstNumber(given, 'max_rows'),
  };
}

const nothingGiven = understood(new Map());

/** A search keeps this many hits in memory: about 10 MB. */
const maxOffset = 100_000;

/** In seconds: the range of durations in the guide. */
const durations = { minimum: 0, maximum: 0xffff_ffff };

const languageCodes = /^([a-z]{3})?(,([a-z]{3})?)*$/;

const query = {
  what: texts(
    'the text to search for; if given several times, all must be found; not needed with a filter below. With querytype crid, the CRID',
    { example: 'ships' },
  ),
  querytype: searchType,
  // Any other word means no: clients rely on that.
  case_sensitive: new Parameter(
    'whether case and accents count: 1, true, yes or on for yes',
    Type.Boolean({ default: false }),
    isYes,
  ),
  flags: rowFields({ clock: false }),
  max_rows: rowLimit('maximum number of rows', 64),
  offset: guideNumber('number of rows to skip', { minimum: 0, maximum: maxOffset }).or(0),
  begin: guideNumber('only events that end after this time (Unix seconds)', { ...unixTimes, example: 1767290400 }),
  end: guideNumber('only events that begin before this time (Unix seconds)', endTimes),
  service_reference: serviceReference(
    'only events of this service; with querytype similar or series, the service of event_id',
  ),
  bouquet: text('only events of the services in this bouquet, given by reference or name', { example: 'Favourites' }),
  event_id: guideNumber('with querytype similar or series, the event whose other showings or series to find', eventIds),
  match: choice(
    'how the text must match; overrides querytype. contains; prefix or suffix: of the whole text; word: not inside a longer word; words: ' +
      'all its words, in any order and in any of the searched texts; phrase: its words side by side; exact',
    textMatches,
  ),
  service_type: choice('only television services, or only radio services', ['tv', 'radio']),
  genre: guideNumber(
    'only this genre: 1 to 15 = all genres of a group, 16 to 255 = one genre (16 * group + genre, as in `genreid`)',
    { minimum: 1, maximum: 255, example: 2 },
  ),
  minimum_duration: guideNumber('only events of at least this many seconds', { ...durations, example: 1800 }),
  maximum_duration: guideNumber('only events of at most this many seconds', { ...durations, example: 7200 }),
  from_minute: guideNumber('only events that begin at this time of day or later: minutes after midnight, local time', {
    minimum: 0,
    maximum: 1439,
    example: 1200,
  }),
  until_minute: guideNumber(
    'only events that begin before this time of day; a time not after from_minute is on the next day',
    { minimum: 1, maximum: 1440, example: 1380 },
  ),
  language: new Parameter<readonly string[]>(
    'only events in these languages: ISO 639-2 codes, separated by commas',
    Type.String({ pattern: languageCodes.source, examples: ['eng,deu'] }),
    (given = '', name) => {
      if (!languageCodes.test(given)) throw refused(name, given, 'a list of three-letter codes');
      return given.split(',').filter((code) => code !== '');
    },
  ),
  crid_type: guideNumber('with querytype crid, which CRIDs to compare: 1 programme, 2 series; absent = all', {
    minimum: 1,
    maximum: 2,
    example: 2,
  }),
};
type Values = ParameterValues<typeof query>;

export const eventsearch = guideRoute(understood, {
  path: '/api/eventsearch',
  name: 'eventsearch',
  tag: 'events',
  summary: 'Searches the guide by text, by CRID, or for other showings of an event.',
  description:
    'Without a text, returns the events that pass the filters; at least one filter must be given. Rows are ordered by start, then by service. An event has a row for each service reference in the service list that has its network id, ' +
    'transport stream id and service id. By default, case and accents are ignored. `len` is the number of rows in this response. A response with ' +
    'fewer than `max_rows` rows is the last page. `X-Total-Count` has the number of all matching events.',
  parameters: query,
  responses: {
    200: {
      description: 'the rows; empty if nothing is found',
      headers: {
        [totalHeader]: {
          description: 'number of all matching events, each counted once',
          schema: Type.Integer({ minimum: 0 }),
        },
      },
      schema: eventsSchema('EventSearch', MangledParameters),
      example: {
        errors: [],
        result: true,
        len: 1,
        mangled_parameters: { ...nothingGiven, what: 'ships' },
        events: [{ ...exampleEvent, ...exampleService }],
      },
    },
    400: {
      description: 'neither a text nor a filter, an invalid parameter, or an invalid reference',
      schema: eventsSchema('EventSearchError', MangledParameters, errorKeys),
      example: exampleError('parameter-missing', 'Nothing to search for?!', exampleRequest, {
        errors: ['Nothing to search for?!'],
        len: 0,
        events: [],
        mangled_parameters: nothingGiven,
      }),
    },
  },
  async run(parts, values, request) {
    const { flags, offset: skip, max_rows: limit } = values;
    const question = { asked: 'search', query: await searchQuery(parts, values), skip, limit } as const;
    const events = new EventList(parts, listedRows(parts.services), flags.shape, question);
    const { rows, total } = await events.ask(compactForm);
    const mangled_parameters = understood(queryListsOf(request));
    const body = { errors: [], result: true, len: rows, mangled_parameters, events };
    return { headers: { [totalHeader]: String(total) }, body };
  },
});

type SearchParts = Pick<ReceiverParts, 'services' | 'guide' | 'clock' | 'config'>;

/** The query of the guide for a request. @throws ReceiverError `parameter-missing`, `invalid-reference` */
async function searchQuery(parts: SearchParts, values: Values): Promise<ListedQuery> {
  const { querytype: mode, what, case_sensitive: caseSensitive } = values;
  if (mode.kind === 'similar') return otherShowings(parts.services, values);
  if (mode.kind === 'series') return seriesOf(parts, values);
  const texts = what.filter((one) => one !== '');
  const [first] = texts;
  const filters = await filtersOf(parts, values);
  if (first === undefined) {
    if (mode.kind === 'crid' || Object.keys(filters).length === 0)
      throw new ReceiverError('parameter-missing', 'Nothing to search for?!');
    return filters;
  }
  if (mode.kind === 'crid') {
    const type = cridTypes[values.crid_type ?? 0];
    return { ...filters, crid: { crid: first, ...(type && { type }) } };
  }
  return { ...filters, text: texts, match: values.match ?? mode.match, within: mode.within, caseSensitive };
}

/** The events of the series of `event_id`, by its series CRID; none if no such CRID is broadcast. */
async function seriesOf(parts: SearchParts, values: Values): Promise<ListedQuery> {
  const { service, id } = requestedEvent(parts.services, values);
  const event = service && (await parts.guide.byId(service, id));
  const crid = event?.crids.find(({ type }) => type === 'series')?.crid;
  if (crid === undefined) return { services: [] };
  return { ...(await filtersOf(parts, { ...values, service_reference: '' })), crid: { crid, type: 'series' } };
}

/** The event that a request identifies by `service_reference` and `event_id`. */
function requestedEvent(services: Services, { service_reference, event_id: id }: Values) {
  if (!service_reference) throw fail('parameter-missing', 'service_reference');
  if (id === undefined) throw fail('parameter-missing', 'event_id');
  return { service: guideKey(services, services.resolve(service_reference)), id };
}

/** The index is the value of `crid_type`. */
const cridTypes = [undefined, 'programme', 'series'] as const;

async function filtersOf({ services, clock, config }: SearchParts, values: Values): Promise<ListedQuery> {
  const { begin, end, genre, minimum_duration, maximum_duration, language: languages } = values;
  const { from_minute = 0, until_minute = 1440 } = values;
  const searched = filterByType(services, await searchedServices(services, values), values.service_type);
  return {
    ...(searched !== undefined && { services: searched }),
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { until: end }),
    ...(genre !== undefined && {
      genres: [genre < 16 ? { level1: genre } : { level1: genre >> 4, level2: genre & 15 }],
    }),
    ...(minimum_duration !== undefined && { minDurationSeconds: minimum_duration }),
    ...(maximum_duration !== undefined && { maxDurationSeconds: maximum_duration }),
    ...(languages.length > 0 && { languages }),
    ...((from_minute > 0 || until_minute < 1440) && {
      timeOfDay: {
        from: from_minute * 60,
        until: until_minute * 60,
        zone: localTime(config.timeZone).changes(clock.now()),
      },
    }),
  };
}

/** Keeps only the television or radio services. `searched`: undefined for the whole service list. */
function filterByType(
  services: Services,
  searched: readonly DvbTriplet[] | undefined,
  type: Values['service_type'],
): readonly DvbTriplet[] | undefined {
  if (type === undefined) return searched;
  const isRadio = (key: DvbTriplet) => services.ofTriplet(key)?.services.some(({ reference }) => reference.isRadio);
  const keys = searched ?? listedServices(services).map(({ dvb }) => dvb);
  return keys.filter((key) => (isRadio(key) ?? false) === (type === 'radio'));
}

/** Other showings of the event of `service_reference` and `event_id`, within the requested period and bouquet. */
async function otherShowings(services: Services, values: Values): Promise<ListedQuery> {
  const { begin, end, bouquet } = values;
  const { service, id } = requestedEvent(services, values);
  if (service === undefined) return { services: [] };
  return {
    similarTo: { service, id },
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { until: end }),
    ...(bouquet && { services: await bouquetServices(services, bouquet) }),
  };
}

/**
 * The services to search, in the order of the response. Without a bouquet and a service, undefined: the whole service list.
 * A requested service that is not in the bouquet or in the service list is left out.
 */
async function searchedServices(
  services: Services,
  { service_reference, bouquet }: Values,
): Promise<readonly DvbTriplet[] | undefined> {
  const searched = bouquet ? await bouquetServices(services, bouquet) : undefined;
  if (!service_reference) return searched;
  const key = guideKey(services, services.resolve(service_reference));
  if (key === undefined) return [];
  const isSearched =
    searched === undefined
      ? services.ofTriplet(key) !== undefined
      : searched.some((one) => tripletKey(one) === tripletKey(key));
  return isSearched ? [key] : [];
}

/** The services of the bouquet with a reference or name, without duplicates. */
async function bouquetServices(services: Services, text: string): Promise<readonly DvbTriplet[]> {
  const bouquet = services.bouquetByName(text)?.reference ?? services.resolve(text);
  const keys = new Map<number, DvbTriplet>();
  for (const { reference } of (await services.listInSlices(bouquet))?.entries ?? []) {
    const key = guideKey(services, reference);
    if (key !== undefined) keys.set(tripletKey(key), key);
  }
  return [...keys.values()];
}

/** A row for each service reference, in the order of the service list. */
const listedRows = perGeneration((services) => {
  const entries: { readonly key: DvbTriplet; readonly service: Service }[] = [];
  for (const { dvb: key, services: sameTriplet } of listedServices(services)) {
    for (const service of sameTriplet) entries.push({ key, service });
  }
  return new ListedServices(entries, rowTexts.length, ({ service: { reference, name, shortName } }) => [
    reference.format(),
    cleaned(name || unknownName),
    cleaned(shortName),
  ]);
});
