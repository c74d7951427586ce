import { getSystemErrorMap } from 'node:util';

const fullErrors = new Set(['ENOSPC', 'EDQUOT']);

/** Describes why a disk cannot be written to, from an errno, in words for people. */
export function diskTrouble(error: number): string {
  const [code, text] = getSystemErrorMap().get(-error) ?? ['', `error ${error}`];
  return fullErrors.has(code) ? 'the disk is full' : `the disk is failing (${text})`;
}
