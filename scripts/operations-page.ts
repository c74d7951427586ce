/** docs/operations.md, from the definitions. */
import { errors } from '../src/base/errors.ts';
import type { Operation, OperationTag } from '../src/http/endpoint/operation.ts';
import { operations } from '../src/http/operations/index.ts';
import { xmlType } from '../src/http/write/xml.ts';

const areas: readonly (readonly [OperationTag, string])[] = [
  ['device', 'The device'],
  ['services', 'Services and zapping'],
  ['epg', 'Guide'],
  ['streams', 'Playlists'],
  ['recordings', 'Recordings'],
  ['timers', 'Timers'],
  ['system', 'System'],
];

export function operationsPage(): string {
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
    ...overview(),
    ...areas.flatMap(([tag, title]) =>
      area(
        title,
        operations.filter((operation) => operation.tag === tag),
      ),
    ),
    ...errorCodes(),
    '',
  ].join('\n');
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
function statusNote({ failures, mediaTypes }: Operation): string[] {
  return failures === 'False' || mediaTypes !== undefined ? [] : ['Anything not found returns 404.'];
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
