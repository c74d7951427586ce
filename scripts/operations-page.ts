/** docs/operations.md: the operations and error codes from their definitions, the other paths from the OpenAPI document. */
import { errors } from '../src/base/errors.ts';
import type { Operation, OperationTag } from '../src/http/endpoint/operation.ts';
import { operations } from '../src/http/operations/index.ts';
import { type Field, fields } from '../src/http/rest/guide/fields.ts';
import { xmlType } from '../src/http/write/xml.ts';
import type { Described, OpenApi } from './client-types.ts';

const areas: readonly (readonly [OperationTag, string])[] = [
  ['device', 'The device'],
  ['services', 'Services and zapping'],
  ['epg', 'Guide'],
  ['streams', 'Playlists'],
  ['recordings', 'Recordings'],
  ['timers', 'Timers'],
  ['system', 'System'],
];

export function operationsPage({ paths }: OpenApi): string {
  return [
    '# Operations',
    '',
    'Every operation is available at `/web/NAME` as XML and at `/api/NAME` as JSON, with GET, HEAD and POST. The OpenAPI',
    'document at `/api/` is the machine-readable form of this page, with the types and an example of every response.',
    '',
    '- **Parameters** come from the URL or a form. Mandatory ones are **bold** below. Unknown parameters are ignored.',
    '- **Names**: dots in a name and a trailing slash do not matter.',
    '- **Failures** return status 200 and the simple result: `e2state` `False` with the reason in `e2statetext`, or',
    '  `"result": false` with `message` and the code `error` ([Errors](#errors)). The few operations that return another',
    '  status say so.',
    '- **Changes**: operations marked *Changes* are refused (403) if a browser sends the request for a page of another site,',
    '  under a host name that could belong to somebody else, or by a client without its permission',
    '  ([security.md](security.md#access-control)).',
    '- **Deprecated** operations and parameters add the header `Deprecation` (RFC 9745) to the response.',
    '',
    'All other paths, such as `/api/eventsearch` and `/recordings`, are listed under [Other paths](#other-paths).',
    '',
    ...overview(),
    ...areas.flatMap(([tag, title]) =>
      area(
        title,
        operations.filter((operation) => operation.tag === tag),
      ),
    ),
    ...otherPaths(paths),
    ...guideFields(),
    ...errorCodes(),
    '',
  ].join('\n');
}

interface OtherPath {
  readonly title: string;
  readonly described: Described;
  /** POST does the same, with a form. */
  readonly isPosted: boolean;
}

/** Every path that is not an operation, by method. */
function otherPaths(paths: OpenApi['paths']): string[] {
  const own = new Set(
    operations.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => one.replaceAll('.', ''))),
  );
  const isOperation = (path: string) =>
    path.startsWith('/web/') || (path.startsWith('/api/') && own.has(path.slice(5).replaceAll('.', '')));
  const others = Object.entries(paths)
    .filter(([path]) => !isOperation(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { summary }]) => method === 'get' || summary !== methods.get?.summary)
        .filter(([method]) => method !== 'head')
        .map(([method, described]) => ({
          title: `${method.toUpperCase()} ${path}`,
          described,
          isPosted: method === 'get' && methods.post?.summary === described.summary,
        })),
    );
  return [
    '',
    '## Other paths',
    '',
    'A failure has its own status, and the body has `"result": false` with `message` and the code `error`',
    '([Errors](#errors)), unless the entry says otherwise. Parameters come from the URL (`query`), from the path, or from a',
    'form or a JSON object in the body (`form`), which may also be in the URL. Mandatory ones are **bold**. Every GET has a HEAD.',
    'The OpenAPI document at `/api/openapi.json` has the responses with their fields.',
    '',
    '| path | permission | |',
    '|---|---|---|',
    ...others.map(({ title, described }) => {
      const { summary, 'x-permission': permission } = described;
      return `| [${title}](#${anchorOf(title)}) | ${permission} | ${cell(summary)} |`;
    }),
    ...others.flatMap(pathEntry),
  ];
}

/** As GitHub names a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');

function pathEntry({ title, described, isPosted }: OtherPath): string[] {
  const { summary, description, servers, requestBody, 'x-permission': permission } = described;
  const [server] = servers ?? [];
  const notes = [
    ...(description === undefined ? [] : [description]),
    ...(server === undefined ? [] : [`On ${server.description}.`]),
    ...(requestBody?.description === undefined || description?.startsWith('The body is ')
      ? []
      : [`The body is ${requestBody.description}.`]),
    ...(isPosted ? ['Also with POST, and the parameters in a form.'] : []),
    `Permission: \`${permission}\`.`,
  ];
  const [form] = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
  const isRequired = (name: string) => form?.required?.includes(name) ?? false;
  const rows = [
    ...described.parameters.map(({ name, in: place, required, description, schema }) =>
      parameterRow({ name, place, required, description, schema }),
    ),
    ...Object.entries(form?.properties ?? {}).map(([name, schema]) =>
      parameterRow({ name, place: 'form', required: isRequired(name), description: schema.description ?? '', schema }),
    ),
  ];
  const head = ['', '| parameter | in | type | default | meaning |', '|---|---|---|---|---|'];
  return ['', `### ${title}`, '', summary, '', notes.join(' '), ...(rows.length === 0 ? [] : [...head, ...rows])];
}

interface ParameterRow extends Omit<Described['parameters'][number], 'in'> {
  readonly place: string;
}

function parameterRow({ name, place, required, description, schema }: ParameterRow): string {
  const { type, enum: words, default: defaultValue } = schema;
  const kind =
    words?.map((word) => `\`${word}\``).join(', ') ?? [type ?? []].flat().join(', ').replace('array', 'repeatable');
  const shown = defaultValue === undefined ? '' : `\`${defaultValue}\``;
  return `| ${required ? `**${name}**` : name} | ${place} | ${kind} | ${shown} | ${cell(description)} |`;
}

/** The letters of `flags`. */
function guideFields(): string[] {
  const describe = (schema: { readonly description?: string; readonly anyOf?: readonly { description?: string }[] }) =>
    schema.description ?? schema.anyOf?.find(({ description }) => description !== undefined)?.description ?? '';
  return [
    '',
    '## Fields of guide rows',
    '',
    'The parameter `flags` of `/api/eventsearch` and `/api/eventlookup` has one letter for each field of a row. A row has exactly',
    'these fields, whatever the order of the letters. An unknown letter is refused with `invalid-flags`.',
    '',
    '| letter | field | meaning |',
    '|---|---|---|',
    ...Object.entries<Field>(fields).map(
      ([letter, { key, schema }]) => `| \`${letter}\` | \`${key}\` | ${cell(describe(schema))} |`,
    ),
    '| `X` | | also return a row for a service without a matching event; its event fields are null. Has no effect in a search |',
    '| `0` | | nothing; accepted for older clients |',
  ];
}

