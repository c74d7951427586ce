/**
 * `/api/eventsearch`: searches the guide by text.
 *
 * The search types have historical numbers and readable names. The table below defines what they mean to the guide.
 */
import Type from 'typebox';
import { type DvbTriplet, tripletKey } from '../../dvb/triplet.ts';
import type { ListedQuery } from '../../epg/event-list.ts';
import type { TextMatch, TextScope } from '../../epg/guide.ts';
import { fail, ReceiverError } from '../../errors.ts';
import { guideKey } from '../../services/guide-key.ts';
import { listedServices } from '../../services/listed-services.ts';
import { perGeneration } from '../../services/per-generation.ts';
import { type Service, type Services, unknownName } from '../../services/services.ts';
import { cleaned } from '../cleaned-text.ts';
import { EventList, ListedServices } from '../event-shape.ts';
import { compactForm } from '../json.ts';
import { nullable } from '../operation.ts';
import { eventIds, integer, text, unixTimes } from '../parameters.ts';
import { boundedRows, errorList, eventsSchema, flagsParameter, maximumRows } from './event-list.ts';
import { exampleEvent, exampleService } from './event-record.ts';
import { presetFlags, rowForm, rowTexts } from './fields.ts';
import { integerWith, textWith, toggle } from './parameters.ts';
import { errorKeys, exampleError, Refusal, route } from './route.ts';

/** The kind of search: by text, by similarity to an event, or by CRID. */
export type SearchMode =
  | { readonly kind: 'text'; readonly match: TextMatch; readonly within: TextScope }
  | { readonly kind: 'similar' }
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
} as const satisfies Record<string, SearchMode>;

/** Names of the types 0 to 6, in that order. */
const numbered = ['similar', 'title-is', 'title', 'short', 'title+short', 'long', 'all'] as const;

const matches: readonly TextMatch[] = ['contains', 'prefix', 'suffix', 'word', 'words', 'phrase', 'exact'];

/** Valid values of `querytype`. */
const searchTypeWords: readonly string[] = [...numbered.map((_, number) => String(number)), ...Object.keys(modes)];

/** Title contains. */
const presetSearchType = 2;

/**
 * Parses `querytype`: a number from 0 to 6 or a name. An unescaped `+` in a URL is a space, so `title short` is
 * `title+short`.
 * @throws ReceiverError `parameter-invalid`
 */
export function readSearchType(given: string | undefined): SearchMode {
  if (given === undefined || given === '') return modes[numbered[presetSearchType]];
  const byNumber = isNumber(given) ? numbered[Number(given)] : undefined;
  const name = byNumber ?? given.replace(' ', '+');
  if (Object.hasOwn(modes, name)) return modes[name as keyof typeof modes];
  throw fail('parameter-invalid', 'querytype', `must be one of ${searchTypeWords.join(', ')}`);
}

const isNumber = (text: string) => /^\s*\d+\s*$/.test(text);

const presetRows = 64;

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

const nothingGiven = { case_sensitive: false, flags: null, what: null, querytype: null, max_rows: null };
const request = { path: '/api/eventsearch', method: 'GET' } as const;

/** Seconds, in the range of the guide; no event is longer. */
const durations = { minimum: 0, maximum: 0xffff_ffff };
const genres = { minimum: 1, maximum: 255 };

