/** What the shapes and lines of the timeline mean; only those that are there. */
import { useEffect, useRef } from 'preact/hooks';
import { LINKS, type Picture, SHAPES } from '../../src/report/html/picture.ts';
import { drawShape, SHAPE_WORDS, shapesIn } from './shapes.ts';

export function Legend({ picture, isOfThreads }: { picture: Picture; isOfThreads: boolean }) {
  const kinds = LINKS.filter((_, number) => picture.links.kind.includes(number));
  return (
    <ul class="legend">
      {shapesIn(picture.marks.shape).map((number) => (
        <li key={number}>
          <ShapePicture number={number} /> {SHAPE_WORDS[SHAPES[number]!]}
        </li>
      ))}
      {kinds.map((kind) => (
        <li key={kind}>
          <span class={`link-line link-${kind}`} /> {LINK_WORDS[kind]}
        </li>
      ))}
      {isOfThreads && (
        <li>
          <span class="lock-bar" /> lock held
        </li>
      )}
    </ul>
  );
}

const LINK_WORDS = { birth: 'created', wait: 'waited for', message: 'heard from' } as const;

function ShapePicture({ number }: { number: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const on = canvas.current?.getContext('2d');
    if (!on) return;
    on.setTransform(2, 0, 0, 2, 0, 0);
    on.clearRect(0, 0, 14, 14);
    const color = getComputedStyle(canvas.current!).color;
    on.fillStyle = color;
    on.strokeStyle = color;
    on.lineWidth = 1.5;
    drawShape(on, number, 7, 7, 3.5);
  });
  return <canvas ref={canvas} width="28" height="28" class="shape" />;
}
