/** The description of an endpoint, from which the OpenAPI documents are written. */
import type { RequiredPermission } from '../middleware/sites.ts';

export type JsonValue = string | number | boolean | null | readonly (JsonValue | undefined)[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A schema as typebox produces it; only plain JSON Schema keywords are read. */
export type Schema = object;

export interface DescribedParameter {
  readonly name: string;
  /** `form`: a field of an `application/x-www-form-urlencoded` body. */
  readonly in: 'path' | 'query' | 'form';
  readonly description: string;
  readonly required: boolean;
  /** Whether it may be given several times. `schema` describes one value. */
  readonly repeated: boolean;
  readonly deprecated?: boolean;
  readonly schema: Schema;
}

export interface DescribedBody {
  /** The possible media types of the body. */
  readonly types: readonly string[];
  readonly schema: Schema;
  readonly example?: JsonValue;
  /** Alternative bodies. 2.0 allows only one schema for each response, so it lists only their media types. */
  readonly others?: readonly DescribedBody[];
}

export interface DescribedResponse {
  readonly description: string;
  /** Undefined for a response without a body, such as 304. */
  readonly body: DescribedBody | undefined;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
}

/** One method of one path. */
export interface DescribedRoute {
  readonly method: Method;
  /** With `{name}` for path parameters. */
  readonly path: string;
  /** Unique in the document. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** Set if the route is on another port than the document. Only 3.1 can express that; 2.0 omits the route. */
  readonly server?: { readonly port: string; readonly description: string };
  /** The permission that a client needs; `x-permission` in the documents. */
  readonly permission: RequiredPermission;
  /** The permission that it needs instead if the request has one of these parameters. */
  readonly permissionWith?: Readonly<Record<string, RequiredPermission>>;
  /** Whether a request may change the receiver; `x-changes-state` in the documents. */
  readonly changesState?: boolean;
  readonly parameters: readonly DescribedParameter[];
  /** The body is a file, usually of one of these media types. The example has the first of them. */
  readonly requestBody?: { readonly description: string; readonly types: readonly string[]; readonly example: string };
  /** Keyed by status, or `default`. */
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
