/** What is wrong with a trace in text form; the importer adds the place and tells the user. */
export class StdFault extends Error {
  override name = 'StdFault';
  /** Where in its line, as an offset in the text at hand. */
  readonly at: number;
  readonly remedy: string;

  constructor(at: number, message: string, remedy: string) {
    super(message);
    this.at = at;
    this.remedy = remedy;
  }
}

/** The line makes no sense by itself. */
export const MALFORMED = 'a line is THREAD|OPERATION(OPERAND)|NUMBER, such as T0|acq(L1)|12';

/** It makes none after those before it. */
export const IMPOSSIBLE = 'no run of a program can have done that: make the trace again';
