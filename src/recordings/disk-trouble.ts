import { getSystemErrorMap } from 'node:util';

const fullErrors = new Set(['ENOSPC', 'EDQUOT']);

/** What a disk has against being written to, for people; of an errno. */
export function diskTrouble(error: number): string {
  const [code, text] = getSystemErrorMap().get(-error) ?? ['', `error ${error}`];
  return fullErrors.has(code) ? 'the disk is full' : `the disk fails (${text})`;
}
