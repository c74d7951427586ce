// What the program uses and Node 18 lacks, the last one for 32-bit MIPS:
//   node --require /usr/lib/receiverd/node18.cjs /usr/lib/receiverd/dist/cli.js start
const copying = { toSorted: 'sort', toReversed: 'reverse' };
for (const [name, method] of Object.entries(copying)) {
  Array.prototype[name] ??= function (...args) {
    return [...this][method](...args);
  };
}
