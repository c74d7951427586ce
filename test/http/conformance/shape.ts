/** The structure of a response without its values: names, their order, and types of values. */
import type { XmlElement } from '../reply.ts';

/**
 * The differences in structure between a reply and the example; empty if there are none. Element names and their order
 * are equal. Each of several repeated elements matches one in the example. A number stays a number, a boolean a
 * boolean.
 */
export function xmlDifferences(reply: XmlElement, example: XmlElement, path = reply.name): string[] {
  if (reply.name !== example.name) return [`${path}: the root is ${reply.name}, not ${example.name}`];
  if (example.children.length === 0 && reply.children.length === 0)
    return leafDifferences(reply.text, example.text, path);
  const [have, want] = [runs(reply), runs(example)];
  if (have.join() !== want.join()) return [`${path}: has ${have.join(' ')}, documented is ${want.join(' ')}`];
  const attributes = (element: XmlElement) => Object.keys(element.attributes).join();
  const own = attributes(reply) === attributes(example) ? [] : [`${path}: has the attributes ${attributes(reply)}`];
  return own.concat(
    reply.children.flatMap((child) => {
      const models = example.children.filter(({ name }) => name === child.name);
      const found = models.map((model) => xmlDifferences(child, model, `${path}/${child.name}`));
      return found.find((differences) => differences.length === 0) ?? found[0] ?? [];
    }),
  );
}

/** Names of the children, with consecutive equal names merged. */
function runs({ children }: XmlElement): string[] {
  return children.map(({ name }) => name).filter((name, index, all) => name !== all[index - 1]);
}

/** A placeholder for a missing value may occur anywhere. */
const nothing = /^(N\/A|None|n\/a|)$/;

const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a whole number', /^-?\d+$/],
  ['a boolean', /^(True|False|true|false)$/],
];

function leafDifferences(reply: string, example: string, path: string): string[] {
  if (nothing.test(reply.trim()) || nothing.test(example.trim())) return [];
  if (reply !== reply.trim()) return [`${path}: has white space around '${reply}'`];
  for (const [kind, pattern] of kinds) {
    // A text may happen to look like a number, but a number never looks like a text.
    if (pattern.test(example) && !pattern.test(reply)) return [`${path}: '${reply}' is not ${kind}`];
  }
  return [];
}

/**
 * Like `xmlDifferences`, but for JSON: keys and their order are equal, each list item matches one in the example, types are
 * equal or null.
 */
export function jsonDifferences(reply: unknown, example: unknown, path = ''): string[] {
  const [have, want] = [kindOf(reply), kindOf(example)];
  if (have === 'null' || want === 'null' || reply === 'N/A' || example === 'N/A') return [];
  if (have !== want) return [`${path || '/'}: is ${have}, documented is ${want}`];
  if (Array.isArray(reply) && Array.isArray(example)) {
    return reply.flatMap((item: unknown, index) => {
      const found = example.map((model: unknown) => jsonDifferences(item, model, `${path}/${index}`));
      return found.find((differences) => differences.length === 0) ?? found[0] ?? [];
    });
  }
  if (have !== 'object') return [];
  const [a, b] = [reply as Record<string, unknown>, example as Record<string, unknown>];
  const [keys, documented] = [Object.keys(a).filter((key) => key in b || !isCodeOf(a, key)), Object.keys(b)];
  if (keys.join() !== documented.join())
    return [`${path || '/'}: has ${keys.join(' ')}, documented is ${documented.join(' ')}`];
  return keys.flatMap((key) => jsonDifferences(a[key], b[key], `${path}/${key}`));
}

/** True for the key of a failure's code, which a successful response does not have. */
function isCodeOf({ result }: Readonly<Record<string, unknown>>, key: string): boolean {
  return key === 'error' && result === false;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
