/**
 * The report as SARIF 2.1.0, made so that GitHub code scanning shows it: a race becomes an alert
 * at its first access, with links to the other ones and the interleaving as a path to step
 * through.
 *
 *   formatSarif(report, { sourceRoot: '/home/me/project' })  →  the text of deadheat.sarif
 *
 * The parts are in sarif/: rules, places in the code, fingerprints, flows, messages, limits.
 */
import type { Invocation, Log, Result, Run } from 'sarif';
import { printable } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { shellLine } from '../base/shell-line.ts';
import type { Race, Report } from './model.ts';
import { fingerprints } from './sarif/fingerprints.ts';
import { codeFlows } from './sarif/flows.ts';
import { truncationNotices, withinLimit } from './sarif/limits.ts';
import { type LocationContext, locate } from './sarif/locations.ts';
import { escapeText, raceMessage } from './sarif/messages.ts';
import { levelOf, ruleFor, ruleId } from './sarif/rules.ts';
import { rootUri, sourceRootId } from './sarif/uris.ts';
import { taskTable } from './tasks.ts';
import { exitWords } from './wording.ts';

export interface SarifOptions {
  /** Absolute path of the repository: files below it get the relative names that GitHub needs. */
  readonly sourceRoot: string;
  /** Keeps uploads for one commit apart; without it, one for each engine. */
  readonly category?: string;
  /** Our own exit status, if it is not the usual one. */
  readonly exitCode?: number;
}

const schemaUri =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

export function formatSarif(report: Report, options: SarifOptions): string {
  const log: Log = { $schema: schemaUri, version: '2.1.0', runs: [describeRun(report, options)] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function describeRun(report: Report, options: SarifOptions): Run {
  const { engine } = report;
  const context = { sourceRoot: options.sourceRoot, tasks: taskTable(report) };
  const fingerprintOf = fingerprints(report, options.sourceRoot);
  const kept = withinLimit(
    report.races.map((race, index) => ({ race, fingerprint: fingerprintOf[index]! })),
  );
  const kinds = [...new Set(kept.map(({ race }) => race.kind))];
  const results = kept.map(({ race, fingerprint }) => ({
    ruleId: ruleId(engine, race.kind),
    ruleIndex: kinds.indexOf(race.kind),
    ...describeRace(race, engine, fingerprint, context),
  }));
  const category = options.category ?? `deadheat/${engine}`;
  return {
    tool: {
      driver: {
        name: 'deadheat',
        version: printable(report.version),
        rules: kinds.map((kind) => ruleFor(engine, kind)),
      },
    },
    automationDetails: { id: printable(`${category}/${report.run}`) },
    originalUriBaseIds: { [sourceRootId]: { uri: rootUri(options.sourceRoot) } },
    invocations: [describeInvocation(report, options)],
    results,
    columnKind: 'utf16CodeUnits',
  };
}

function describeRace(
  race: Race,
  engine: Report['engine'],
  fingerprint: string,
  context: LocationContext,
): Result {
  const places = race.accesses.map((access) => locate(race, access, access.what, context));
  const flows = codeFlows(race, context);
  return {
    level: levelOf(race.verdict),
    message: raceMessage(race, engine),
    locations: places.slice(0, 1),
    relatedLocations: places.map((place, index) => ({ id: index + 1, ...place })),
    ...(flows.length > 0 && { codeFlows: flows }),
    // GitHub looks at this one name only, and would otherwise hash the line of code.
    partialFingerprints: { 'deadheatRace/v1': fingerprint, primaryLocationLineHash: fingerprint },
    properties: { id: printable(race.id), verdict: race.verdict, occurrences: race.occurrences },
  };
}

/** SARIF means our own run here, not the target's. */
function describeInvocation(report: Report, options: SarifOptions): Invocation {
  const usual = report.races.length > 0 ? ExitStatus.races : ExitStatus.clean;
  const warnings = (report.warnings ?? []).map((text) => ({
    level: 'warning' as const,
    message: { text: escapeText(text) },
  }));
  return {
    commandLine: printable(shellLine(['deadheat', report.engine, '--', ...report.command])),
    executionSuccessful: true,
    exitCode: options.exitCode ?? usual,
    toolExecutionNotifications: [...warnings, ...truncationNotices(report)],
    ...(report.exit !== undefined && { properties: { target: exitWords(report.exit) } }),
  };
}
