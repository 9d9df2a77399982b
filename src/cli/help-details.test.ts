import { describe, expect, it } from 'vitest';
import { foldedCommand } from './help-blocks.ts';
import { shownDetails } from './help-details.ts';
import { createProgram } from './program.ts';

const TEXT = `
One two three four five six seven
eight nine ten eleven twelve thirteen.

Examples:
  deadheat watch --functions '^queue --_' --rate 200 -- ./test
  deadheat ls     what there is, told in a few words or more
`;

describe('what stands below the options', () => {
  it('is filled to the width, and commands can still be copied', () => {
    expect(shownDetails(TEXT, 46)).toBe(
      [
        'One two three four five six seven eight nine',
        'ten eleven twelve thirteen.',
        '',
        'Examples:',
        "  deadheat watch --functions '^queue --_' \\",
        '      --rate 200 -- ./test',
        '  deadheat ls    what there is, told in a few',
        '                 words or more',
      ].join('\n'),
    );
  });

  it('is as it was written where there is room', () => {
    expect(shownDetails(TEXT, 200).split('\n')).toHaveLength(5);
  });

  it('leaves whole what cannot be broken', () => {
    const command = `deadheat procs 'a long word --that is quoted'`;
    expect(foldedCommand(command, 20)).toEqual([command]);
  });
});

it('no help is wider than the terminal', () => {
  const program = createProgram();
  for (const command of [program, ...program.commands]) {
    for (const width of [80, 100]) {
      let text = '';
      command.configureOutput({
        getOutHelpWidth: () => width,
        writeOut: (piece) => {
          text += piece;
        },
      });
      command.outputHelp();
      const tooWide = text.split('\n').filter((line) => line.length > width);
      expect(tooWide, command.name()).toEqual([]);
    }
  }
});
