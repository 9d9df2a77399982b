import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../model.ts';
import { arbitraryReport } from '../testdata/arbitrary.ts';
import { formatHtml } from './html.ts';
import { PACKED_TYPE, type PageData } from './page-data.ts';

const PARTS = { script: 'run()', style: 'p { color: red }' };

const dataOf = (report: Report): PageData => ({
  ...{ report, sources: {}, notes: [], startedAt: '2026-01-01T00:00:00.000Z' },
});

/** What a browser finds in the data element: all up to the first thing that ends a script. */
function readBack(html: string): { type: string; data: unknown } {
  const [, type = '', text = ''] =
    /<script type="([^"]+)" id="data">([\s\S]*?)<\/script/i.exec(html) ?? [];
  const json = type === PACKED_TYPE ? inflateRawSync(Buffer.from(text, 'base64')).toString() : text;
  return { type, data: JSON.parse(json) };
}

const throughJson = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

describe('the data of a page', () => {
  it('comes back as it was, whatever a program calls its files', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const data = dataOf(report);
        expect(readBack(formatHtml(data, PARTS)).data).toEqual(throughJson(data));
      }),
    );
  });

  it.each(['</script><script>alert(1)</script>', '<!--<script>', ']]>', '\u2028', 'caf\udce9'])(
    'is not ended by %j',
    (name) => {
      const [report] = fc.sample(arbitraryReport, { numRuns: 1, seed: 1 });
      const data = dataOf({ ...report!, command: [name] });
      const html = formatHtml(data, PARTS);
      expect(readBack(html).data).toEqual(throughJson(data));
      expect(html.match(/<script/gi)).toHaveLength(2);
    },
  );

  it('is packed if it is large', () => {
    const [report] = fc.sample(arbitraryReport, { numRuns: 1, seed: 1 });
    const data = dataOf({ ...report!, warnings: ['much '.repeat(100_000)] });
    const html = formatHtml(data, PARTS);
    expect(html.length).toBeLessThan(20_000);
    expect(readBack(html)).toEqual({ type: PACKED_TYPE, data: throughJson(data) });
  });
});

it('names no other file, and forbids to fetch any', () => {
  const [report] = fc.sample(arbitraryReport, { numRuns: 1, seed: 2 });
  const html = formatHtml(dataOf({ ...report!, command: ['<b>&'] }), PARTS);
  expect(html).toContain("default-src 'none'");
  expect(html).not.toMatch(/\b(src|href)=/);
  expect(html).toMatch(/<title>[^<]*: '&lt;b&gt;&amp;' · deadheat<\/title>/);
});
