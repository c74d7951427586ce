/** A configuration file: YAML, with the line of every setting for error messages. */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { type CST, type Document, isMap, isNode, isSeq, LineCounter, type Node, Parser, parseDocument } from 'yaml';
import { ReceiverError, systemReason } from '../base/errors.ts';

export type SettingPath = readonly (string | number)[];

export class ConfigurationFile {
  /** The path as the user gave it. */
  readonly path: string;
  readonly text: string;
  /** If this is the backup copy: why the file itself cannot be read. Otherwise empty. */
  readonly trouble: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly #document: Document;
  readonly #lines: LineCounter;

  /**
   * Reads a file. If it exists but cannot be read, or is not a YAML mapping, reads the backup copy that was made at its
   * last change.
   * @throws ReceiverError `configuration-invalid` if there is no readable copy either
   */
  static open(path: string): ConfigurationFile {
    try {
      return new ConfigurationFile(path);
    } catch (error) {
      const copy = previousFile(path);
      if (!existsSync(path) || !existsSync(copy)) throw error;
      try {
        return new ConfigurationFile(copy, read(copy), (error as Error).message);
      } catch {
        throw error;
      }
    }
  }

  /**
   * `text`: what the file contains, or is to contain.
   * @throws ReceiverError `configuration-invalid` if the file cannot be read, is too large, or is not a YAML mapping
   */
  constructor(path: string, text = read(path), trouble = '') {
    this.path = path;
    this.text = text;
    this.trouble = trouble;
    if (Buffer.byteLength(text) > maxBytes) throw invalid(`${path}: is larger than ${maxBytes} bytes`);
    this.#lines = new LineCounter();
    const deep = tooDeep(text);
    if (deep !== undefined) throw invalid(`${path}:${deep}: lists or groups are nested too deeply`);
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    if (error) throw invalid(`${path}:${this.#lines.linePos(error.pos[0]).line}: ${error.message}`);
    try {
      const content: unknown = this.#document.toJS() ?? {};
      if (typeof content !== 'object' || Array.isArray(content))
        throw invalid(`${path}: the file must be a mapping of settings, such as "httpPort: 8080"`);
      if (isEndless(content))
        throw invalid(`${path}: an alias refers to a value that contains it; write the value out`);
      this.content = content as Record<string, unknown>;
    } catch (error) {
      if (error instanceof ReceiverError) throw error;
      // An alias without an anchor, or one that expands to more than memory holds.
      throw invalid(`${path}: ${(error as Error).message}`);
    }
  }

  has(path: SettingPath): boolean {
    return this.#document.hasIn(path);
  }

  /**
   * The text of the file with changed settings. Everything else stays the same, including comments. Null removes a
   * setting.
   */
  changed(changes: readonly { readonly path: SettingPath; readonly value: unknown }[]): string {
    const document = this.#document.clone();
    for (const { path, value } of changes) {
      const group = path.slice(0, -1);
      if (value === null) remove(document, path);
      else {
        // The group is null if all its settings are commented out.
        if (group.length > 0 && document.getIn(group) === null) document.deleteIn(group);
        document.setIn(path, value);
      }
    }
    // Without any setting, the YAML library would write `null` or `{}`.
    return document.toString({ lineWidth: 0 }).replace(/^(null|\{\})\n?$/m, '');
  }

  /** The place of a setting as `FILE:LINE`: the line of its name, or of the list entry. */
  place(path: SettingPath): string {
    const offset = offsetOf(this.#document, path);
    return offset === undefined ? this.path : `${this.path}:${this.#lines.linePos(offset).line}`;
  }
}

/** Maximum nesting of tokens; valid settings have less than ten levels. */
const maxDepth = 100;

/**
 * The line of the first token that is nested too deeply; undefined if none is. The YAML library builds the document
 * recursively, and if the stack overflows while V8 compiles a regular expression, V8 ends the process.
 */
function tooDeep(text: string): number | undefined {
  let level = [...new Parser().parse(text)];
  for (let depth = 0; depth < maxDepth; depth++) level = level.flatMap(tokensIn);
  const [first] = level;
  return first === undefined ? undefined : text.slice(0, first.offset).split('\n').length;
}

function tokensIn(token: CST.Token): CST.Token[] {
  if ('items' in token) return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
  return token.type === 'document' && token.value ? [token.value] : [];
}

/** Whether a value contains itself, directly or further down. */
function isEndless(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return above.includes(value) || Object.values(value).some((one) => isEndless(one, [...above, value]));
}

/** Removes a setting, and its group if nothing is left in it. */
function remove(document: Document, path: SettingPath): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  const group = path.slice(0, -1);
  const left = group.length > 0 ? document.getIn(group) : undefined;
  if (isMap(left) && left.items.length === 0) remove(document, group);
}

function offsetOf(document: Document, path: SettingPath): number | undefined {
  const key = path.at(-1);
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (isSeq(parent)) return startOf(parent.items[Number(key)]);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(
    (item) => (isNode(item.key) ? (item.key as { value?: unknown }).value : item.key) === key,
  );
  return startOf(pair?.key);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}

/** The path of the backup copy from before the last change: next to the file, or to the target if `path` is a link. */
export const previousFile = (path: string) => `${realPath(path)}.bak`;

/** The target of a link; the path itself if nothing exists there. */
export const realPath = (path: string) => (existsSync(path) ? realpathSync(path) : path);

const maxBytes = 2 ** 20;

function read(path: string): string {
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      for (let count = 1; count > 0; length += count)
        count = readSync(file, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw invalid(`${path}: ${systemReason(error)}`);
  }
  return bytes.toString('utf8', 0, length);
}

function invalid(message: string): ReceiverError {
  return new ReceiverError('configuration-invalid', message);
}
