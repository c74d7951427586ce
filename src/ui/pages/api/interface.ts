/** Turns the OpenAPI document into entries: one for each operation or path, with all its request forms. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | null)[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly 'x-changes-state'?: boolean;
  readonly servers?: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly required: boolean;
    readonly deprecated?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

/** A parameter in the path, query or body. */
export interface Field {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly schema: Schema;
}

/** One way to call an entry: a path and a method. */
export interface Form {
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
  readonly described: Described;
  /** Whether the page can send it: not if it uploads a file, uses the other port, or has an endless response. */
  readonly canBeSent: boolean;
}

export interface Entry {
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly forms: readonly [Form, ...Form[]];
  /** Lower-case text that the filter searches. */
  readonly text: string;
}

const formType = 'application/x-www-form-urlencoded';

/** All entries, sorted by name. The two formats of an operation are one entry, and so are the methods of a path. */
export function entriesOf({ paths }: OpenApi): readonly Entry[] {
  const entries = new Map<string, Omit<Entry, 'text'>>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(methods)) {
      if (method === 'head') continue;
      const operation = /^(?:web|api)_(.*?)(_post)?$/.exec(described.operationId);
      // Skips the POST form: operations accept the same parameters with GET.
      if (operation?.[2]) continue;
      const form = formOf(operation ? path : `${method.toUpperCase()} ${path}`, method, path, described);
      const name = operation?.[1] ?? path;
      const known = entries.get(name);
      const { tags, summary } = described;
      entries.set(
        name,
        known ? { ...known, forms: [...known.forms, form] } : { name, tag: tags[0] ?? '', summary, forms: [form] },
      );
    }
  }
  return [...entries.values()]
    .map((entry) => ({ ...entry, text: textOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function textOf({ name, summary, forms }: Omit<Entry, 'text'>): string {
  return `${name} ${summary} ${forms.map(({ path }) => path).join(' ')}`.toLowerCase();
}

function formOf(label: string, method: string, path: string, described: Described): Form {
  const { parameters, requestBody, responses, servers } = described;
  const { properties = {}, required = [] } = requestBody?.content[formType]?.schema ?? {};
  const types = Object.keys(responses['200']?.content ?? {});
  const isEndless = types.some((type) => /event-stream|mp2t/.test(type));
  const takesFile = requestBody !== undefined && requestBody.content[formType] === undefined;
  const fields = [
    ...parameters.map(({ name, description, required: isRequired, deprecated = false, schema }) => {
      return { name, description, isRequired, isDeprecated: deprecated, schema };
    }),
    ...Object.entries(properties).map(([name, schema]) => {
      const { description = '', deprecated = false } = schema;
      return { name, description, isRequired: required.includes(name), isDeprecated: deprecated, schema };
    }),
  ];
  return { label, method, path, fields, described, canBeSent: !isEndless && !takesFile && servers === undefined };
}

/** Follows `$ref` of a schema or response. */
export function resolved<Thing extends { readonly $ref?: string }>(
  thing: Thing,
  things: Readonly<Record<string, Thing>>,
): Thing {
  return things[thing.$ref?.split('/').at(-1) ?? ''] ?? thing;
}
