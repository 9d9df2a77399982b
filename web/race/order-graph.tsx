/** The happens-before graph around a race: lanes from left to right, time downwards, arrows for what is ordered. */

import { LETTERS, sidesOf } from '../../src/report/both-orders.ts';
import type { OrderedStep, Race } from '../../src/report/model.ts';
import { visible } from '../text.tsx';

const ROW = 30;
const HEAD = 26;

export function OrderGraph({ race }: { race: Race }) {
  const steps = race.order ?? [];
  if (steps.length === 0) return null;
  const lanes = [...new Set(steps.map(({ pid }) => pid))];
  const laneWidth = lanes.length > 8 ? 34 : 46;
  const x = (pid: number): number => lanes.indexOf(pid) * laneWidth + 22;
  const y = (row: number): number => HEAD + row * ROW + ROW / 2;
  const textAt = lanes.length * laneWidth + 16;
  const longest = Math.max(...steps.map(({ what }) => what.length));
  const width = textAt + longest * 7.4 + 20;
  const height = HEAD + steps.length * ROW + 6;
  return (
    <section class="graph">
      <h3>What had to come before what</h3>
      <p class="hint">Arrows are orders that hold in every run. {unordered(race)}</p>
      <div class="scrolls">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label="happens-before graph"
        >
          <defs>
            <marker
              id={`arrow-${race.id}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 L8 4 L0 8 z" class="arrow-head" />
            </marker>
          </defs>
          {lanes.map((pid) => {
            const rows = steps.flatMap((step, row) => (step.pid === pid ? [row] : []));
            return (
              <g key={pid}>
                <text x={x(pid)} y={14} class="lane-name" text-anchor="middle">
                  {pid}
                </text>
                <line
                  x1={x(pid)}
                  x2={x(pid)}
                  y1={y(rows[0]!)}
                  y2={y(rows.at(-1)!)}
                  class="lane-line"
                />
              </g>
            );
          })}
          {steps.flatMap((step, row) =>
            (step.after ?? []).map((source) => {
              const from = steps[source];
              if (!from) return null;
              const path = `M${x(from.pid)} ${y(source)} L${x(from.pid)} ${y(row) - 10} Q${x(from.pid)} ${y(row)} ${x(from.pid) + Math.sign(x(step.pid) - x(from.pid)) * 10} ${y(row)} L${x(step.pid) - Math.sign(x(step.pid) - x(from.pid)) * 9} ${y(row)}`;
              return (
                <path
                  key={`${source}-${row}`}
                  d={path}
                  class="edge"
                  marker-end={`url(#arrow-${race.id})`}
                />
              );
            }),
          )}
          {steps.map((step, row) => (
            <Step key={row} {...{ race, step, textAt }} x={x(step.pid)} y={y(row)} />
          ))}
        </svg>
      </div>
    </section>
  );
}

interface StepProps {
  readonly race: Race;
  readonly step: OrderedStep;
  readonly x: number;
  readonly y: number;
  readonly textAt: number;
}

function Step({ race, step, x, y, textAt }: StepProps) {
  const side = step.races
    ? sidesOf(race).find(({ access }) => access.pid === step.pid && step.what.endsWith(access.what))
    : undefined;
  const letter = side && LETTERS[side.index];
  return (
    <g class={letter ? `racing racing-${letter}` : ''}>
      {letter && (
        <rect x={textAt - 8} y={y - ROW / 2 + 2} width="100%" height={ROW - 4} class="racing-row" />
      )}
      <Shape {...{ letter, x, y }} />
      {letter && (
        <text x={x} y={y + 4.5} text-anchor="middle" class="node-letter">
          {letter}
        </text>
      )}
      <text x={textAt} y={y + 4.5} class="step-text">
        {visible(step.what)}
      </text>
    </g>
  );
}

/** As the letters have them everywhere on the page. */
function Shape({ letter, x, y }: { letter: string | undefined; x: number; y: number }) {
  if (letter === 'B') return <rect x={x - 10} y={y - 10} width="20" height="20" class="node" />;
  if (letter === 'C') {
    const points = `${x},${y - 14} ${x + 14},${y} ${x},${y + 14} ${x - 14},${y}`;
    return <polygon points={points} class="node" />;
  }
  return <circle cx={x} cy={y} r={letter ? 11 : 4.5} class="node" />;
}

/** Of three, two may well be in order: a signal and its arrival. */
const unordered = ({ accesses }: Race): string =>
  accesses.length === 2
    ? 'Nothing leads from one racing step to the other.'
    : 'Nothing puts all of the racing steps in order.';
