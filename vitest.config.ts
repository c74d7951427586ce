import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait, for half a minute or more. At the end of a run they would leave a core idle. */
const waiting = [
  ...['ui/watch', 'recordings/recorder', 'ui/recordings', 'playback/mpv-output', 'clients/satip', 'iptv/receiver'],
  ...['timeshift/screen', 'playback/mpv-subtitles', 'receiver/idle', 'http/rest/live', 'dvb/satip/client'],
].map((name) => `/test/${name}.test.ts`);

/** Starts with the files that wait; the others follow as usual, the largest first. */
class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification) => waiting.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}

export default defineConfig({
  test: {
    // Many tests only wait, for the demo multiplex, for other programs: three for each core. With two, the lane takes 386 s
    // instead of 345 on two cores.
    maxWorkers: 3 * availableParallelism(),
    // A process for each file would import everything again: 404 s of processor time instead of 320.
    isolate: false,
    // A larger young generation: 55 s of processor time instead of 58 for the operations and the walk.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: Sequencer },
    setupFiles: ['test/fixtures/processor-seconds.ts'],
    // Only what never comes takes so long: longer than the waits of test/fixtures/waits.ts.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
