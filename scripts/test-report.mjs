// Reports a run of vitest to scripts/test.mjs, in build/test-results/vitest.json: how many tests passed, failed
// and were skipped, what was retried, and the processor seconds of each file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export default class TestReport {
  onTestRunEnd(modules, errors) {
    const report = { passed: 0, failed: errors.length, skipped: 0, retried: [], files: [] };
    for (const module of modules) {
      report.files.push({ name: module.relativeModuleId, seconds: module.meta().processorSeconds ?? 0 });
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        report[state === 'pending' ? 'failed' : state]++;
        const retries = test.diagnostic()?.retryCount ?? 0;
        if (retries > 0) report.retried.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      // A file that could not be loaded has failed without a failed test.
      if (module.state() === 'failed' && module.children.allTests('failed').next().done) report.failed++;
    }
    writeFileSync(join('build', 'test-results', 'vitest.json'), JSON.stringify(report));
  }
}