export const eventsearch = route({
  method: 'GET',
  path: '/api/eventsearch',
  name: 'eventsearch',
  tag: 'events',
  summary: 'Searches the guide by text, by CRID, or for other showings of an event.',
  description:
    'Rows are ordered by start, then by service. An event has one row for every service reference in the service list with its ' +
    'network, transport stream and service id. Case and accents are ignored.',
  caching: 'no-store',
  lists: {
    what: {
      description: 'text to search for; if given several times, all must be found. With querytype crid, the CRID',
      required: false,
      example: 'ships',
    },
  },
  query: {
    querytype: textWith(
      'what to search: 0 or similar (other showings of event_id on service_reference), 1 or title-is, 2 or title (contains), ' +
        '3 or short, 4 or title+short, 5 or long, 6 or all; or text (short and long), title-starts, title-ends, crid',
      { default: String(presetSearchType), enum: searchTypeWords },
    ),
    case_sensitive: toggle('compare exactly: case and accents count'),
    flags: flagsParameter(),
    max_rows: integerWith('maximum number of rows; 0 = the upper limit', {
      default: presetRows,
      minimum: 0,
      maximum: maximumRows,
    }),
    begin: integer('only events that end after this time (Unix seconds)', unixTimes),
    end: integer('only events that begin before this time (Unix seconds)', unixTimes),
    service_reference: text('only events of this service; with querytype similar, the service of event_id'),
    bouquet: text('only services in this bouquet, given by reference or name'),
    event_id: integer('with querytype similar, the event whose other showings to find', eventIds, 'kept'),
    match: textWith(
      'how a text must match, instead of what querytype says: contains; prefix or suffix of the whole text; word (not inside a longer ' +
        'one); words (each of them, in any order and in any of the texts searched); phrase (its words side by side); exact',
      { enum: matches },
    ),
    service_type: textWith('only television or only radio services', { enum: ['tv', 'radio'] }),
    genre: integer(
      'only this genre: 1 to 15 = a whole group, 16 to 255 = as in `genreid` (16 * group + genre)',
      genres,
      'kept',
    ),
    minimum_duration: integer('only events of at least this many seconds', durations),
    maximum_duration: integer('only events of at most this many seconds', durations),
    language: text('only events in this language: ISO 639-2 code, several separated by commas'),
    crid_type: integerWith('with querytype crid, which CRIDs to compare: 1 programme, 2 series; absent = all', {
      enum: [1, 2],
    }),
  },
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
      description: 'nothing to search for, an unknown querytype or letter in flags, or an invalid reference',
      schema: eventsSchema('EventSearchError', MangledParameters, errorKeys),
      example: exampleError('parameter-missing', 'Nothing to search for?!', request, {
        errors: ['Nothing to search for?!'],
        len: 0,
        events: [],
        mangled_parameters: nothingGiven,
      }),
    },
  },
  failures: {},
  async run(parts, values) {
    const { what, querytype, case_sensitive, flags, max_rows: maxRows } = values;
    const mangled_parameters = {
      case_sensitive,
      flags: flags ?? null,
      what: what[0] ?? null,
      ...(what.length > 1 && { whats: what }),
      querytype: querytype !== undefined && isNumber(querytype) ? Number(querytype) : (querytype ?? null),
      max_rows: maxRows ?? null,
    };
    try {
      const { shape } = rowForm(flags || presetFlags, { clock: false });
      const limit = maxRows === undefined ? presetRows : boundedRows(maxRows);
      const question = { asked: 'search', query: searchQuery(parts.services, values), limit } as const;
      const events = new EventList(parts, listedRows(parts.services), shape, question, parts.clock.now());
      const { rows, total } = await events.ask(compactForm);
      const body = { errors: [], result: true, len: rows, mangled_parameters, events };
      return { headers: { [totalHeader]: String(total) }, body };
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      throw new Refusal(error, { errors: errorList([error]), len: 0, events: [], mangled_parameters });
    }
  },
});

interface SearchFilters {
  readonly match: string | undefined;
  readonly service_type: string | undefined;
  readonly genre: number | undefined;
  readonly minimum_duration: number | undefined;
  readonly maximum_duration: number | undefined;
  readonly language: string | undefined;
}

interface SearchRequest extends SearchFilters {
  readonly what: readonly string[];
  readonly querytype: string | undefined;
  readonly case_sensitive: boolean;
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly service_reference: string | undefined;
  readonly bouquet: string | undefined;
  readonly event_id: number | undefined;
  readonly crid_type: number | undefined;
}

