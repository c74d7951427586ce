import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { diskTrouble } from '../../src/recordings/files/disk-trouble.ts';

const { ENOSPC, EDQUOT, EFBIG, EIO } = constants.errno;

it.each([
  [ENOSPC, 'the disk is full'],
  [EDQUOT, 'the quota of the disk is used up'],
  // On FAT after 4 GiB, although nothing is wrong with the disk.
  [EFBIG, 'it cannot be written: file too large'],
  [EIO, 'it cannot be written: i/o error'],
  [12_345, 'it cannot be written: error 12345'],
])('errno %s: %s', (error, text) => {
  expect(diskTrouble(error)).toBe(text);
});
