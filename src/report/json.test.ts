import { describe, expect, it } from 'vitest';
import { InternalError } from '../base/assert.ts';
import { formatJson } from './json.ts';
import type { Report } from './model.ts';
import { procsReport } from './testdata/reports.ts';

describe('the JSON format', () => {
  it('does not depend on the order in which an engine built the report', () => {
    const report = procsReport();
    const backwards = reverseKeys(report) as Report;
    expect(Object.keys(backwards)[0]).toBe('stats');
    expect(formatJson(backwards)).toBe(formatJson(report));
  });

  it('starts with the schema, indents by two and ends with one newline', () => {
    const text = formatJson(procsReport());
    expect(text).toMatch(/^\{\n {2}"schema": 1,\n {2}"tool": "deadheat",\n/);
    expect(text).toMatch(/[^\n]\n$/);
    expect(formatJson(procsReport(), { indent: 0 }).trimEnd()).not.toContain('\n');
  });

  it('keeps bytes that are not UTF-8', () => {
    const report = { ...procsReport(), command: ['caf\udce9'] };
    expect(JSON.parse(formatJson(report)).command).toEqual(['caf\udce9']);
  });

  it('refuses a report that breaks the contract', () => {
    const report = procsReport();
    report.races[0]!.accesses.pop();
    expect(() => formatJson(report)).toThrow(InternalError);
    expect(() => formatJson(report)).toThrow(/races\[0\]\.accesses/);
  });
});

function reverseKeys(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(reverseKeys);
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).reverse();
  return Object.fromEntries(entries.map(([key, value]) => [key, reverseKeys(value)]));
}
