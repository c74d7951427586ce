// Zero-dependency bootstrap: installs when the lockfile is newer than what is installed, then builds what changed.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const npm = (...args) => execFileSync('npm', args, { stdio: ['ignore', 'inherit', 'inherit'] });
const changed = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
}
npm('run', '--silent', 'build');
