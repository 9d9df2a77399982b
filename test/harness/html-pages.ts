/** Pages that are made from data at hand, with the built script and style. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatHtml } from '../../src/report/html/html.ts';
import type { PageData } from '../../src/report/html/page-data.ts';
import type { Race, Report } from '../../src/report/model.ts';
import { PROJECT } from './deadheat.ts';

export function writePage(folder: string, data: Partial<PageData> & { report: Report }): string {
  const built = (name: string): string => readFileSync(join(PROJECT, 'dist/web', name), 'utf8');
  const file = join(folder, 'page.html');
  const whole = { sources: {}, notes: [], startedAt: '2026-01-01T00:00:00.000Z', ...data };
  writeFileSync(file, formatHtml(whole, { script: built('page.js'), style: built('page.css') }));
  return file;
}

const VERDICTS = ['harmful', 'detected', 'benign'] as const;

/** A report with so many races, of all verdicts in turn, on `file 1`, `file 2`, … */
export function withRaces(report: Report, count: number): Report {
  const [race] = report.races;
  const races = Array.from(
    { length: count },
    (_, i): Race => ({
      ...race!,
      id: `R${i + 1}`,
      verdict: VERDICTS[i % 3]!,
      title: `sh writes file ${i + 1} while cat reads it`,
      object: { type: 'file', name: `file ${i + 1}` },
    }),
  );
  return { ...report, races };
}
