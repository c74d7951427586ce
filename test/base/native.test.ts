/** The addon's declaration names exactly what the addon exports: classes with their members, and functions. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { native } from '../../src/base/native.ts';
import { packageRoot } from '../../src/base/package.ts';

type Exports = Record<string, readonly string[]>;

/** Exports by name, with the names of their members; static ones as `static NAME`. */
function declared(): Exports {
  const found: Record<string, string[]> = {};
  let members: string[] = [];
  for (const line of readFileSync(`${packageRoot}/native/addon.d.ts`, 'utf8').split('\n')) {
    const own = /^export (?:class|function|const) (\w+)/.exec(line)?.[1];
    if (own !== undefined) {
      members = [];
      found[own] ??= members;
    }
    // A type has members too, which belong to no export.
    if (/^(export )?(interface|type) /.test(line)) members = [];
    const member = /^ {2}(?:readonly )?((?:static )?\w+)[(:]/.exec(line)?.[1];
    if (member !== undefined && member !== 'constructor') members.push(member);
  }
  return sorted(found);
}

function exported(): Exports {
  const of = (value: unknown): string[] => {
    if (Array.isArray(value)) return [];
    if (typeof value !== 'function') return Object.keys(value as object);
    if (value.prototype === undefined) return [];
    const own = Object.getOwnPropertyNames(value).filter(
      (name) => !['length', 'name', 'prototype', 'arguments', 'caller'].includes(name),
    );
    const members = Object.getOwnPropertyNames(value.prototype).filter((name) => name !== 'constructor');
    return [...own.map((name) => `static ${name}`), ...members];
  };
  return sorted(Object.fromEntries(Object.entries(native).map(([name, value]) => [name, of(value)])));
}

const sorted = (all: Record<string, string[]>): Exports =>
  Object.fromEntries(Object.entries(all).map(([name, members]) => [name, members.toSorted()]));

it('declares what the addon exports', () => {
  expect(declared()).toEqual(exported());
  expect(Object.keys(declared()).length).toBeGreaterThan(15);
});
