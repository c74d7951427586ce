/**
 * Strict validation with the schemas of the OpenAPI document: an object has only the described keys, unless its schema
 * says otherwise.
 */

import { Compile } from 'typebox/schema';
import type { RequiredPermission } from '../../../src/http/middleware/sites.ts';
import { openReceiver } from '../receiver.ts';

/** Reads the document of a separate receiver, because the names of tests are needed before the tests run. */
export async function readDocument(): Promise<Document> {
  const receiver = await openReceiver();
  const reply = await receiver.app.inject('/api/openapi.json');
  await receiver.close();
  return reply.json();
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedRoute>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentedSchema>> };
}

export interface DocumentedRoute {
  readonly 'x-permission': RequiredPermission;
  readonly 'x-permission-with'?: Readonly<Record<string, RequiredPermission>>;
  readonly operationId: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, DocumentedContent>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly servers?: readonly object[];
}

export interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, DocumentedContent>>;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: DocumentedSchema;
}

export interface DocumentedSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: DocumentedSchema;
  readonly examples?: readonly (string | number)[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
}

export interface DocumentedContent {
  readonly schema?: DocumentedSchema;
  readonly example?: unknown;
}

/** The mismatches of a value with a schema of the document; empty if it is valid. */
export function schemaMismatches(
  { components }: Pick<Document, 'components'>,
  schema: object,
  value: unknown,
): string[] {
  const checked = compiled.get(schema) ?? Compile(closedSchema(schema, components));
  compiled.set(schema, checked);
  if (checked.Check(value)) return [];
  const [, errors] = checked.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

/** Compiled schemas. Compiling each only once saves 5 s of processor time. */
const compiled = new WeakMap<object, ReturnType<typeof Compile>>();

/** The components of documents, closed: without additional keys. */
const closedComponents = new WeakMap<object, object>();

/** The schema without additional keys. Adds the components only if the schema refers to them, which saves time. */
function closedSchema(schema: object, components: object): object {
  const own = closed(schema);
  if (!JSON.stringify(schema).includes('"$ref"')) return own;
  const all = closedComponents.get(components) ?? closed(components);
  closedComponents.set(components, all);
  return { ...own, components: all };
}

function closed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(closed) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inside = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  const isOpen = !('properties' in part) || 'additionalProperties' in part;
  return (isOpen ? inside : { ...inside, additionalProperties: false }) as Part;
}
