/**
 * The check for a race as CSPm text, which FDR reads, and `cspm/parser.ts` too. What the things in it are
 * is told in front:
 *
 *   -- T1: worker
 *   -- V0: counter
 */
import { Labels } from '../model/labels.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { printCspm } from './cspm/printer.ts';
import { type ModelOptions, type RaceModel, RaceModels } from './program/race-model.ts';
import { familyOf } from './program/step.ts';
import { constantOf } from './program/thread-processes.ts';
import { TYPE_OF, toScript } from './program/to-script.ts';
import { TraceSteps } from './program/trace-steps.ts';
import type { AccessesOf } from './race-search.ts';

export function exportModel(
  trace: ThreadTrace,
  accesses: AccessesOf,
  options: ModelOptions,
  models = new RaceModels(trace, new TraceSteps(trace)),
): string {
  const model = models.ofAccesses(accesses, options);
  const lines = legend(new Labels(trace.tables), model, accesses.variable);
  return `${lines.map((line) => `-- ${line}\n`).join('')}${printCspm(toScript(model, accesses.variable))}`;
}

function legend(labels: Labels, model: RaceModel, variable: number): string[] {
  const threads = [...model.steps.keys()].map(
    (thread) => `${constantOf('Thread', thread)}: ${labels.thread(thread)}`,
  );
  const others = [...model.steps.values()].flat().flatMap(({ kind, object }) => {
    const type = TYPE_OF[familyOf[kind]];
    if (type === 'Thread') return [];
    const label = type === 'Variable' ? labels.variable(object) : labels.lock(object);
    return [`${constantOf(type, object)}: ${label}`];
  });
  const own = `${constantOf('Variable', variable)}: ${labels.variable(variable)}`;
  return [...new Set([...threads, own, ...others])];
}
