/**
 * `/api/eventsearch`: searches the guide by text.
 *
 * The search types have historical numbers and readable names. The table below defines what they mean to the guide.
 */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../base/errors.ts';
import { localTime } from '../../base/local-time.ts';
import { type DvbTriplet, tripletKey } from '../../dvb/triplet.ts';
import type { ListedQuery } from '../../epg/event-list.ts';
import { type TextMatch, type TextScope, textMatches } from '../../epg/query.ts';
import { guideKey } from '../../services/guide-key.ts';
import { listedServices } from '../../services/listed-services.ts';
import { perGeneration } from '../../services/per-generation.ts';
import { type Service, type Services, unknownName } from '../../services/services.ts';
import { nullable } from '../endpoint/operation.ts';
import {
  eventIds,
  isYes,
  Parameter,
  type ParameterValues,
  refused,
  text,
  texts,
  unixTimes,
  word,
} from '../middleware/parameters.ts';
import type { QueryLists } from '../middleware/query.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { EventList, ListedServices } from '../write/event-shape.ts';
import { compactForm } from '../write/json.ts';
import {
  eventsSchema,
  firstNumber,
  firstText,
  givenTo,
  guideNumber,
  guideRoute,
  rowFields,
  rowLimit,
} from './event-list.ts';
import { exampleEvent, exampleService } from './event-record.ts';
import { rowTexts } from './fields.ts';
import { errorKeys, exampleError } from './route.ts';

/** The kind of search: by text, by similarity to an event, or by CRID. */
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

/** Names of the types 0 to 6, in that order. */
const numbered = ['similar', 'title-is', 'title', 'short', 'title+short', 'long', 'all'] as const;

/** The values of `querytype`. */
const searchTypes: readonly string[] = [...numbered.keys(), ...Object.keys(modes)].map(String);

/** Title contains. */
const presetSearchType = '2';

const isNumber = (given: string) => /^\s*\d+\s*$/.test(given);

/** An unescaped `+` in a URL is a space, so `title short` is `title+short`. */
export const searchType = new Parameter<SearchMode>(
  'what to search: 0 or similar (other showings of event_id on service_reference), 1 or title-is, 2 or title (contains), ' +
    '3 or short, 4 or title+short, 5 or long, 6 or all; or text (short and long), title-starts, title-ends, crid; or series (the events of the series of event_id)',
  Type.String({ default: presetSearchType, enum: searchTypes }),
  (given, name) => {
    const asked = given || presetSearchType;
    const known = (isNumber(asked) && numbered[Number(asked)]) || asked.replace(' ', '+');
    if (!Object.hasOwn(modes, known)) throw refused(name, asked, `one of ${searchTypes.join(', ')}`);
    return modes[known as keyof typeof modes];
  },
);

/** In a header, because clients know the keys of the body. */
const totalHeader = 'X-Total-Count';

