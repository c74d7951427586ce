/** Imports the AutoTimer rules of a box into a receiver that uses its folder and has never had rules of its own. */
import { isUtf8 } from 'node:buffer';
import { fail } from '../base/errors.ts';
import { readRegularFile } from '../base/files.ts';
import { type ImportedRules, maxPluginFileBytes, parsePluginFile } from './plugin-file.ts';
import type { RulesContent, RulesFile } from './rules-file.ts';

interface ImportParts {
  readonly file: Pick<RulesFile, 'write'>;
  /** Path of the box's `autotimer.xml`. */
  readonly path: string;
  readonly log: { info(text: string): void; warn(text: string): void };
}

/**
 * The rules to start with: the receiver's own, or those of the box if the receiver has never had any. Imported rules are
 * written to the receiver's file; the file of the box is not changed. Problems are logged; the promise never rejects.
 */
export async function importRulesIfNone(own: RulesContent, { file, path, log }: ImportParts): Promise<RulesContent> {
  const hasHadRules = own.nextId > 1 || own.rules.length > 0 || own.invalidEntries.length > 0;
  if (hasHadRules) return own;
  try {
    const bytes = await readFileOfBox(path);
    if (bytes === undefined) return own;
    const imported = await parseRulesOfBox(bytes);
    for (const { line, rule, text } of imported.skipped)
      log.warn(`${path}:${line}: ${rule === '' ? '' : `rule '${rule}': `}${text}`);
    const specs = imported.rules.map(({ spec }) => spec);
    const disabled = imported.rules.filter(({ isDisabledByImport }) => isDisabledByImport).length;
    log.info(`${path}: imported ${specs.length} AutoTimer rules, ${disabled} of them disabled; the file is unchanged`);
    if (specs.length === 0) return own;
    const content = {
      ...own,
      rules: specs.map((spec, index) => ({ id: index + 1, ...spec })),
      nextId: specs.length + 1,
    };
    await file.write(content);
    return content;
  } catch (error) {
    log.warn(`${path}: ${(error as Error).message}; no rule was imported`);
    return own;
  }
}

/** Parses a file in UTF-8 or Latin-1. @throws RulesMalformed; ReceiverError `too-large` */
export async function parseRulesOfBox(bytes: Buffer): Promise<ImportedRules> {
  if (bytes.length > maxPluginFileBytes) throw fail('too-large', 'the list of rules', maxPluginFileBytes);
  return parsePluginFile(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/^\ufeff/, ''));
}

/** Undefined if there is no file. */
async function readFileOfBox(path: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(path, maxPluginFileBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
