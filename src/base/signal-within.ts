/**
 * A signal that aborts with the first of `signals`, or after `ms` with a TimeoutError. `AbortSignal.any()` with
 * `AbortSignal.timeout()` is no replacement: Node may collect a timeout that only `any` refers to, and the signal never
 * aborts (nodejs/node#57736).
 */
export function signalWithin(ms: number, ...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // A timeout with a listener is kept until it aborts.
  timeout.addEventListener('abort', () => undefined);
  return AbortSignal.any([timeout, ...signals.filter((signal) => signal !== undefined)]);
}
