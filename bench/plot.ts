/**
 * A comparison as a drawing: a bar for each way, as long as its ratio, with the figure at its end. If one is more
 * than twenty times another, lengths are logarithms: a bar of 1 would not be seen beside one of 100. A thin line goes
 * from the fastest round to the slowest. Dark and light as the reader has it, on a background of its own, since the page
 * around it may be the other one.
 */
import { type ComparedWay, type Comparison, isOwn } from './comparison.ts';
import { median } from './measure.ts';

const ROW = 26;
const BAR = 14;
const NAMES = 260;
const BARS = 380;
const WIDTH = NAMES + BARS + 80;
const MOST_LINEAR = 20;

export function plot({ title, ways }: Comparison): string {
  const length = scale(ways.map(({ ratio }) => ratio));
  const rows = ways.map((way, index) => row(way, 44 + index * ROW, length));
  const height = 56 + ways.length * ROW;
  const summary = ways.map(({ name, ratio }) => `${name} ${shown(ratio)}`).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<desc>${escaped(summary)}</desc>
<style>
svg { background: #ffffff } text { fill: #1f2328 } rect { fill: #8a94a0 } .own { fill: #0a66c2 }
path { stroke: #1f2328; stroke-width: 1.5; opacity: 0.6 }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 } text { fill: #e6edf3 } rect { fill: #6e7681 } .own { fill: #58a6ff }
  path { stroke: #e6edf3 }
}
</style>
<text x="8" y="22" font-weight="600">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`;
}

function row(
  { name, ratio, samples }: ComparedWay,
  top: number,
  lengthOf: (ratio: number) => number,
): string {
  const own = isOwn(name) ? ' class="own"' : '';
  const base = top + BAR - 2;
  const typical = median(samples);
  const [fastest, slowest] = [Math.min(...samples), Math.max(...samples)].map((time) =>
    Math.min(Math.max(lengthOf((ratio * time) / typical), 0), BARS + 4),
  ) as [number, number];
  const length = lengthOf(ratio);
  const middle = top + BAR / 2;
  const figureAt = NAMES + Math.max(length, slowest) + 6;
  return [
    `<text x="${NAMES - 8}" y="${base}" text-anchor="end">${escaped(name)}</text>`,
    `<rect${own} x="${NAMES}" y="${top}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<path d="M${(NAMES + fastest).toFixed(1)} ${middle}H${(NAMES + slowest).toFixed(1)}"/>`,
    `<text x="${figureAt.toFixed(1)}" y="${base}">${shown(ratio)} ×</text>`,
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
