/** The runs of this folder as rows, newest first. */
import { readFileSync } from 'node:fs';
import { printable } from '../base/bytes.ts';
import { shellLine } from '../base/shell-line.ts';
import { parseReport } from '../report/parse.ts';
import { listRuns } from '../trace/find-run.ts';

export interface Row {
  run: string;
  /** Of the recording; `broken` if it cannot even be said. */
  state: string;
  startedAt: string;
  /** Absent if there is no report yet. */
  races?: number;
  command: string;
}

export function listing(): Row[] {
  return listRuns().map((listed) => {
    if ('broken' in listed) {
      return { run: listed.name, state: 'broken', startedAt: '', command: listed.broken };
    }
    const { info, reportFile } = listed.run;
    const races = raceCount(reportFile);
    return {
      run: listed.name,
      state: info.state,
      startedAt: info.startedAt,
      ...(races !== undefined && { races }),
      command: printable(shellLine(info.command)),
    };
  });
}

function raceCount(reportFile: string): number | undefined {
  try {
    const report = parseReport(readFileSync(reportFile, 'utf8'), reportFile);
    return report.ok ? report.value.races.length : undefined;
  } catch {
    return undefined;
  }
}
