import { describe, expect, it } from 'vitest';
import { plot } from './plot.ts';

const way = (name: string, ratio: number) => ({ name, ratio, fastest: ratio, slowest: ratio });
const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
const ticks = (svg: string): string[] =>
  [...svg.matchAll(/<text class="axis"[^>]*>([\d.]+)</g)].map(([, figure]) => figure!);

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

  it('has lines with figures, and says when lengths are logarithms', () => {
    const small = plot({ title: 't', ways: [way('native', 1), way('deadheat', 1.3)] });
    expect(ticks(small)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1', '1.2']);
    expect(small).not.toContain('logarithmic');
    const large = plot({ title: 't', ways: [way('native', 1), way('helgrind', 400)] });
    expect(ticks(large)).toEqual(['0.5', '1', '2', '5', '10', '20', '50', '100', '200']);
    expect(large).toContain('logarithmic');
  });

  it('has room for the slowest round', () => {
    const slow = { ...way('deadheat', 2), slowest: 8 };
    const [, ours] = widths(plot({ title: 't', ways: [way('native', 1), slow] }));
    expect(ours).toBeCloseTo(380 / 4);
  });

  it('says in words what it shows, whatever things are called', () => {
    const svg = plot({ title: 'a < b & c', ways: [way('<script>', 2.5)] });
    expect(svg).toContain('<title>a &lt; b &amp; c</title>');
    expect(svg).toContain('<desc>&lt;script&gt; 2.50</desc>');
    expect(svg).not.toContain('<script>');
  });
});
