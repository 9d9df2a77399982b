/** The keys of the timeline; keys.ts tells of them. */
import { isPlain } from '../keys.ts';
import type { TimelineModel } from './model.ts';

const STEP = 80;

/** Whether it was one. */
export function onTimelineKey(
  event: KeyboardEvent,
  model: TimelineModel,
  find: () => void,
): boolean {
  if (!isPlain(event)) return false;
  const action = ACTIONS[event.key];
  if (event.key === 'f') find();
  else if (action) action(model);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

const ACTIONS: Readonly<Record<string, (model: TimelineModel) => void>> = {
  '+': (model) => model.zoom(1.4),
  '=': (model) => model.zoom(1.4),
  '-': (model) => model.zoom(1 / 1.4),
  '−': (model) => model.zoom(1 / 1.4),
  ArrowLeft: (model) => model.move(-STEP),
  ArrowRight: (model) => model.move(STEP),
  r: (model) => model.showRace(),
  '0': (model) => model.showWhole(),
  a: (model) => {
    if (model.canFold) model.setShowsAll(!model.showsAll);
  },
  x: (model) => {
    if (model.selected !== undefined) model.toggleFolded(model.laneShown(model.selected));
  },
  t: (model) => {
    if (model.hasTimes) model.setKind(model.kind === 'time' ? 'order' : 'time');
  },
  n: (model) => model.next(1),
  p: (model) => model.next(-1),
};
