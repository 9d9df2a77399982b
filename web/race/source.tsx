/** The lines of source around a place, with the line itself marked. */
import type { Excerpts } from '../../src/report/html/source-excerpts.ts';
import type { Site } from '../../src/report/model.ts';
import { Letter } from '../sides.tsx';
import { visible } from '../text.tsx';
import { baseName } from './place.tsx';

interface SourceProps {
  readonly site: Site;
  readonly sources: Excerpts;
  /** The side whose line it is; none for a step on the way. */
  readonly side?: number;
  readonly around?: number;
}

export function Source({ site, sources, side, around = 4 }: SourceProps) {
  const { file, line } = site;
  const excerpt = file === undefined ? undefined : sources[file];
  const lines = excerpt && line !== undefined ? linesAround(excerpt, line, around) : [];
  if (file === undefined || lines.length === 0) return null;
  return (
    <figure class="source">
      <figcaption title={visible(file)}>
        {visible(baseName(file))}
        {site.function !== undefined && <> in {visible(site.function)}</>}
        {excerpt?.isNewer && <em> changed since the run: lines may have moved</em>}
      </figcaption>
      <pre>
        {lines.map(({ number, text }) => (
          <span key={number} class={number === line ? `here here-${side ?? 'step'}` : ''}>
            <span class="line-number">{number}</span>
            <span class="line-mark">
              {number === line && (side === undefined ? '▶' : <Letter index={side} />)}
            </span>
            {`${text.replaceAll('\t', '    ').split('\n').map(visible).join('\n')}\n`}
          </span>
        ))}
      </pre>
    </figure>
  );
}

function linesAround({ pieces }: Excerpts[string], line: number, around: number) {
  const all = pieces.flatMap(({ from, lines }) =>
    lines.map((text, i) => ({ number: from + i, text })),
  );
  return all.filter(({ number }) => Math.abs(number - line) <= around);
}
