import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

const { ENOSPC, EDQUOT } = constants.errno;

/** Whether the disk or its quota is full. Checks errno, because Node has no code for EDQUOT. */
export const isFull = ({ errno = 0 }: NodeJS.ErrnoException) => -errno === ENOSPC || -errno === EDQUOT;

/** A message for an errno: why a file cannot be written. Not every errno concerns the disk. */
export function diskTrouble(error: number): string {
  if (error === ENOSPC) return 'the disk is full';
  if (error === EDQUOT) return 'the quota of the disk is used up';
  return `it cannot be written: ${getSystemErrorMap().get(-error)?.[1] ?? `error ${error}`}`;
}

/** The message for data that the disk does not accept in time, because the disk is slow or the machine busy. */
export const writingTooSlow = 'it is not written in time';
