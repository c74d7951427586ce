/**
 * Counts the requests of the web port by route, method and status, and measures their durations. A route is counted under its
 * pattern or the name of its operation, never under the path of a request, so clients cannot make the list grow.
 *
 * Counting a request allocates nothing: the name of the route is an existing string, and a count is a number.
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

/** Upper bounds of the histogram's buckets. */
export const durationBoundsSeconds: readonly number[] = [0.005, 0.05, 0.5, 5];

/** The requests of one route by one method. */
export class CountedRequests {
  readonly route: string;
  readonly method: string;
  readonly byStatus = new Map<number, number>();
  /** The number of requests in each bucket. The last bucket has the requests above all bounds. */
  readonly byDuration = new Float64Array(durationBoundsSeconds.length + 1);
  /** The sum of all durations. */
  seconds = 0;

  constructor(route: string, method: string) {
    this.route = route;
    this.method = method;
  }

  add(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    let bucket = 0;
    while (seconds > (durationBoundsSeconds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.byDuration[bucket] = (this.byDuration[bucket] ?? 0) + 1;
    this.seconds += seconds;
  }
}

export class RequestCounts {
  readonly #routes = new Map<string, Map<string, CountedRequests>>();

  /** The routes that were requested so far, in the order of their first request. */
  get all(): readonly CountedRequests[] {
    return [...this.#routes.values()].flatMap((methods) => [...methods.values()]);
  }

  add(route: string, method: string, status: number, seconds: number): void {
    (this.#routes.get(route)?.get(method) ?? this.#create(route, method)).add(status, seconds);
  }

  #create(route: string, method: string): CountedRequests {
    const counted = new CountedRequests(route, method);
    const methods = this.#routes.get(route);
    if (methods === undefined) this.#routes.set(route, new Map([[method, counted]]));
    else methods.set(method, counted);
    return counted;
  }
}

/** Sets `countedAs` for the requests of all routes that are added afterwards. RequestLog counts them when they are answered. */
export function nameRequests(app: FastifyInstance): void {
  app.decorateRequest('countedAs', noRoute);
  app.addHook('onRoute', (route) => {
    const { url, onRequest = [] } = route;
    if (url === '*' || url === '/*') return;
    // First, because other hooks may refuse the request.
    route.onRequest = [
      (request, _reply, done) => {
        request.countedAs = url;
        done();
      },
      ...[onRequest].flat(),
    ];
  });
}
