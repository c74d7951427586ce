/**
 * What all endpoints have in common. There are two kinds: operations (operation.ts), which return one result in two formats,
 * and REST routes (route.ts), which return a response with a status. Both read their parameters with
 * `readParameters` (../middleware/parameters.ts), and are described by ../openapi/endpoint-description.ts.
 */
import type { Permission } from '../../access/permissions.ts';
import type { Parameters } from '../middleware/parameters.ts';
import type { RequiredPermission } from '../middleware/sites.ts';

export interface Endpoint {
  /** Unique among the endpoints of its kind. */
  readonly name: string;
  readonly summary: string;
  /** Details beyond the summary, in whole sentences. */
  readonly description?: string | undefined;
  /** Default: that of its group. */
  readonly tag: string;
  /** Changes the receiver, always or when one of these parameters is given. Pages of other sites may not do that. */
  readonly changesState: boolean | readonly string[];
  /** What such a change needs. Default: that of its group. */
  readonly permission: RequiredPermission;
  readonly parameters: Parameters;
}

/** An endpoint whose tag and permission `group` may still have to set. */
export type Draft<E extends Endpoint> = Omit<E, 'tag' | 'permission'> & Partial<Pick<E, 'tag' | 'permission'>>;

/** What the changes of a group need. A tag that is not listed: `admin`. */
const permissionOfTag: Readonly<Record<string, Permission>> = {
  device: 'control',
  services: 'control',
  streams: 'control',
  timers: 'record',
  recordings: 'record',
};

/** Completes the endpoints of a file: those without a tag or permission of their own get these. */
export function group<E extends Partial<Pick<Endpoint, 'tag' | 'permission'>>>(
  defaultTag: NonNullable<E['tag']>,
  endpoints: readonly E[],
  permission?: NonNullable<E['permission']>,
): readonly (E & Required<Pick<E, 'tag' | 'permission'>>)[] {
  return endpoints.map((endpoint) => {
    const tag = endpoint.tag ?? defaultTag;
    return { ...endpoint, tag, permission: endpoint.permission ?? permission ?? permissionOfTag[tag] ?? 'admin' };
  });
}

/** What a request needs that has none of the parameters in `changesState`; `none`: every client that is admitted. */
export const permissionOf = ({ changesState, permission }: Endpoint): RequiredPermission =>
  changesState === true || permission === 'none' ? permission : 'view';
