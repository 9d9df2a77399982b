import { visible } from '../text.tsx';
import { timeText } from './axis.ts';
import type { TimelineModel } from './model.ts';

/** A mark in words: who, what, when. */
export function MarkText({ model, place }: { model: TimelineModel; place: number }) {
  const { marks, lanes, texts } = model.picture;
  const lane = lanes[marks.lane[place]!];
  if (!lane) return null;
  const took = marks.took[place] ?? 0;
  return (
    <>
      <b>
        {visible(lane.name)} {lane.number}
      </b>{' '}
      <code>{visible(texts[marks.text[place]!]!)}</code>{' '}
      <small>
        event {marks.event[place]}
        {model.hasTimes && `, at ${timeText(marks.ended[place]!)}`}
        {took > 0 && `, took ${timeText(took)}`}
      </small>
      {lane.about && <small class="about">{visible(lane.about)}</small>}
    </>
  );
}
