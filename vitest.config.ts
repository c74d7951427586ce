import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Many tests only wait, for the demo multiplex, for other programs: two for each core.
    maxWorkers: 2 * availableParallelism(),
    // A process for each file would import everything again: 404 s of processor time instead of 320.
    isolate: false,
    setupFiles: ['test/fixtures/processor-seconds.ts'],
    // Only what never comes takes so long: longer than the waits of test/fixtures/patience.ts.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
