/** Every operation of the /web and /api families. */
import type { Operation } from '../operation.ts';

export const operations: readonly Operation[] = [];
