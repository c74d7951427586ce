/** Reads the OpenAPI 3.1 document like a client generator: its requests, and the shape of their responses. */
import Schema from 'typebox/schema';

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
}

interface Operation {
  /** On another port. */
  readonly servers?: readonly object[];
  readonly parameters: readonly DocumentedParameter[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface DocumentedGet {
  readonly path: string;
  readonly url: string;
  readonly responses: Operation['responses'];
}

/** Values for required parameters. */
const samples: Readonly<Record<string, string>> = {
  type: 'tv',
  item: '0',
  search: 'news',
  what: 'news',
  eventid: '1',
  idev: '1',
  id: '0',
  command: '116',
  text: 'x',
};

/** Every GET in the document, once, with its required parameters filled in. */
export function documentedGets(
  document: Document,
  { sRef, bRef }: { readonly sRef: string; readonly bRef: string },
): DocumentedGet[] {
  const values: Readonly<Record<string, string>> = {
    ...samples,
    sRef,
    sref: sRef,
    ref: sRef,
    sRefs: sRef,
    sList: sRef,
    service_reference: sRef,
    bRef,
  };
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    // Events and live pictures never end, and a restart makes the receiver unreachable for a while.
    if (
      get === undefined ||
      /\/restart|^\/live[./]/.test(path) ||
      get.servers !== undefined ||
      Object.keys(get.responses['200']?.content ?? {}).some((type) => /event-stream/.test(type))
    )
      return [];
    const query = new URLSearchParams();
    for (const { name, in: place, required } of get.parameters) {
      if (place === 'query' && required) query.set(name, values[name] ?? '1');
    }
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '1'));
    return [{ path, url: query.size > 0 ? `${filled}?${query}` : filled, responses: get.responses }];
  });
}

/** Deviations of a response from the document; empty if there are none. */
export function schemaOf(
  document: Document,
  response: DocumentedResponse | undefined,
  contentType: string | null,
  body: string,
): readonly unknown[] {
  const documented = Object.entries(response?.content ?? {});
  if (documented.length === 0) return body === '' ? [] : ['no body is documented'];
  const own = documented.find(([type]) => type.toLowerCase() === contentType?.toLowerCase());
  if (own === undefined) return [`content type ${contentType}, documented ${documented.map(([type]) => type).join()}`];
  if (!contentType?.startsWith('application/json')) return [];
  const check = Schema.Compile(resolved(document, own[1].schema) as Parameters<typeof Schema.Compile>[0]);
  return check.Errors(JSON.parse(body))[1];
}

/** The schema with all references resolved; none of ours is recursive. */
function resolved(document: Document, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(document, one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const reference = (schema as { readonly $ref?: unknown }).$ref;
  if (typeof reference === 'string') {
    return resolved(document, document.components.schemas[reference.replace('#/components/schemas/', '')]);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(document, value)]));
}
