import { describe, expect, it } from 'vitest';
import { plot } from './plot.ts';

const way = (name: string, ratio: number) => ({ name, samples: [ratio], ratio });
const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));

describe('the plot of a comparison', () => {
  it('has bars as long as their ratios', () => {
    const [native, ours] = widths(
      plot({ title: 't', ways: [way('native', 1), way('deadheat', 4)] }),
    );
    expect(ours! / native!).toBeCloseTo(4);
  });

  it('shows small ones beside large ones, in order', () => {
    const ways = [way('native', 1), way('deadheat', 5), way('helgrind', 400)];
    const [native, ours, theirs] = widths(plot({ title: 't', ways }));
    expect(native).toBeGreaterThan(10);
    expect(ours).toBeGreaterThan(native! + 10);
    expect(theirs).toBeGreaterThan(ours! + 10);
  });

  it('says in words what it shows, whatever things are called', () => {
    const svg = plot({ title: 'a < b & c', ways: [way('<script>', 2.5)] });
    expect(svg).toContain('<title>a &lt; b &amp; c</title>');
    expect(svg).toContain('<desc>&lt;script&gt; 2.50</desc>');
    expect(svg).not.toContain('<script>');
  });
});
