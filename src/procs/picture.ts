/**
 * A recording of processes as the HTML report draws it: a lane for each process, a mark for each step, and a
 * link wherever a step comes after one of another process.
 */
import { firstIndex } from '../base/bisect.ts';
import { nearRaces, racingEvents } from '../report/html/near-races.ts';
import type { LinkKind, Picture, Shape } from '../report/html/picture.ts';
import { PictureMaker } from '../report/html/picture-maker.ts';
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import { readTimeline } from './analyse.ts';
import { describeStep } from './detect/describe-step.ts';
import { beginningOf, endOf, type Step } from './detect/step.ts';
import type { Timeline } from './detect/timeline.ts';
import { ProcessLanes } from './process-lanes.ts';

/** As much as can be read, of a damaged recording. */
export function processPicture(run: Run, { races }: Pick<Report, 'races'>): Picture {
  const { timeline } = readTimeline(run, { salvage: true });
  return drawProcesses(timeline, run.info.cwd, racingEvents(races));
}

export function drawProcesses(
  { steps, graph, tasks }: Pick<Timeline, 'steps' | 'graph' | 'tasks'>,
  folder: string,
  racing: readonly number[],
  most?: number,
): Picture {
  const isDrawn = nearRaces(steps.length, racing, most);
  const drawn = steps.filter(({ event }) => isDrawn(event));
  const lanes = new ProcessLanes(tasks, drawn);
  const maker = new PictureMaker();
  const endsSoFar = latestEnds(drawn);
  for (const [place, step] of drawn.entries()) {
    const began = beginningOf(step);
    const first = firstIndex(endsSoFar, (end) => end >= began);
    maker.mark({
      event: step.event,
      lane: lanes.of(step),
      shape: shapeOf(step),
      text: describeStep(step, folder),
      span: Math.max(0, place - first),
      time: timeOf(step),
    });
  }
  for (const step of drawn) {
    for (const source of graph.edgesInto(step.event)) {
      const from = steps[source]!;
      if (from.process !== step.process) maker.link(source, step.event, linkKind(from));
    }
  }
  for (const bar of lanes.programs(drawn)) maker.bar(bar);
  return maker.finish(lanes.all, steps.length - drawn.length);
}

/** For each step, where the last one up to it ended: ascending, so that one can search in it. */
function latestEnds(steps: readonly Step[]): number[] {
  let latest = 0;
  return steps.map((step) => {
    latest = Math.max(latest, endOf(step));
    return latest;
  });
}

function shapeOf({ record }: Step): Shape {
  switch (record.kind) {
    case 'start':
      return 'birth';
    case 'exit':
      return 'end';
    case 'signal':
      return 'signal';
    case 'call':
      if (record.reaped) return 'wait';
      return record.result < 0 ? 'failed' : 'call';
  }
}

function timeOf({ record }: Step): { from: number; to: number } {
  return record.kind === 'call'
    ? { from: record.enteredAt, to: record.leftAt }
    : { from: record.time, to: record.time };
}

function linkKind({ record }: Step): LinkKind {
  if (record.kind === 'start') return 'birth';
  return record.kind === 'exit' ? 'wait' : 'message';
}
