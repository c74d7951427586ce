// Runs every test: the native ones (doctest, through ctest) and the TypeScript ones (vitest). The last line is
// `N passed, N failed`, followed by `, N skipped` if any were. A crash, a failed build or a missing report counts as a
// failure. Arguments are passed to vitest: `npm test -- test/epg`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const results = join('build', 'test-results');
const tree = join('build', 'native-tests');
const count = { passed: 0, failed: 0, skipped: 0 };

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
if (buildNative()) runNative();
runTypeScript();
if (!process.env.RECEIVERD_TEST_DATA)
  console.log('RECEIVERD_TEST_DATA is not set: tests on real captures were skipped');
console.log(`${count.passed} passed, ${count.failed} failed${count.skipped ? `, ${count.skipped} skipped` : ''}`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

function buildNative() {
  const cache = join(tree, 'CMakeCache.txt');
  if (existsSync(cache) && !readFileSync(cache, 'utf8').includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${process.cwd()}\n`)) {
    rmSync(tree, { recursive: true });
  }
  // A tree keeps the generator it was configured with.
  const generator = !existsSync(cache) && spawnSync('ninja', ['--version']).status === 0 ? ['-G', 'Ninja'] : [];
  const options = [
    '-DRECEIVERD_ADDON=OFF',
    '-DRECEIVERD_TESTS=ON',
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
    '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1',
    '-DRECEIVERD_LTO=OFF',
  ];
  return (
    quietly('cmake', ['-S', '.', '-B', tree, ...generator, ...options]) &&
    quietly('cmake', ['--build', tree, '--parallel', String(availableParallelism())])
  );
}

/** Each ctest is one doctest program; its summary line has the number of cases. */
function runNative() {
  const report = resolve(results, 'native.xml');
  const sizes = ['--test-output-size-passed', '1000000', '--test-output-size-failed', '1000000'];
  const args = ['--test-dir', tree, '--output-on-failure', '--output-junit', report, '--timeout', '300', ...sizes];
  const { status } = spawnSync('ctest', [...args, '-j', String(availableParallelism())], { stdio: 'inherit' });
  const programs = existsSync(report) ? readFileSync(report, 'utf8').split('<testcase ').slice(1) : [];
  const failedBefore = count.failed;
  for (const program of programs) {
    const cases = /\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed *\| *(\d+) skipped/.exec(program);
    if (cases) add(Number(cases[1]), Number(cases[2]), Number(cases[3]));
    else count.failed++;
  }
  if (programs.length === 0 || (status !== 0 && count.failed === failedBefore)) count.failed++;
}

function runTypeScript() {
  const report = join(results, 'vitest.json');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // Test the program that users run. Set-up has just built it.
    env: { ...process.env, RECEIVERD_PROGRAM: join('dist', 'cli.js') },
  });
  if (!existsSync(report)) {
    count.failed++;
    return;
  }
  const failedBefore = count.failed;
  const json = JSON.parse(readFileSync(report, 'utf8'));
  add(json.numPassedTests, json.numFailedTests, json.numPendingTests + json.numTodoTests);
  // A file that could not be loaded has failed without a failed test.
  for (const file of json.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) count.failed++;
  }
  if (status !== 0 && count.failed === failedBefore) count.failed++;
}

function add(passed, failed, skipped) {
  count.passed += passed;
  count.failed += failed;
  count.skipped += skipped;
}

/** Runs a build step. If it fails, shows its output and counts a failure. */
function quietly(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status === 0) return true;
  process.stderr.write(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}${error ? `${error}\n` : ''}`);
  count.failed++;
  return false;
}
