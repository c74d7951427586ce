/**
 * Every regular expression of the program runs in time linear in the text: a client, a list or a stream may send a long
 * one. Recheck decides that, from whatever position an expression is tried. It takes up to seconds for each, so
 * `fixtures/linear-expressions.txt` lists those that it has found linear, and only others are checked. Add them by
 * `npx vitest run test/regular-expressions.test.ts --update`, which checks them first.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { expect, it } from 'vitest';
import { packageRoot } from '../src/base/package.ts';

interface Expression {
  readonly place: string;
  /** Undefined if it is put together while the program runs. */
  readonly source: string | undefined;
  readonly flags: string;
}

const list = join(import.meta.dirname, 'fixtures/linear-expressions.txt');
const sources = join(packageRoot, 'src/');

/** Each `${…}` of a template counts as one letter. */
function textOf(node: Node | undefined): string | undefined {
  if (node === undefined) return '';
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('');
}

function read(node: Node): Omit<Expression, 'place'> | undefined {
  if (isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if ((isNewExpression(node) || isCallExpression(node)) && isIdentifier(node.expression)) {
    if (node.expression.text !== 'RegExp') return undefined;
    const [source, flags] = node.arguments ?? [];
    return { source: source && textOf(source), flags: textOf(flags) ?? '' };
  }
  // Of a JSON schema.
  if (isPropertyAssignment(node) && isIdentifier(node.name) && node.name.text === 'pattern') {
    const source = textOf(node.initializer);
    return source?.startsWith('^') ? { source, flags: 'u' } : undefined;
  }
  return undefined;
}

function expressionsOf(file: SourceFile): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    const expression = read(node);
    const line = () => file.text.slice(0, node.getStart(file)).split('\n').length;
    if (expression) found.push({ place: `${relative(packageRoot, file.fileName)}:${line()}`, ...expression });
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

function allExpressions(): readonly Expression[] {
  const compiler = new API({ cwd: packageRoot });
  try {
    return ['tsconfig.json', 'src/ui/tsconfig.json'].flatMap((name) => {
      const config = join(packageRoot, name);
      const program = compiler.updateSnapshot({ openProjects: [config] }).getProject(config)?.program;
      const files = program?.getSourceFileNames().filter((file) => file.startsWith(sources)) ?? [];
      return files.flatMap((file) => expressionsOf(program?.getSourceFile(file) as SourceFile));
    });
  } finally {
    compiler.close();
  }
}

/** Without a repeat that has no bound, the steps at each position have one. */
const hasRepeat = (source: string) => /[*+]|\{\d+,\}/.test(source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x'));

const written = ({ source, flags }: Expression) => `/${source}/${flags}`;

/** Why an expression is not known to be linear; undefined if it is. */
async function problemOf({ place, source = '', flags }: Expression): Promise<string | undefined> {
  const { check } = await import('recheck');
  // It knows no flag v, whose sets of characters take one step like those of u.
  const decide = (checker: 'automaton' | 'fuzz') =>
    check(source, flags.replace('v', 'u'), { checker, timeout: null, randomSeed: 1 });
  const exact = await decide('automaton');
  // Looking around, and references back.
  const found = exact.status === 'unknown' ? await decide('fuzz') : exact;
  if (found.status === 'safe') return undefined;
  const why = found.status === 'vulnerable' ? `${found.complexity.summary}: ${found.attack.pattern}` : found.error.kind;
  return `${place} /${source}/${flags}: ${why}`;
}

it('every regular expression takes time linear in the text', async () => {
  const all = allExpressions();
  expect(all.length).toBeGreaterThan(300);
  expect(all.filter(({ source }) => source === undefined).map(({ place }) => place)).toEqual([]);
  const repeating = new Map(all.filter(({ source = '' }) => hasRepeat(source)).map((one) => [written(one), one]));
  const known = new Set(readFileSync(list, 'utf8').split('\n'));
  const problems: string[] = [];
  for (const [text, expression] of repeating) {
    const problem = known.has(text) ? undefined : await problemOf(expression);
    if (problem !== undefined) problems.push(problem);
  }
  expect(problems).toEqual([]);
  await expect(`${[...repeating.keys()].sort().join('\n')}\n`).toMatchFileSnapshot(list);
});
