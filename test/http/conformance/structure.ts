/** Compares responses with a hand-written structure: names, their order and number, and the format of values. */
import type { XmlElement } from '../reply.ts';

/** A form of a value, or several separated by `|`; or the content of an element, by name. */
export type XmlTree = string | { readonly [name: string]: XmlTree };
/**
 * A form; a list with items of one kind (one entry), a tuple (several), or an always empty list (none); an object by
 * its keys.
 */
export type JsonTree = string | readonly JsonTree[] | { readonly [key: string]: JsonTree };

/** The response of an operation: a record as XML and JSON, or a document that is the same at /web and /api. */
export interface Structure {
  /** The root element and its content. */
  readonly xml?: XmlTree;
  /** For operations that return text at /web. */
  readonly text?: RegExp;
  readonly json?: JsonTree;
  /** A pattern for the whole text, or the elements of an XML document. */
  readonly document?: RegExp | XmlTree;
}

interface Form {
  /** Pattern of the text in XML, or of a JSON string. */
  readonly text?: RegExp;
  /** Check of the value in JSON, if it is not a string. */
  readonly value?: (value: unknown) => boolean;
}

const whole = (value: unknown) => Number.isSafeInteger(value);
const within = (minCount: number, maxCount: number) => (value: unknown) =>
  whole(value) && (value as number) >= minCount && (value as number) <= maxCount;
const none = () => false;

/** The formats of values. In XML no text has white space around it, whatever its form. */
const forms: Readonly<Record<string, Form>> = {
  /** Any text, including the empty one. */
  text: { text: /^/ },
  /** Any text that is not empty. */
  words: { text: /\S/ },
  empty: { text: /^$/ },
  None: { text: /^None$/, value: none },
  'N/A': { text: /^N\/A$/ },
  null: { value: (value) => value === null },
  '0': { text: /^0$/, value: (value) => value === 0 },
  number: { value: (value) => typeof value === 'number' },
  int: { text: /^-?\d+$/, value: whole },
  '01': { text: /^[01]$/, value: within(0, 1) },
  percent: { text: /^(\d{1,2}|100)$/, value: within(0, 100) },
  /** Unix seconds. */
  unix: { text: /^\d{9,10}$/, value: within(100_000_000, 9_999_999_999) },
  bool: { text: /^(True|False)$/, value: (value) => typeof value === 'boolean' },
  lowerBool: { text: /^(true|false)$/, value: none },
  /** A boolean as a JSON string. */
  wordBool: { text: /^(true|false)$/, value: none },
  hex: { text: /^[0-9a-f]+$/, value: none },
  sref: { text: /^\d+:\d+:[0-9A-F]+(:[0-9A-F]+){7}:[^\n]*$/ },
  bref: { text: /^1:7:[0-9A-F]+(:[0-9A-F]+){7}:[^\n]+$/ },
  path: { text: /^\/\S/ },
  folder: { text: /^\/(.*\/)?$/ },
  key: { text: /^config\.\S+$/ },
  mac: { text: /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/ },
  ipv4: { text: /^\d+(\.\d+){3}$/ },
  size: { text: /^\d+x\d+$/ },
  /** Minutes and seconds of a recording's length. */
  length: { text: /^(\d+:\d\d|\?:\?\?)$/ },
  clock: { text: /^\d\d:\d\d$/ },
  seconds: { text: /^[\d ]\d:\d\d:\d\d$/ },
  date: { text: /^\S+ \d\d\.\d\d\.\d{4}$/ },
  fuzzy: { text: /^\S+ \d\d\.\d\d\.(\d{4})?, \d\d:\d\d$/ },
  rfc822: { text: /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})$/ },
  xmltvTime: { text: /^\d{14} [+-]\d{4}$/ },
  uptime: { text: /^\d+d \d+:\d\d$/ },
  bytes: { text: /^\d+(\.\d\d)? (B|KB|MB|GB|TB)$/ },
  capacity: { text: /^\d+(\.\d+)? (MB|GB|TB)$/ },
  memory: { text: /^\d+ kB$/ },
  decibel: { text: /^\d+\.\d\d dB$/ },
  percentage: { text: /^\d{1,3} %$/ },
  hundredths: { text: /^\d+\.\d\d$/ },
  success: { text: /^(Success|Error)$/ },
  onOff: { text: /^(on|off)$/ },
  /** A Python list: `[(1767200000, 15, 'record time changed')]`. */
  pythonLog: { text: /^\[(\(\d+, \d+, ('[^\n]*'|"[^\n]*")\)(, )?)*\]$/ },
  realTime: { text: /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/ },
  recordingType: { text: /^(normal|descrambled|scrambled)$/ },
  timerStatus: { text: /^(timer|timer disabled)$/ },
  sleepAction: { text: /^(standby|shutdown)$/ },
  parental: { text: /^(blacklist|whitelist)$/ },
  serviceType: { text: /^(TV|RADIO|SD4|HDTV|UHD|OPT|UNKNOWN)$/ },
};

function formsOf(names: string): Form[] {
  return names.split('|').map((name) => {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined) throw new Error(`unknown form '${name}'`);
    return form;
  });
}

interface Place {
  readonly name: string;
  readonly minCount: number;
  readonly maxCount: number;
  readonly tree: XmlTree;
}

