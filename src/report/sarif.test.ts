import fc from 'fast-check';
import type { Log, Run } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { Report } from './model.ts';
import { formatSarif, type SarifOptions } from './sarif.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import {
  allReports,
  procsReport,
  projectRoot,
  sampleReport,
  threadsReport,
  tolerateReport,
} from './testdata/reports.ts';
import { sarifErrors } from './testdata/sarif-schema.ts';

const options: SarifOptions = { sourceRoot: projectRoot };

function runOf(report: Report, more: Partial<SarifOptions> = {}): Run {
  const log = JSON.parse(formatSarif(report, { ...options, ...more })) as Log;
  return log.runs[0]!;
}

describe('the SARIF format', () => {
  it.each(Object.entries(allReports))('is valid for %s', (_, build) => {
    expect(sarifErrors(formatSarif(build(), options))).toEqual([]);
  });

  it('is valid for any report, and well-formed Unicode', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const sarif = formatSarif(report, options);
        expect(sarifErrors(sarif)).toEqual([]);
        expect(sarif).not.toMatch(/\\ud[89a-f]/i);
      }),
    );
  });

  it('would be refused by the schema if it were wrong', () => {
    const log = JSON.parse(formatSarif(procsReport(), options)) as Log;
    log.runs[0]!.results![0]!.locations![0]!.physicalLocation!.region!.startLine = 0;
    expect(sarifErrors(JSON.stringify(log))).toHaveLength(1);
  });

  it('names the standard, the tool and the root', () => {
    const log = JSON.parse(formatSarif(procsReport(), options)) as Log;
    expect(log.version).toBe('2.1.0');
    expect(log.$schema).toContain('sarif-schema-2.1.0.json');
    const [run] = log.runs;
    expect(run!.tool.driver).toMatchObject({ name: 'deadheat', version: '0.1.0' });
    expect(run!.originalUriBaseIds).toEqual({ '%SRCROOT%': { uri: 'file:///home/me/project/' } });
  });

  it('keeps uploads apart by engine, or as told', () => {
    expect(runOf(procsReport()).automationDetails?.id).toBe('deadheat/procs/procs-3');
    const run = runOf(procsReport(), { category: 'nightly' });
    expect(run.automationDetails?.id).toBe('nightly/procs-3');
  });

  it('tells of our own invocation, with the warnings', () => {
    const [invocation] = runOf({ ...procsReport(), command: ['make', "it's"] }).invocations!;
    expect(invocation).toMatchObject({
      commandLine: "deadheat procs -- make 'it'\\''s'",
      executionSuccessful: true,
      exitCode: 66,
      properties: { target: 'exit status 0' },
    });
    const [killed] = runOf(tolerateReport()).invocations!;
    expect(killed!.properties).toEqual({ target: 'killed by SIGSEGV' });
    const [notice] = invocation!.toolExecutionNotifications!;
    expect(notice!.message.text).toContain('io_uring_enter');
    expect(runOf({ ...procsReport(), races: [] }).invocations![0]!.exitCode).toBe(0);
    expect(runOf(procsReport(), { exitCode: 1 }).invocations![0]!.exitCode).toBe(1);
  });

  it('gives each kind one rule and points to it', () => {
    const report = tolerateReport();
    report.races.push({ ...report.races[0]!, id: 'R3', kind: 'other' });
    const run = runOf(report);
    const rules = run.tool.driver.rules!;
    expect(rules.map(({ id }) => id)).toEqual(['tolerate/asymmetric-race', 'tolerate/other']);
    expect(rules[0]!.name).toBe('TolerateAsymmetricRace');
    expect(rules[0]!.help!.markdown).toContain('**How to mend it.**');
    for (const result of run.results!) expect(rules[result.ruleIndex!]!.id).toBe(result.ruleId);
    expect(run.results!.map(({ ruleIndex }) => ruleIndex)).toEqual([0, 0, 1]);
  });

  it.each([
    [procsReport, ['error']],
    [threadsReport, ['error']],
    [sampleReport, ['warning']],
    [tolerateReport, ['note', 'warning']],
  ])('has a level for each verdict', (build, levels) => {
    expect(runOf(build()).results!.map(({ level }) => level)).toEqual(levels);
  });

  it('puts the first access into the code and links the others', () => {
    const [result] = runOf(threadsReport()).results!;
    expect(result!.locations).toHaveLength(1);
    expect(result!.locations![0]!.physicalLocation).toEqual({
      artifactLocation: { uri: 'src/queue.c', uriBaseId: '%SRCROOT%' },
      region: { startLine: 41 },
    });
    expect(result!.relatedLocations!.map(({ id }) => id)).toEqual([1, 2]);
    expect(result!.relatedLocations![1]!.physicalLocation!.region!.startLine).toBe(12);
    expect(result!.message.text).toContain('[4 bytes at 0x55d0c4](2) by thread 23 of pool');
  });

  it('escapes what SARIF would take for links and placeholders', () => {
    const report = threadsReport();
    report.races[0]!.title = 'a[0] in {pool}';
    report.races[0]!.accesses[1]!.what = 'read a[0]';
    const [result] = runOf(report).results!;
    const text = result!.message.text!;
    expect(text).toContain('[read a\\[0\\]](2)');
    expect(result!.relatedLocations![1]!.message!.text).toBe('read a\\[0\\]');
    expect(text).toMatch(/^a\\\[0\\\] in \{\{pool\}\}\.\n/);
  });

  it('has the interleaving, one flow a task', () => {
    const [flow] = runOf(procsReport()).results![0]!.codeFlows!;
    const orders = flow!.threadFlows.map(({ id, message, locations }) => ({
      id,
      name: message!.text,
      order: locations.map(({ executionOrder }) => executionOrder),
    }));
    expect(orders).toEqual([
      { id: '14/14', name: 'cc1 (pid 14), thread 14', order: [1, 3] },
      { id: '13/13', name: 'sh (pid 13), thread 13', order: [2] },
    ]);
    expect(runOf(sampleReport()).results![0]).not.toHaveProperty('codeFlows');
  });
});

describe("GitHub's limits", () => {
  it('keep the worst races and say that some are missing', () => {
    const [tolerated, detected] = tolerateReport().races;
    const many = Array.from({ length: 25_000 }, () => ({ ...tolerated!, steps: undefined }));
    const run = runOf({ ...tolerateReport(), races: [...many, detected!] });
    expect(run.results).toHaveLength(25_000);
    expect(run.results![0]!.level).toBe('warning');
    expect(run.invocations![0]!.toolExecutionNotifications![0]!.message.text).toBe(
      'left out 1 of 25001 races: GitHub takes 25000',
    );
  });

  it('keep the end of a long interleaving', () => {
    const report = procsReport();
    const [first] = report.races[0]!.steps!;
    report.races[0]!.steps = Array.from({ length: 10_002 }, () => first!);
    const run = runOf(report);
    const { locations } = run.results![0]!.codeFlows![0]!.threadFlows[0]!;
    expect(locations).toHaveLength(10_000);
    expect(locations.map(({ executionOrder }) => executionOrder).at(-1)).toBe(10_002);
    expect(run.invocations![0]!.toolExecutionNotifications!.at(-1)!.message.text).toContain('R1');
  });
});
