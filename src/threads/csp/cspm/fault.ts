/** What is wrong with a CSPm text, and where. */
export class CspmFault extends Error {
  override name = 'CspmFault';
  /** Both from 1. */
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number, message: string) {
    super(message);
    this.line = line;
    this.column = column;
  }
}
