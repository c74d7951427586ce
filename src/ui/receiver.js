/**
 * Talks to the receiver: requests, reachability, and its clock.
 *
 * The clock is the receiver's, not the browser's: a receiver that plays a capture lives at the time of that capture.
 * Guide responses carry its time; in between it advances with the browser's clock.
 */

/** A refusal by the receiver; its message is meant for the user. */
export class Refused extends Error {}

/** It wants to know who asks. */
export class LoginNeeded extends Refused {}

/** Milliseconds without a response after which the receiver counts as gone. */
const patience = 15_000;

const watchers = new Set();
let reachable = true;

/** Calls back with true or false whenever the receiver becomes reachable or unreachable. */
export function onReachable(callback) {
  watchers.add(callback);
}

function tell(now) {
  if (now === reachable) return;
  reachable = now;
  for (const callback of watchers) callback(now);
}

/**
 * Requests JSON. Values of `parameters` may be arrays (the parameter repeats) or undefined (it is omitted). `body` is sent
 * as JSON. Rejects with `Refused` if the receiver refuses, and with the fetch error if it is unreachable or `signal`
 * aborts.
 */
export async function ask(path, parameters = {}, { signal, method = 'GET', body } = {}) {
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(patience);
  const either = new AbortController();
  for (const one of [late, signal]) one?.addEventListener('abort', () => either.abort(one.reason), { once: true });
  let response;
  let answer;
  try {
    const sent = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    response = await fetch(address(path, parameters), { method, signal: either.signal, cache: 'no-store', ...sent });
    answer = await response.json();
  } catch (error) {
    if (!signal?.aborted) tell(false);
    throw error;
  }
  tell(true);
  if (response.status === 401) throw new LoginNeeded(answer.message);
  if (!response.ok || answer.result === false) throw new Refused(answer.message || `status ${response.status}`);
  return answer;
}

/** A path with its parameters, for a request or a link. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined) query.append(name, one);
  }
  return query.size === 0 && query.toString() === '' ? path : `${path}?${query}`;
}

let ahead = 0;

/** Unix seconds by the receiver's clock. */
export function now() {
  return Math.floor(Date.now() / 1000 + ahead);
}

/** Takes the time from a response. A difference of a second is network delay, not the clock. */
export function setClock(seconds) {
  if (!Number.isFinite(seconds) || seconds <= 0) return;
  const difference = seconds - Date.now() / 1000;
  if (Math.abs(difference - ahead) > 1.5) ahead = Math.abs(difference) > 1.5 ? difference : 0;
}
