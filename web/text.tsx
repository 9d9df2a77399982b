/** Text of the program, which can be anything: shown as it is, with what cannot be seen made visible. */
import { printable } from '../src/base/printable.ts';

/** Directions that a text asks for must not reorder what stands around it, or hide what it says. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u200b]/g;

export const visible = (text: string): string =>
  printable(text).replace(
    DIRECTIONS,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export function Code({ text, title }: { text: string; title?: string }) {
  return <code title={title}>{visible(text)}</code>;
}

/** A sentence of ours, in which code stands between backticks. */
export function Sentence({ text }: { text: string }) {
  const parts = text.split('`');
  return (
    <p>{parts.map((part, i) => (i % 2 === 1 ? <Code key={i} text={part} /> : visible(part)))}</p>
  );
}

/** Several lines; those of a diff have their colours. */
export function Lines({ text }: { text: string }) {
  return (
    <pre class="lines">
      {text.split('\n').map((line, number) => (
        <span key={number} class={lineClass(line)}>
          {`${visible(line)}\n`}
        </span>
      ))}
    </pre>
  );
}

function lineClass(line: string): string {
  if (line.startsWith('@@')) return 'diff-place';
  if (/^\+(?!\+\+)/.test(line)) return 'diff-more';
  return /^-(?!--)/.test(line) ? 'diff-less' : '';
}
