/**
 * Prints src/client/types.ts: the paths that answer JSON, with their parameters and results, out of the OpenAPI document
 * that the receiver serves. openapi-typescript does the same with TypeScript's compiler interface, which TypeScript 7 no
 * longer has.
 */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  /** Of a stream of events: the schema of each type. */
  readonly 'x-events'?: Readonly<Record<string, Schema>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** One method of one path. */
export interface Described {
  readonly summary: string;
  readonly description?: string;
  readonly 'x-permission': string;
  /** Set if it is on another port. */
  readonly servers?: readonly { readonly description: string }[];
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The parts of an OpenAPI 3.1 document that are read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const json = 'application/json; charset=utf-8';
const form = 'application/x-www-form-urlencoded';
const methods = ['get', 'post', 'put', 'delete'] as const;

/** The file, from the document. The operations of /web/ answer XML, so only their twins of /api/ are in it. */
export function clientTypes({ paths, components }: OpenApi): string {
  const calls = methods.map((method) => callsOf(paths, method));
  const events = objectType(eventsOf(paths), '');
  const used = reachable([...calls, events].join('\n'), components.schemas);
  const results = Object.entries(components.schemas)
    .filter(([name]) => used.has(name))
    .flatMap(([name, schema]) => [...comment(schema.description, ''), declaration(name, schema), '']);
  return [
    '// Written by scripts/pages.ts from the OpenAPI document. Do not edit.',
    '',
    '/** Paths by method: their parameters, and what they answer. */',
    'export interface Calls {',
    ...calls,
    '}',
    '',
    '/** The events of /api/events by type: their data. */',
    `export interface PushEvents ${events}`,
    '',
    ...results,
  ].join('\n');
}

/** The events that a receiver pushes, as properties of an object. */
function eventsOf(paths: OpenApi['paths']): Schema {
  const [stream] = Object.values(paths['/api/events']?.get?.responses['200']?.content ?? {});
  const properties = stream?.schema?.['x-events'] ?? {};
  return { properties, required: Object.keys(properties) };
}

function callsOf(paths: OpenApi['paths'], method: (typeof methods)[number]): string {
  const lines = Object.entries(paths).flatMap(([path, described]) => {
    const call = described[method];
    const content = call && (call.responses['200'] ?? call.responses['201'])?.content;
    // Others answer a playlist or a picture, and JSON only if they fail.
    const schema = Object.keys(content ?? {})[0] === json ? content?.[json]?.schema : undefined;
    if (call === undefined || schema === undefined || path.startsWith('/web/')) return [];
    if (call.operationId.endsWith('_post')) return `    '${path}': Calls['get']['${path}'];`;
    return [
      ...comment(call.summary, '    '),
      `    '${path}': {`,
      `      parameters: ${objectType(parametersOf(call), '      ')};`,
      `      result: ${typeOf(schema, '      ')};`,
      '    };',
    ];
  });
  return [`  ${method}: {`, ...lines, '  };'].join('\n');
}

/** Parameters of the path, the query and the form together; no name occurs twice. */
function parametersOf({ parameters, requestBody }: Described): Schema {
  const fields = requestBody?.content[form]?.schema ?? {};
  return {
    properties: {
      ...Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { ...schema, description }])),
      ...fields.properties,
    },
    required: [...parameters.flatMap(({ name, required }) => (required ? name : [])), ...(fields.required ?? [])],
  };
}

function declaration(name: string, schema: Schema): string {
  return Object.keys(schema.properties ?? {}).length > 0
    ? `export interface ${name} ${objectType(schema, '')}`
    : `export type ${name} = ${typeOf(schema, '')};`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.replace(/.*\//, '');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, indent)))].join(' | ');
  if (typeof schema.type === 'object') {
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      if (schema.prefixItems) return `readonly [${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
      return `ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`;
    case 'object':
      return objectType(schema, indent);
    default:
      return schema.type ?? 'unknown';
  }
}

function objectType({ properties, required, additionalProperties, patternProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties ?? {}).flatMap(([name, schema]) => [
    ...comment(schema.description, inner),
    `${inner}readonly ${keyOf(name)}${required?.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`,
  ]);
  const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  if (typeof values === 'object') members.push(`${inner}readonly [name: string]: ${typeOf(values, inner)};`);
  else if (values === true) members.push(`${inner}readonly [name: string]: unknown;`);
  return members.length === 0 ? 'Record<string, never>' : ['{', ...members, `${indent}}`].join('\n');
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
}

function comment(text: string | undefined, indent: string): string[] {
  return text ? [`${indent}/** ${text.replaceAll('*/', '* /')} */`] : [];
}

/** Names of the schemas that a text refers to, and of those that they refer to. */
function reachable(text: string, schemas: OpenApi['components']['schemas']): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (part: string) => {
    for (const [name] of part.matchAll(/\b[A-Z]\w+\b/g)) {
      const schema = schemas[name];
      if (schema === undefined || found.has(name)) continue;
      found.add(name);
      visit(declaration(name, schema));
    }
  };
  visit(text);
  return found;
}
