/** Imports the rules of a box, for a receiver that has its folder and has never had rules of its own. */
import { isUtf8 } from 'node:buffer';
import { fail } from '../base/errors.ts';
import { readRegularFile } from '../base/files.ts';
import { type ForeignRules, longestForeignFile, parseForeignRules } from './plugin-file.ts';
import type { RulesContent, RulesFile } from './rules-file.ts';

interface TakeOver {
  readonly file: Pick<RulesFile, 'write'>;
  /** Path of the box's `autotimer.xml`. */
  readonly path: string;
  readonly log: { info(text: string): void; warn(text: string): void };
}

/**
 * The initial rules: the receiver's own, or those of the box if there have never been any; imported rules are stored in
 * the own file. The box's file is not changed. Never rejects: problems are logged.
 */
export async function withRulesOfBox(own: RulesContent, { file, path, log }: TakeOver): Promise<RulesContent> {
  const hadRules = own.nextId > 1 || own.rules.length > 0 || own.others.length > 0;
  if (hadRules) return own;
  try {
    const bytes = await bytesOf(path);
    if (bytes === undefined) return own;
    const found = await foreignRules(bytes);
    for (const { line, rule, text } of found.leftOut)
      log.warn(`${path}:${line}: ${rule === '' ? '' : `rule '${rule}': `}${text}`);
    const rules = found.rules.map(({ order }) => order);
    const switchedOff = found.rules.filter(({ isSwitchedOff }) => isSwitchedOff).length;
    log.info(
      `${path}: imported ${rules.length} AutoTimer rules, ${switchedOff} of them disabled; the file is unchanged`,
    );
    if (rules.length === 0) return own;
    const content = {
      ...own,
      rules: rules.map((order, index) => ({ id: index + 1, ...order })),
      nextId: rules.length + 1,
    };
    await file.write(content);
    return content;
  } catch (error) {
    log.warn(`${path}: ${(error as Error).message}; no rule was imported`);
    return own;
  }
}

/** @throws RulesMalformed; ReceiverError `too-large` */
export async function foreignRules(bytes: Buffer): Promise<ForeignRules> {
  if (bytes.length > longestForeignFile) throw fail('too-large', 'the list of rules', longestForeignFile);
  return parseForeignRules(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/^\ufeff/, ''));
}

/** Undefined if there is no file. */
async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(path, longestForeignFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
