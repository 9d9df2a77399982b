/**
 * A comparison as a drawing: a bar for each way, as long as its ratio, with the figure at its end. If one is more
 * than twenty times another, lengths are logarithms: a bar of 1 would not be seen beside one of 100. Dark and light
 * as the reader has it.
 */
import type { ComparedWay, Comparison } from './comparison.ts';

const ROW = 26;
const BAR = 14;
const NAMES = 260;
const BARS = 380;
const WIDTH = NAMES + BARS + 80;
const MOST_LINEAR = 20;

export function plot({ title, ways }: Comparison): string {
  const length = scale(ways.map(({ ratio }) => ratio));
  const rows = ways.map((way, index) => row(way, 44 + index * ROW, length(way.ratio)));
  const height = 56 + ways.length * ROW;
  const summary = ways.map(({ name, ratio }) => `${name} ${shown(ratio)}`).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<desc>${escaped(summary)}</desc>
<style>
text { fill: #1f2328 } rect { fill: #8a94a0 } .own { fill: #0a66c2 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .own { fill: #58a6ff } }
</style>
<text x="8" y="22" font-weight="600">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`;
}

function row({ name, ratio }: ComparedWay, top: number, length: number): string {
  const own = /deadheat|hits\/s|sampled|tolerate/.test(name) ? ' class="own"' : '';
  const base = top + BAR - 2;
  return [
    `<text x="${NAMES - 8}" y="${base}" text-anchor="end">${escaped(name)}</text>`,
    `<rect${own} x="${NAMES}" y="${top}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<text x="${(NAMES + length + 6).toFixed(1)}" y="${base}">${shown(ratio)} ×</text>`,
  ].join('');
}

function scale(ratios: readonly number[]): (ratio: number) => number {
  const most = Math.max(...ratios);
  const least = Math.min(...ratios);
  if (most / least <= MOST_LINEAR) return (ratio) => (BARS * ratio) / most;
  const from = Math.log(least / 2);
  return (ratio) => (BARS * (Math.log(ratio) - from)) / (Math.log(most) - from);
}

const shown = (ratio: number): string => ratio.toFixed(ratio < 10 ? 2 : 0);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
