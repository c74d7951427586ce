import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Files that keep nothing in their modules: they share processes, which saves each of them half a second of imports. */
const pure = ['autotimer', 'config', 'device', 'services', 'timers'].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Many tests only wait, for the demo multiplex, for other programs: two for each core.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
      { extends: true, test: { name: 'receiver', include: ['test/**/*.test.ts'], exclude: pure } },
    ],
    // Only what never comes takes so long: longer than the waits of test/fixtures/patience.ts.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
