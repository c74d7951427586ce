// Stands in for comskip: writes its text, its EDL and its log into the folder of --output, named after the recording, and ends
// with 1 if it has found nothing. --find: begin and end of the breaks in seconds. --only: the kind of list to write.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

const option = (name) => process.argv.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
const file = process.argv.at(-1);
readFileSync(file);
const breaks = (option('find') ?? '')
  .split(',')
  .filter(Boolean)
  .map((one) => one.split('-').map(Number));
// Programs may write into the current folder, which must not be anyone else's.
if (process.cwd() !== realpathSync(option('output'))) process.exit(7);
const base = join(option('output'), basename(file, extname(file)));
const only = option('only');
writeFileSync(`${base}.log`, 'The log of comskip.\n');
if (only === 'hang') setInterval(() => undefined, 1000);
else if (only === 'fail') {
  console.error('no such format');
  process.exit(6);
} else {
  const framed = breaks.map(([begin, end]) => `${begin * 25}\t${end * 25}\n`);
  if (only !== 'edl')
    writeFileSync(
      `${base}.txt`,
      `FILE PROCESSING COMPLETE  1500 FRAMES AT  2500\n-------------------\n${framed.join('')}`,
    );
  if (only !== 'txt')
    writeFileSync(`${base}.edl`, breaks.map(([begin, end]) => `${begin.toFixed(2)}\t${end.toFixed(2)}\t0\n`).join(''));
  process.exit(breaks.length > 0 ? 0 : 1);
}
