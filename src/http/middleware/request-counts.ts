/**
 * Counts the requests of the web port by route, method and status, and how long they took. A route is its pattern or the
 * name of its operation, never the path of a request, so clients cannot make the list longer.
 *
 * It costs a request no allocation: the name of its route is a text that exists, and a count is a number that is raised.
 */
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The route under which the request is counted. */
    countedAs: string;
  }
}

/** Stands for every path without a route, and for OPTIONS. */
const noRoute = 'other';

/** Bounds of the buckets in seconds: at once, in time, slow, too slow. */
export const durationBounds: readonly number[] = [0.005, 0.05, 0.5, 5];

/** The requests of one route by one method. */
export class CountedRequests {
  readonly route: string;
  readonly method: string;
  readonly byStatus = new Map<number, number>();
  /** Requests within each bound and above the one before; the last are those above all bounds. */
  readonly byDuration = new Float64Array(durationBounds.length + 1);
  /** The sum of all durations. */
  seconds = 0;

  constructor(route: string, method: string) {
    this.route = route;
    this.method = method;
  }

  note(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    let bucket = 0;
    while (seconds > (durationBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.byDuration[bucket] = (this.byDuration[bucket] ?? 0) + 1;
    this.seconds += seconds;
  }
}

export class RequestCounts {
  readonly #routes = new Map<string, Map<string, CountedRequests>>();

  /** Those that were requested, in the order of their first request. */
  get all(): readonly CountedRequests[] {
    return [...this.#routes.values()].flatMap((methods) => [...methods.values()]);
  }

  note(route: string, method: string, status: number, seconds: number): void {
    (this.#routes.get(route)?.get(method) ?? this.#first(route, method)).note(status, seconds);
  }

  #first(route: string, method: string): CountedRequests {
    const counted = new CountedRequests(route, method);
    const methods = this.#routes.get(route);
    if (methods === undefined) this.#routes.set(route, new Map([[method, counted]]));
    else methods.set(method, counted);
    return counted;
  }
}

/** Names the requests of all routes that are added from now on. The log (log.ts) counts them when they are answered. */
export function nameRequests(app: FastifyInstance): void {
  app.decorateRequest('countedAs', noRoute);
  app.addHook('onRoute', (route) => {
    const { url, onRequest = [] } = route;
    if (url === '*' || url === '/*') return;
    // Before the hooks that may refuse the request.
    route.onRequest = [
      (request, _reply, done) => {
        request.countedAs = url;
        done();
      },
      ...[onRequest].flat(),
    ];
  });
}
