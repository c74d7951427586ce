import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

const { ENOSPC, EDQUOT } = constants.errno;

/** By errno: Node has no code for EDQUOT. */
export const isFull = ({ errno = 0 }: NodeJS.ErrnoException) => -errno === ENOSPC || -errno === EDQUOT;

/** Why a file cannot be written, from an errno, in words for people. Not each says something about the disk. */
export function diskTrouble(error: number): string {
  if (error === ENOSPC) return 'the disk is full';
  if (error === EDQUOT) return 'the quota of the disk is used up';
  return `it cannot be written: ${getSystemErrorMap().get(-error)?.[1] ?? `error ${error}`}`;
}

/** By a slow disk, or a machine that is busy. */
export const tooSlow = 'it is not written in time';
