/** Every key that does something, for those who press it and for the help that `?` shows. */
export const KEYS = [
  ['j / k', 'next race, previous race'],
  ['o', 'overview of all races, and back'],
  ['/', 'search the races'],
  ['1 … 7', 'show or hide the races of a verdict'],
  ['→ / ←', 'next step, previous step of the way to a race (when it has the focus)'],
  ['+ / −', 'zoom the timeline; so does the wheel, once the timeline was clicked, or with Ctrl'],
  ['← / →', 'move along the timeline (when it has the focus)'],
  ['r', 'timeline: back to the race'],
  ['0', 'timeline: the whole recording'],
  ['a', 'timeline: all lanes, or those of the race only'],
  ['x', 'timeline: fold or unfold what is below the lane of the chosen step'],
  ['t', 'timeline: by time, or by order'],
  ['f', 'timeline: find'],
  ['n / p', 'timeline: next match, previous match; without a search, next or previous step'],
  ['?', 'this help'],
  ['Esc', 'close what is open, leave a field'],
] as const;

/** Whether a key is meant for a field that the user types into. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** Shortcuts of the browser stay its own. */
export const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey;
