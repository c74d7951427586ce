/** The receiver's own addresses. */
import { expect, it } from 'vitest';
import { ownHost } from '../../src/receiver/lifecycle.ts';

it.each([
  ['::', 'localhost'],
  ['0.0.0.0', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
])('bound to %s, it is reached at %s', (bind, host) => {
  expect(ownHost(bind)).toBe(host);
});
