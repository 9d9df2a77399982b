/** What `readelf --debug-dump=frames` says of a file's `.eh_frame`, to compare with. */
import { number, toolOutput } from './compiled.ts';

export interface ShownFrame {
  offset: number;
  start: number;
  end: number;
  /** The addresses to which its instructions advance. */
  rows: number[];
  /** How many instructions there are, `nop` not counted. */
  instructions: number;
}

const ENTRY = /^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ FDE cie=[0-9a-f]+ pc=([0-9a-f]+)\.\.([0-9a-f]+)/;
const ROW = /^ {2}DW_CFA_(?:advance_loc\d?: \d+ to|set_loc:) ([0-9a-f]+)/;

export function shownFrames(path: string): ShownFrame[] {
  const frames: ShownFrame[] = [];
  let frame: ShownFrame | undefined;
  for (const line of toolOutput('readelf', '--debug-dump=frames,no-follow-links', path).split(
    '\n',
  )) {
    const entry = ENTRY.exec(line);
    if (entry) {
      const [offset, start, end] = entry.slice(1).map(number);
      frame = { offset: offset!, start: start!, end: end!, rows: [], instructions: 0 };
      frames.push(frame);
    } else if (/^[0-9a-f]+ /.test(line)) frame = undefined;
    else if (frame !== undefined && line.startsWith('  DW_CFA_') && line !== '  DW_CFA_nop') {
      frame.instructions++;
      const row = ROW.exec(line);
      if (row) frame.rows.push(number(row[1]));
    }
  }
  return frames;
}
