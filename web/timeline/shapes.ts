/** A shape for each kind of mark, so that they can be told apart without colours. */
import { SHAPES, type Shape } from '../../src/report/html/picture.ts';

export const SHAPE_WORDS: Readonly<Record<Shape, string>> = {
  call: 'call',
  failed: 'call that failed',
  birth: 'fork, begin',
  end: 'end',
  signal: 'signal',
  wait: 'wait',
  access: 'access',
  lock: 'lock taken or let go',
};

type Path = Pick<
  CanvasRenderingContext2D,
  'beginPath' | 'arc' | 'rect' | 'moveTo' | 'lineTo' | 'closePath' | 'fill' | 'stroke'
>;

export function drawShape(on: Path, number: number, x: number, y: number, size: number): void {
  on.beginPath();
  const shape = SHAPES[number] ?? 'call';
  switch (shape) {
    case 'call':
    case 'access':
      on.arc(x, y, size, 0, 7);
      return on.fill();
    case 'failed':
      on.moveTo(x - size, y - size);
      on.lineTo(x + size, y + size);
      on.moveTo(x + size, y - size);
      on.lineTo(x - size, y + size);
      return on.stroke();
    case 'birth':
      on.moveTo(x - size, y - size);
      on.lineTo(x + size, y);
      on.lineTo(x - size, y + size);
      on.closePath();
      return on.fill();
    case 'end':
      on.rect(x - size, y - size, 2 * size, 2 * size);
      return on.fill();
    case 'signal':
      on.moveTo(x, y - size - 1);
      on.lineTo(x + size + 1, y);
      on.lineTo(x, y + size + 1);
      on.lineTo(x - size - 1, y);
      on.closePath();
      return on.fill();
    case 'wait':
      on.arc(x, y, size, 0, 7);
      return on.stroke();
    case 'lock':
      on.rect(x - 1.5, y - size - 1, 3, 2 * size + 2);
      return on.fill();
  }
}

/** Which shapes there are in a picture, for the legend. */
export const shapesIn = (shapes: readonly number[]): number[] =>
  SHAPES.map((_, number) => number).filter((number) => shapes.includes(number));
