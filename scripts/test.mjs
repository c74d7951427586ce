// Runs every test: the native ones (doctest, through ctest) and the TypeScript ones (vitest). The last line is
// `N passed, N failed`, followed by `, N skipped` if any were. A crash, a failed build or a missing report counts as a
// failure. Arguments are passed to vitest: `npm test -- test/epg`.
//
// The native tests are compiled while the TypeScript ones wait. RECEIVERD_NATIVE_TESTS=elsewhere leaves them out, for a
// run of all checks, which has them under sanitizers.
import { spawn, spawnSync } from 'node:child_process';
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
const native = process.env.RECEIVERD_NATIVE_TESTS === 'elsewhere' ? undefined : testNative();
await runTypeScript();
if (native) console.log(await native);
if (!process.env.RECEIVERD_TEST_DATA)
  console.log('RECEIVERD_TEST_DATA is not set: tests on real captures were skipped');
console.log(`${count.passed} passed, ${count.failed} failed${count.skipped ? `, ${count.skipped} skipped` : ''}`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

/** Builds and runs the native tests. Returns their output, which would mix with that of the TypeScript tests. */
async function testNative() {
  const cache = join(tree, 'CMakeCache.txt');
  if (existsSync(cache) && !readFileSync(cache, 'utf8').includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${process.cwd()}\n`)) {
    rmSync(tree, { recursive: true });
  }
  // A tree keeps the generator it was made with.
  const generator = !existsSync(cache) && spawnSync('ninja', ['--version']).status === 0 ? ['-G', 'Ninja'] : [];
  const options = [
    '-DRECEIVERD_ADDON=OFF',
    '-DRECEIVERD_TESTS=ON',
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
    '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1',
    '-DRECEIVERD_LTO=OFF',
  ];
  const jobs = String(availableParallelism());
  const configure = ['-S', '.', '-B', tree, ...generator, ...options];
  for (const args of [configure, ['--build', tree, '--parallel', jobs]]) {
    const { status, output } = await run('cmake', args);
    if (status === 0) continue;
    count.failed++;
    return `cmake ${args.join(' ')}\n${output}`;
  }
  const report = resolve(results, 'native.xml');
  const sizes = ['--test-output-size-passed', '1000000', '--test-output-size-failed', '1000000'];
  const args = ['--test-dir', tree, '--output-on-failure', '--output-junit', report, '--timeout', '900', ...sizes];
  const { status, output } = await run('ctest', [...args, '-j', jobs]);
  countNative(report, status);
  return output;
}

/** Each ctest is one doctest program; its summary line has the number of cases. */
function countNative(report, status) {
  const programs = existsSync(report) ? readFileSync(report, 'utf8').split('<testcase ').slice(1) : [];
  const failedBefore = count.failed;
  for (const program of programs) {
    const cases = /\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed *\| *(\d+) skipped/.exec(program);
    if (cases) add(Number(cases[1]), Number(cases[2]), Number(cases[3]));
    else count.failed++;
  }
  if (programs.length === 0 || (status !== 0 && count.failed === failedBefore)) count.failed++;
}

/** Runs a program and collects its output. */
function run(command, args) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => output.push(piece));
    child.on('error', (error) => done({ status: 1, output: error.message }));
    child.on('close', (status) => done({ status, output: Buffer.concat(output).toString() }));
  });
}

async function runTypeScript() {
  const file = join(results, 'vitest.json');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${resolve('scripts', 'test-report.mjs')}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // Test the program that users run. Set-up has just built it.
    env: { ...process.env, RECEIVERD_PROGRAM: join('dist', 'cli.js') },
  });
  const status = await new Promise((done) => child.on('close', done).on('error', done));
  if (!existsSync(file)) {
    count.failed++;
    return;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  add(report.passed, report.failed, report.skipped);
  if (status !== 0 && report.failed === 0) count.failed++;
  for (const name of report.retried) console.log(`retried: ${name}`);
  const dearest = report.files.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  console.log('Processor seconds of the ten dearest test files:');
  for (const { name, seconds } of dearest) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
}

function add(passed, failed, skipped) {
  count.passed += passed;
  count.failed += failed;
  count.skipped += skipped;
}