/** The codes by their status in the REST family. */
function errorCodes(): string[] {
  const entries = Object.entries(errors);
  const statuses = [...new Set(entries.map(([, { http }]) => http))].toSorted();
  const rows = statuses.map((status) => {
    const codes = entries.flatMap(([code, { http }]) => (http === status ? `\`${code}\`` : []));
    return `| ${status} | ${codes.join(', ')} |`;
  });
  return [
    '',
    '## Errors',
    '',
    'The `error` of a failure says for programs what is wrong; codes stay the same from release to release, messages do not.',
    'The REST family answers with the status beside them.',
    '',
    '| status | `error` |',
    '|---|---|',
    ...rows,
  ];
}

/** Every operation in one line. */
function overview(): string[] {
  const rows = operations
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, aliases, parameters, since, deprecated, changesState, permission }) => {
      const names = Object.entries(parameters).map(([one, { mandatory }]) => (mandatory ? `**${one}**` : one));
      const reads = changesState === true ? '' : 'view';
      const changes = Array.isArray(changesState) ? `${permission} with ${changesState.join(', ')}` : permission;
      const permissions = [reads, changesState === false ? '' : changes].filter(Boolean).join('; ');
      const anchor = name.replaceAll('.', '');
      return `| [${name}](#${anchor}) | ${aliases.join(', ')} | ${names.join(', ')} | ${permissions} | ${since} | ${deprecated === undefined ? '' : 'deprecated'} |`;
    });
  return ['| operation | alias | parameters | permission | since | |', '|---|---|---|---|---|---|', ...rows];
}

function area(title: string, members: readonly Operation[]): string[] {
  return ['', `## ${title}`, ...members.flatMap(entry)];
}

function entry(operation: Operation): string[] {
  const { name, aliases, summary, description, since, mediaTypes, deprecated, webType } = operation;
  const notes = [
    ...(aliases.length > 0 ? [`Also known as ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`] : []),
    ...(description === undefined ? [] : [description]),
    ...(webType === undefined || webType === xmlType ? [] : [`Returns \`${webType}\` under /web.`]),
    ...(mediaTypes === undefined
      ? []
      : [`Returns ${mediaTypes.map((type) => `\`${type}\``).join(' or ')} under both /web and /api.`]),
    ...(deprecated === undefined ? [] : [`**Deprecated**: ${deprecated}.`]),
    ...statusNote(operation),
    ...changeNote(operation),
    `Since ${since}.`,
  ];
  return ['', `### ${name}`, '', summary, '', notes.join(' '), ...parameterTable(operation)];
}

/** Of documents it goes without saying that what is not there is a 404. */
function statusNote({ errorsWithStatus, mediaTypes }: Operation): string[] {
  return errorsWithStatus.length === 0 || mediaTypes !== undefined ? [] : ['Anything not found returns 404.'];
}

function changeNote({ changesState, permission }: Operation): string[] {
  if (changesState === false) return [];
  const parameters = changesState === true ? '' : ` with ${changesState.map((name) => `\`${name}\``).join(', ')}`;
  return [`*Changes* the receiver${parameters}; permission: \`${permission}\`.`];
}

function parameterTable({ parameters }: Operation): string[] {
  const rows = Object.entries(parameters).map(([name, { mandatory, aliases, description, deprecated, schema }]) => {
    const {
      type,
      default: defaultValue,
      enum: words,
    } = schema as { type?: string; default?: unknown; enum?: string[] };
    const names = [name, ...aliases].map((one) => (mandatory ? `**${one}**` : one)).join(' or ');
    const note = deprecated === undefined ? '' : ` (**deprecated**: ${deprecated})`;
    const kind = words === undefined ? type : words.map((word) => `\`${word}\``).join(', ');
    return `| ${names} | ${kind} | ${defaultValue === undefined ? '' : `\`${String(defaultValue)}\``} | ${cell(description + note)} |`;
  });
  return rows.length === 0 ? [] : ['', '| parameter | type | default | meaning |', '|---|---|---|---|', ...rows];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
