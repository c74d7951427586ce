/** What an answer looks like, without what it says: names, their order, and kinds of values. */
import type { XmlElement } from '../reply.ts';

/**
 * Where a reply is of another build than the example: empty when it is not. Element names and their order are equal; of elements
 * that repeat every one is like one of the example's; a number stays a number, a truth value a truth value.
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

/** Names of the children, those that follow each other with the same name once. */
function runs({ children }: XmlElement): string[] {
  return children.map(({ name }) => name).filter((name, index, all) => name !== all[index - 1]);
}

/** A text that says there is nothing stands where anything may stand. */
const nothing = /^(N\/A|None|n\/a|)$/;

const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a whole number', /^-?\d+$/],
  ['a truth value', /^(True|False|true|false)$/],
];

function leafDifferences(reply: string, example: string, path: string): string[] {
  if (nothing.test(reply.trim()) || nothing.test(example.trim())) return [];
  if (reply !== reply.trim()) return [`${path}: has white space around '${reply}'`];
  for (const [kind, pattern] of kinds) {
    // A text may look like a number by chance, a number never like a text.
    if (pattern.test(example) && !pattern.test(reply)) return [`${path}: '${reply}' is not ${kind}`];
  }
  return [];
}

/** The same of JSON: keys and their order are equal, items of lists like one of the example's, kinds of values equal or null. */
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
  const [keys, documented] = [Object.keys(a), Object.keys(b)];
  if (keys.join() !== documented.join())
    return [`${path || '/'}: has ${keys.join(' ')}, documented is ${documented.join(' ')}`];
  return keys.flatMap((key) => jsonDifferences(a[key], b[key], `${path}/${key}`));
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
