/** docs/benchmarks.svg: how many times as long the closest rival takes, or as much memory, on a logarithmic scale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './native.ts';
import { type Report, type Row, times } from './result.ts';

const width = 900;
/** Pixels to the left of the bars, and height of a row. */
const [labels, line] = [470, 22];
const most = 10_000;
const scale = (ratio: number) =>
  ((width - labels - 70) * Math.log10(Math.min(Math.max(ratio, 1), most))) / Math.log10(most);

const style = `
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .bar { fill: #2a6fb0 } .slower { fill: #b04a2a } .axis { stroke: #8886 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .bar { fill: #6aa9e0 } .slower { fill: #e08a6a } }`;

export function write({ results, machine, commit }: Report): void {
  const closest = new Map<string, Row>();
  for (const row of results) {
    if (row.ours || noRival.test(row.contender) || !Number.isFinite(row.ratio)) continue;
    if (row.ratio < (closest.get(row.comparison)?.ratio ?? Number.POSITIVE_INFINITY)) closest.set(row.comparison, row);
  }
  const rows = [...closest.values()];
  const bars = rows.map(({ comparison, contender, ratio }, n) => {
    const y = 50 + n * line;
    const name = `${comparison}: ${contender}`;
    return [
      `<text x="${labels - 8}" y="${y + 15}" text-anchor="end">${escaped(name.length > 72 ? `${name.slice(0, 71)}…` : name)}</text>`,
      `<rect class="${ratio < 1 ? 'slower' : 'bar'}" x="${labels}" y="${y + 4}" width="${Math.max(scale(ratio), 2).toFixed(1)}" height="14"/>`,
      `<text x="${(labels + scale(ratio) + 6).toFixed(1)}" y="${y + 15}">${times(ratio)}</text>`,
    ].join('\n');
  });
  const height = 60 + rows.length * line;
  const axes = [1, 10, 100, 1000, most].map((ratio) => {
    const x = labels + scale(ratio);
    return `<line class="axis" x1="${x}" x2="${x}" y1="44" y2="${height - 8}"/><text x="${x}" y="40" text-anchor="middle">${ratio.toLocaleString('en')}x</text>`;
  });
  const title = `How many times as long as receiverd the closest rival takes, or as much memory (${machine.cpu}, Node ${machine.node}, ${commit ?? 'unknown commit'})`;
  const content = [
    '<title>Benchmarks</title>',
    `<style>${style}</style>`,
    `<text x="8" y="18">${escaped(title)}</text>`,
    ...axes,
    ...bars,
  ].join('\n');
  writeFileSync(
    join(root, 'docs', 'benchmarks.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">\n${content}\n</svg>\n`,
  );
}

/** What is no program that does the same: the cost of a copy, goals, servers of prepared bytes. */
const noRival = /^(memcpy|wanted|bare |reading |building |scan )/;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
