/** How the racing processes or threads came to be: each with those who made it, the eldest first. */

import { shellLine } from '../../src/base/shell-line.ts';
import { sidesOf } from '../../src/report/both-orders.ts';
import type { Race, Report, Task } from '../../src/report/model.ts';
import { ancestry, taskKey, taskTable } from '../../src/report/tasks.ts';
import { Letter } from '../sides.tsx';
import { Code, visible } from '../text.tsx';
import { placeText } from './place.tsx';

export function Origins({ race, report }: { race: Race; report: Report }) {
  const table = taskTable(report);
  const all = sidesOf(race);
  // Two sides may be of the same task: a signal that arrives, and what it came before.
  const keys = [...new Set(all.map(({ access }) => taskKey(access)))];
  const lines = keys
    .map((key) => all.filter(({ access }) => taskKey(access) === key))
    .map((sides) => ({
      sides,
      line: ancestry(table, sides[0]!.access, new Set()).toReversed(),
    }))
    .filter(({ line }) => line.some(({ command, createdBy }) => command ?? createdBy));
  if (lines.length === 0) return null;
  return (
    <section class="origins">
      <h3>Where they come from</h3>
      <div class="orders">
        {lines.map(({ sides, line }) => (
          <ol key={sides[0]!.index} class="origin">
            {line.map((task, place) => (
              <li
                key={`${task.pid}/${task.thread}`}
                style={{ marginLeft: `${Math.min(place, 8) * 14}px` }}
              >
                {place === line.length - 1 &&
                  sides.map(({ index }) => <Letter key={index} index={index} />)}{' '}
                <b>{visible(task.threadName ?? task.process)}</b> <small>{numberOf(task)}</small>
                {task.command && task.command.length > 0 && (
                  <>
                    <br />
                    <Code text={shellLine(task.command)} />
                  </>
                )}
                {task.createdBy?.site && placeText(task.createdBy.site) !== '' && (
                  <small>
                    {' '}
                    created at <code>{visible(placeText(task.createdBy.site))}</code>
                  </small>
                )}
              </li>
            ))}
          </ol>
        ))}
      </div>
    </section>
  );
}

const numberOf = ({ pid, thread, threadName }: Task): string =>
  pid === 0 ? '' : threadName === undefined ? `pid ${pid}` : `thread ${thread}`;