const counts: Readonly<Record<string, readonly [minCount: number, maxCount: number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

function placeOf([given, tree]: [string, XmlTree]): Place {
  const [, name = given, mark = ''] = /^(.*?)([*+?]?)$/.exec(given) ?? [];
  const [minCount, maxCount] = counts[mark] ?? [1, 1];
  return { name, minCount, maxCount, tree };
}

/** The mismatches of an XML document with `{ root: ... }`; empty if there are none. */
export function xmlMismatches(reply: XmlElement, structure: XmlTree): string[] {
  const [root] = typeof structure === 'string' ? [] : Object.entries(structure);
  if (root === undefined || reply.name !== root[0]) return [`the root is ${reply.name}, not ${root?.[0]}`];
  return elementMismatches(reply, root[1], reply.name);
}

function elementMismatches(element: XmlElement, tree: XmlTree, path: string): string[] {
  if (typeof tree === 'string') {
    const inside = [...element.children.map(({ name }) => name), ...Object.keys(element.attributes)];
    return inside.length > 0 ? [`${path}: has ${inside.join(' ')}`] : textMismatches(element.text, tree, path);
  }
  const places = Object.entries(tree).map(placeOf);
  return [
    ...attributeMismatches(element, places, path),
    ...contentMismatches(
      element,
      places.filter(({ name }) => !/^[@#]/.test(name)),
      places.find(({ name }) => name === '#')?.tree,
      path,
    ),
  ];
}

function attributeMismatches({ attributes }: XmlElement, places: readonly Place[], path: string): string[] {
  const known = places.filter(({ name }) => name.startsWith('@'));
  const names = new Set(known.map(({ name }) => name.slice(1)));
  const others = Object.keys(attributes).filter((name) => !names.has(name));
  return [
    ...others.map((name) => `${path}: has the attribute ${name}`),
    ...known.flatMap(({ name, minCount, tree }) => {
      const value = attributes[name.slice(1)];
      if (value === undefined) return minCount > 0 ? [`${path}: lacks the attribute ${name.slice(1)}`] : [];
      return textMismatches(value, tree as string, `${path}${name}`);
    }),
  ];
}

/** Children occur in the order of the places, each as often as allowed. */
function contentMismatches(
  element: XmlElement,
  places: readonly Place[],
  text: XmlTree | undefined,
  path: string,
): string[] {
  if (text !== undefined && places.length === 0) return textMismatches(element.text, text as string, path);
  const found: string[] = [];
  let at = 0;
  for (const { name, minCount, maxCount, tree } of places) {
    let count = 0;
    for (; element.children[at]?.name === name; at++, count++) {
      found.push(...elementMismatches(element.children[at] as XmlElement, tree, `${path}/${name}`));
    }
    if (count < minCount || count > maxCount) found.push(`${path}: has ${count} ${name}`);
  }
  const left = element.children[at];
  if (left !== undefined) found.push(`${path}: has ${left.name} out of order`);
  if (element.text.trim() !== '') found.push(`${path}: has the text '${element.text.trim()}'`);
  return found;
}

function textMismatches(text: string, names: string, path: string): string[] {
  if (text !== text.trim()) return [`${path}: has white space around '${text}'`];
  return formsOf(names).some((form) => form.text?.test(text)) ? [] : [`${path}: '${text}' is not ${names}`];
}

/** The mismatches of a JSON value; empty if there are none. */
export function jsonMismatches(value: unknown, tree: JsonTree, path = ''): string[] {
  if (typeof tree === 'string') return valueMismatches(value, tree, path);
  if (isList(tree)) return listMismatches(value, tree, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: is no object`];
  const keys = Object.entries(tree).map(([given, inside]) => ({
    key: given.replace(/\?$/, ''),
    needed: !given.endsWith('?'),
    inside,
  }));
  const names = new Set(keys.map(({ key }) => key));
  return [
    ...Object.keys(value)
      .filter((key) => !names.has(key))
      .map((key) => `${path}: has ${key}`),
    ...keys.flatMap(({ key, needed, inside }) => {
      if (!Object.hasOwn(value, key)) return needed ? [`${path}: lacks ${key}`] : [];
      return jsonMismatches((value as Record<string, unknown>)[key], inside, `${path}/${key}`);
    }),
  ];
}

const isList = (tree: JsonTree): tree is readonly JsonTree[] => Array.isArray(tree);

function listMismatches(value: unknown, tree: readonly JsonTree[], path: string): string[] {
  if (!Array.isArray(value)) return [`${path}: is not a list`];
  const [first, ...more] = tree;
  if (first === undefined) return value.length === 0 ? [] : [`${path}: is not empty`];
  if (more.length === 0) return value.flatMap((item, index) => jsonMismatches(item, first, `${path}/${index}`));
  if (value.length !== tree.length) return [`${path}: has ${value.length} items`];
  return tree.flatMap((inside, index) => jsonMismatches(value[index], inside, `${path}/${index}`));
}

function valueMismatches(value: unknown, names: string, path: string): string[] {
  const fits = formsOf(names).some((form) => {
    if (typeof value !== 'string') return form.value?.(value) ?? false;
    // A form with a JSON value of its own does not accept a string.
    return form.text?.test(value) && (form.value === undefined || form.value === none);
  });
  return fits ? [] : [`${path}: ${JSON.stringify(value)} is not ${names}`];
}
