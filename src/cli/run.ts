import { type Command, CommanderError } from 'commander';
import { exitCode } from './exit-code.ts';
import { suggestionFor } from './families/options.ts';
import { type Output, processOutput } from './output.ts';
import { createProgram } from './program.ts';

/**
 * Runs the command line.
 *
 * @param args what follows the command's name
 * @returns exit code: see `exitCode`
 */
export async function run(args: readonly string[], output: Output = processOutput()): Promise<number> {
  const program = createProgram(output);
  for (const command of [program, ...descendants(program)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => output.print(text),
      writeErr: (text) => output.note(text.trimEnd()),
      // One line, also where commander prints advice on a second.
      outputError: (text, write) => write(`${advised(oneLine(text), command)}; see ${nameOf(command)} --help`),
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode.done;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.done : exitCode.usage;
    // Loaded for errors alone, since it imports the client and the configuration.
    const { describeFailure, explainFailure } = await import('./failure.ts');
    const { lines, code } = describeFailure(thrown);
    for (const line of lines) output.note(`error: ${oneLine(line)}`);
    if (lines.length > 0 && program.opts().verbose === true) output.note(explainFailure(thrown));
    return code;
  }
}

/** An error of commander's, which suggests commands only where they are very similar. */
function advised(text: string, command: Command): string {
  const [, unknown] = /^error: unknown command '([^']*)'$/.exec(text) ?? [];
  return unknown === undefined ? text.replace(/\.$/, '') : `${text}; ${suggestionFor(unknown, command)}`;
}

const descendants = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...descendants(child)]);

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