/** @throws ReceiverError */
function searchQuery(services: Services, request: SearchRequest): ListedQuery {
  const mode = readSearchType(request.querytype);
  const period = {
    ...(request.begin !== undefined && { from: request.begin }),
    ...(request.end !== undefined && { until: request.end }),
  };
  if (mode.kind === 'similar') return { ...similar(services, request), ...period };
  const texts = request.what.filter((one) => one !== '');
  const [first] = texts;
  if (first === undefined) throw new ReceiverError('parameter-missing', 'Nothing to search for?!');
  const searched = ofType(services, searchedServices(services, request), request.service_type);
  const filters = { ...eventFilters(request), ...(searched !== undefined && { services: searched }), ...period };
  if (mode.kind === 'crid') {
    const type = request.crid_type === undefined ? undefined : cridTypes.get(request.crid_type);
    return { ...filters, crid: { crid: first, ...(type && { type }) } };
  }
  const match = readMatch(request.match) ?? mode.match;
  return { ...filters, text: texts, match, within: mode.within, caseSensitive: request.case_sensitive };
}

/** @throws ReceiverError `parameter-invalid` */
function readMatch(given = ''): TextMatch | undefined {
  if (given === '') return undefined;
  const known = matches.find((match) => match === given);
  if (known === undefined) throw fail('parameter-invalid', 'match', `must be one of ${matches.join(', ')}`);
  return known;
}

/** The filters on the event itself. @throws ReceiverError `parameter-invalid` */
function eventFilters({ genre, minimum_duration, maximum_duration, language = '' }: SearchFilters): ListedQuery {
  if (genre !== undefined && (genre < genres.minimum || genre > genres.maximum))
    throw fail('parameter-invalid', 'genre', 'must be a number from 1 to 255');
  const languages = language.split(',').filter((code) => code !== '');
  if (!languages.every((code) => /^[a-z]{3}$/.test(code)))
    throw fail('parameter-invalid', 'language', 'is not a list of three-letter codes');
  return {
    ...(genre !== undefined && {
      genres: [genre < 16 ? { level1: genre } : { level1: genre >> 4, level2: genre & 15 }],
    }),
    ...(minimum_duration !== undefined && { minimumDuration: minimum_duration }),
    ...(maximum_duration !== undefined && { maximumDuration: maximum_duration }),
    ...(languages.length > 0 && { languages }),
  };
}

/** Filters services (undefined: the whole list) by television or radio. @throws ReceiverError `parameter-invalid` */
function ofType(
  services: Services,
  searched: readonly DvbTriplet[] | undefined,
  type = '',
): readonly DvbTriplet[] | undefined {
  if (type === '') return searched;
  if (type !== 'tv' && type !== 'radio') throw fail('parameter-invalid', 'service_type', 'must be one of tv, radio');
  const isRadio = (key: DvbTriplet) => services.ofTriplet(key)?.services.some(({ reference }) => reference.isRadio);
  const keys = searched ?? listedServices(services).map(({ dvb }) => dvb);
  return keys.filter((key) => (isRadio(key) ?? false) === (type === 'radio'));
}

const cridTypes: ReadonlyMap<number, 'programme' | 'series'> = new Map([
  [1, 'programme'],
  [2, 'series'],
]);

/** Other showings of the event given by `service_reference` and `event_id`, in the bouquet. */
function similar(services: Services, { service_reference, event_id, bouquet }: SearchRequest): ListedQuery {
  if (!service_reference) throw fail('parameter-missing', 'service_reference');
  if (event_id === undefined) throw fail('parameter-missing', 'event_id');
  const service = guideKey(services, services.resolve(service_reference));
  if (service === undefined || event_id < 0 || event_id > 0xffff) return { services: [] };
  return { similarTo: { service, id: event_id }, ...(bouquet && { services: bouquetServices(services, bouquet) }) };
}

/**
 * The services to search, in the order of the response: those of the bouquet, or the requested service if the bouquet
 * or the list contains it. Undefined = the whole list.
 */
function searchedServices(
  services: Services,
  { service_reference, bouquet }: SearchRequest,
): readonly DvbTriplet[] | undefined {
  const searched = bouquet ? bouquetServices(services, bouquet) : undefined;
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
function bouquetServices(services: Services, text: string): readonly DvbTriplet[] {
  const bouquet = services.bouquetByName(text)?.reference ?? services.resolve(text);
  const keys = new Map<number, DvbTriplet>();
  for (const { reference } of services.list(bouquet)?.entries ?? []) {
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
