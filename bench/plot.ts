/**
 * A comparison as a drawing: a bar for each way, as long as its ratio, with the figure at its end, and light lines
 * across by which lengths are read; if these are logarithms (plot-scale.ts), it is written below. A thin line goes from
 * the fastest round to the slowest. Dark and light as the reader has it, on a background of its own, since the page
 * around it may be the other one.
 */
import { isOwn, type Plotted, type PlottedWay } from './comparison.ts';
import { type PlotScale, plotScale } from './plot-scale.ts';

const ROW = 26;
const BAR = 14;
const NAMES = 260;
const BARS = 380;
const WIDTH = NAMES + BARS + 80;
const TOP = 44;

export function plot({ title, ways }: Plotted): string {
  const scale = plotScale(
    ways.flatMap(({ ratio, fastest = ratio, slowest = ratio }) => [ratio, fastest, slowest]),
    BARS,
  );
  const bottom = TOP + ways.length * ROW;
  const rows = ways.map((way, index) => row(way, TOP + index * ROW, scale));
  const summary = ways.map(({ name, ratio }) => `${name} ${shown(ratio)}`).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 28}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<desc>${escaped(summary)}</desc>
<style>
svg { background: #ffffff } text { fill: #1f2328 } rect { fill: #8a94a0 } .own { fill: #0a66c2 }
path { stroke: #1f2328; stroke-width: 1.5; opacity: 0.6 }
.tick { stroke: #d8dee4; stroke-width: 1; opacity: 1 } .axis { fill: #59636e; font-size: 11px }
.figure { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 } text { fill: #e6edf3 } rect { fill: #6e7681 } .own { fill: #58a6ff }
  path { stroke: #e6edf3 }
  .tick { stroke: #30363d } .axis { fill: #9198a1 } .figure { stroke: #0d1117 }
}
</style>
<text x="8" y="22" font-weight="600">${escaped(title)}</text>
${ticks(scale, bottom)}
${rows.join('\n')}
</svg>
`;
}

function ticks({ ticks: all, lengthOf, isLogarithmic }: PlotScale, bottom: number): string {
  const name = isLogarithmic ? 'ratio, on a logarithmic scale' : 'ratio';
  const below = bottom + 14;
  return [
    `<text class="axis" x="${NAMES - 16}" y="${below}" text-anchor="end">${name}</text>`,
    ...all.map((tick) => {
      const at = (NAMES + lengthOf(tick)).toFixed(1);
      const line = `<path class="tick" d="M${at} ${TOP - 6}V${bottom}"/>`;
      return `${line}<text class="axis" x="${at}" y="${below}" text-anchor="middle">${tickFigure(tick)}</text>`;
    }),
  ].join('\n');
}

function row(way: PlottedWay, top: number, { lengthOf }: PlotScale): string {
  const { name, ratio, fastest = ratio, slowest = ratio } = way;
  const own = isOwn(name) ? ' class="own"' : '';
  const base = top + BAR - 2;
  const middle = top + BAR / 2;
  const end = (one: number): string => (NAMES + lengthOf(one)).toFixed(1);
  const figureAt = NAMES + lengthOf(Math.max(ratio, slowest)) + 6;
  return [
    `<text x="${NAMES - 8}" y="${base}" text-anchor="end">${escaped(name)}</text>`,
    `<rect${own} x="${NAMES}" y="${top}" width="${lengthOf(ratio).toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<path d="M${end(fastest)} ${middle}H${end(slowest)}"/>`,
    `<text class="figure" x="${figureAt.toFixed(1)}" y="${base}">${shown(ratio)} ×</text>`,
  ].join('');
}

const shown = (ratio: number): string => ratio.toFixed(ratio < 10 ? 2 : 0);

/** Without what adding up tenths leaves behind. */
const tickFigure = (tick: number): string => `${Number(tick.toPrecision(6))}`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
