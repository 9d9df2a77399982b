/**
 * Where text goes: results to stdout, everything said beside them to stderr, so that
 * `deadheat detect latest > races.txt` holds the races and nothing else.
 */
import picocolors from 'picocolors';
import { widthOf } from './terminal-width.ts';

export type ColorChoice = 'auto' | 'always' | 'never';
export type Colors = ReturnType<typeof picocolors.createColors>;

export interface TerminalOptions {
  color: ColorChoice;
  quiet?: true;
}

export class Terminal {
  readonly quiet: boolean;
  readonly #color: ColorChoice;

  constructor(options: TerminalOptions) {
    this.#color = options.color;
    this.quiet = options.quiet ?? false;
  }

  /** A result. */
  print(text: string): void {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** A remark that --quiet leaves out. */
  remark(text: string): void {
    if (!this.quiet) process.stderr.write(`deadheat: ${text}\n`);
  }

  /** Something the user should know even with --quiet. */
  warn(text: string): void {
    process.stderr.write(`deadheat: warning: ${text}\n`);
  }

  /** Progress is for people who watch. */
  get showsProgress(): boolean {
    return !this.quiet && process.stderr.isTTY === true;
  }

  get colored(): boolean {
    if (this.#color !== 'auto') return this.#color === 'always';
    return process.stdout.isTTY === true && !process.env.NO_COLOR;
  }

  /** picocolors' own detection colours pipes on CI machines, so it is always told. */
  get colors(): Colors {
    return picocolors.createColors(this.colored);
  }

  get width(): number {
    return widthOf(process.stdout, 100);
  }
}
