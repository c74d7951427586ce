import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A file for each core: many tests only wait, for the demo multiplex, for other programs.
    maxWorkers: availableParallelism(),
    // Only what never comes takes so long: longer than the waits of test/fixtures/patience.ts.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