const MangledParameters = Type.Object(
  {
    case_sensitive: Type.Boolean(),
    flags: nullable(Type.String()),
    what: nullable(Type.String({ description: 'the first value given' })),
    whats: Type.Optional(Type.Array(Type.String(), { description: 'all values, if several were given' })),
    querytype: Type.Union([Type.Integer(), Type.String(), Type.Null()], {
      description: 'the given number or name; otherwise null',
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

/** A search keeps as many hits in memory: about 10 MB. */
const maximumOffset = 100_000;

/** Seconds, in the range of the guide; no event is longer. */
const durations = { minimum: 0, maximum: 0xffff_ffff };

const languageCodes = /^([a-z]{3})?(,([a-z]{3})?)*$/;

const query = {
  what: texts('text to search for; if given several times, all must be found. With querytype crid, the CRID', 'ships'),
  querytype: searchType,
  // Clients know that any other word means no.
  case_sensitive: new Parameter(
    'compare exactly: case and accents count; 1, true, yes or on',
    Type.Boolean({ default: false }),
    isYes,
  ),
  flags: rowFields({ clock: false }),
  max_rows: rowLimit('maximum number of rows', 64),
  offset: guideNumber('number of rows to leave out at the beginning', { minimum: 0, maximum: maximumOffset }).or(0),
  begin: guideNumber('only events that end after this time (Unix seconds)', unixTimes),
  end: guideNumber('only events that begin before this time (Unix seconds)', unixTimes),
  service_reference: text('only events of this service; with querytype similar or series, the service of event_id'),
  bouquet: text('only services in this bouquet, given by reference or name'),
  event_id: guideNumber('with querytype similar or series, the event whose other showings or series to find', eventIds),
  match: word(
    'how a text must match, instead of what querytype says: contains; prefix or suffix of the whole text; word (not inside a longer ' +
      'one); words (each of them, in any order and in any of the texts searched); phrase (its words side by side); exact',
    textMatches,
  ),
  service_type: word('only television or only radio services', ['tv', 'radio']),
  genre: guideNumber('only this genre: 1 to 15 = a whole group, 16 to 255 = as in `genreid` (16 * group + genre)', {
    minimum: 1,
    maximum: 255,
  }),
  minimum_duration: guideNumber('only events of at least this many seconds', durations),
  maximum_duration: guideNumber('only events of at most this many seconds', durations),
  from_minute: guideNumber(
    'only events that begin at this time of the day or later: minutes after midnight, local time',
    {
      minimum: 0,
      maximum: 1439,
    },
  ),
  until_minute: guideNumber(
    'only events that begin before this time of the day; one that is not after from_minute is on the next day',
    { minimum: 1, maximum: 1440 },
  ),
  language: new Parameter<readonly string[]>(
    'only events in this language: ISO 639-2 code, several separated by commas',
    Type.String({ pattern: languageCodes.source }),
    (given = '', name) => {
      if (!languageCodes.test(given)) throw refused(name, given, 'a list of three-letter codes');
      return given.split(',').filter((code) => code !== '');
    },
  ),
  crid_type: guideNumber('with querytype crid, which CRIDs to compare: 1 programme, 2 series; absent = all', {
    minimum: 1,
    maximum: 2,
  }),
};
type Values = ParameterValues<typeof query>;

export const eventsearch = guideRoute(understood, {
  path: '/api/eventsearch',
  name: 'eventsearch',
  tag: 'events',
  summary: 'Searches the guide by text, by CRID, or for other showings of an event.',
  description:
    'Rows are ordered by start, then by service. An event has one row for every service reference in the service list with its ' +
    'network, transport stream and service id. Case and accents are ignored. `len` is the number of rows in this response. The first one ' +
    'with fewer than `max_rows` is the last; `X-Total-Count` has the number of all matching events.',
  query,
  responses: {
    200: {
      description: 'the rows; empty if nothing is found',
      headers: {
        [totalHeader]: {
          description: 'number of matching events, each counted once, regardless of the number of rows',
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
      description: 'nothing to search for, an invalid parameter, or an invalid reference',
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
    const mangled_parameters = understood(givenTo(request));
    const body = { errors: [], result: true, len: rows, mangled_parameters, events };
    return { headers: { [totalHeader]: String(total) }, body };
  },
});

type SearchParts = Pick<ReceiverParts, 'services' | 'guide' | 'clock' | 'config'>;

/** @throws ReceiverError */
async function searchQuery(parts: SearchParts, values: Values): Promise<ListedQuery> {
  const { querytype: mode, what, case_sensitive: caseSensitive } = values;
  if (mode.kind === 'similar') return otherShowings(parts.services, values);
  if (mode.kind === 'series') return seriesOf(parts, values);
  const texts = what.filter((one) => one !== '');
  const [first] = texts;
  if (first === undefined) throw new ReceiverError('parameter-missing', 'Nothing to search for?!');
  const filters = await filtersOf(parts, values);
  if (mode.kind === 'crid') {
    const type = cridTypes[values.crid_type ?? 0];
    return { ...filters, crid: { crid: first, ...(type && { type }) } };
  }
  return { ...filters, text: texts, match: values.match ?? mode.match, within: mode.within, caseSensitive };
}

/** The events of the series of `event_id`, by its CRID; none if the broadcast does not say of which series it is. */
async function seriesOf(parts: SearchParts, values: Values): Promise<ListedQuery> {
  const { service, id } = givenEvent(parts.services, values);
  const event = service && (await parts.guide.byId(service, id));
  const crid = event?.crids.find(({ type }) => type === 'series')?.crid;
  if (crid === undefined) return { services: [] };
  return { ...(await filtersOf(parts, { ...values, service_reference: '' })), crid: { crid, type: 'series' } };
}

/** The event that `service_reference` and `event_id` name. */
function givenEvent(services: Services, { service_reference, event_id: id }: Values) {
  if (!service_reference) throw fail('parameter-missing', 'service_reference');
  if (id === undefined) throw fail('parameter-missing', 'event_id');
  return { service: guideKey(services, services.resolve(service_reference)), id };
}

/** By `crid_type`. */
const cridTypes = [undefined, 'programme', 'series'] as const;

async function filtersOf({ services, clock, config }: SearchParts, values: Values): Promise<ListedQuery> {
  const { begin, end, genre, minimum_duration, maximum_duration, language: languages } = values;
  const { from_minute = 0, until_minute = 1440 } = values;
  const searched = ofType(services, await searchedServices(services, values), values.service_type);
  return {
    ...(searched !== undefined && { services: searched }),
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { until: end }),
    ...(genre !== undefined && {
      genres: [genre < 16 ? { level1: genre } : { level1: genre >> 4, level2: genre & 15 }],
    }),
    ...(minimum_duration !== undefined && { minimumDuration: minimum_duration }),
    ...(maximum_duration !== undefined && { maximumDuration: maximum_duration }),
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

/** Filters services (undefined: the whole list) by television or radio. */
function ofType(
  services: Services,
  searched: readonly DvbTriplet[] | undefined,
  type: Values['service_type'],
): readonly DvbTriplet[] | undefined {
  if (type === undefined) return searched;
  const isRadio = (key: DvbTriplet) => services.ofTriplet(key)?.services.some(({ reference }) => reference.isRadio);
  const keys = searched ?? listedServices(services).map(({ dvb }) => dvb);
  return keys.filter((key) => (isRadio(key) ?? false) === (type === 'radio'));
}

/** Other showings of the event given by `service_reference` and `event_id`, in the period and the bouquet. */
async function otherShowings(services: Services, values: Values): Promise<ListedQuery> {
  const { begin, end, bouquet } = values;
  const { service, id } = givenEvent(services, values);
  if (service === undefined) return { services: [] };
  return {
    similarTo: { service, id },
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { until: end }),
    ...(bouquet && { services: await bouquetServices(services, bouquet) }),
  };
}

/**
 * The services to search, in the order of the response: those of the bouquet, or the requested service if the bouquet
 * or the list contains it. Undefined = the whole list.
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

/** The services of a bouquet, given by reference or name, without duplicates. */
async function bouquetServices(services: Services, text: string): Promise<readonly DvbTriplet[]> {
  const bouquet = services.bouquetByName(text)?.reference ?? services.resolve(text);
  const keys = new Map<number, DvbTriplet>();
  for (const { reference } of (await services.listInSlices(bouquet))?.entries ?? []) {
    const key = guideKey(services, reference);
    if (key !== undefined) keys.set(tripletKey(key), key);
  }
  return [...keys.values()];
}

/** One row for every reference of a service in the service list, in the order of the list. */
const listedRows = perGeneration((services) => {
  const entries: { readonly key: DvbTriplet; readonly service: Service }[] = [];
  for (const { dvb: key, services: same } of listedServices(services)) {
    for (const service of same) entries.push({ key, service });
  }
  return new ListedServices(entries, rowTexts.length, ({ service: { reference, name, shortName } }) => [
    reference.format(),
    cleaned(name || unknownName),
    cleaned(shortName),
  ]);
});
