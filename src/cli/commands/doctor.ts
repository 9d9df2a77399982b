import { Command } from 'commander';
import { addDisplayOptions, type DisplayOptions } from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { startProgress } from '../progress.ts';
import { Terminal } from '../terminal.ts';
import { writeOutput } from '../write-output.ts';

interface DoctorOptions extends DisplayOptions {
  json?: string;
}

export function doctorCommand(): Command {
  return addDisplayOptions(new Command('doctor'))
    .description('try out what this machine can do for deadheat')
    .option('--json <file>', 'write the findings as JSON (- for stdout, instead of text)')
    .addHelpText('after', details(DETAILS))
    .action(endingWith(run));
}

async function run(options: DoctorOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { examine, exitStatus, PROBES } = await import('../../doctor/doctor.ts');
  const progress = await startProgress(terminal, PROBES.length);
  const examined = await examine((probe, done) => progress.update(done, probe.name));
  progress.stop();
  if (options.json) {
    const { toJson } = await import('../../doctor/json.ts');
    writeOutput(options.json, `${JSON.stringify(toJson(examined), null, 2)}\n`);
  }
  if (options.json !== '-') {
    const { toText } = await import('../../doctor/text.ts');
    terminal.print(toText(examined, terminal.colors, terminal.width));
  }
  return { status: exitStatus(examined) };
}

const DETAILS = `
Each line says what was found, what is needed and by whom, and how to get it. Nothing is
read from settings that could be tried instead, and nothing is left behind.

Exit status: 0, or 69 if something is missing that no engine can do without.

Examples:
  deadheat doctor
  deadheat doctor --json - | jq '.probes[] | select(.status != "ok")'
`;
