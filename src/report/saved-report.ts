/** The report that a run has from an earlier command; undefined if there is none that can be read. */
import { readFileSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import type { Report } from './model.ts';
import { parseReport } from './parse.ts';

export function savedReport({ reportFile }: { readonly reportFile: string }): Report | undefined {
  const text = tryTo(() => readFileSync(encodeBytes(reportFile), 'utf8'));
  const report = text.ok ? parseReport(text.value, reportFile) : undefined;
  return report?.ok ? report.value : undefined;
}
