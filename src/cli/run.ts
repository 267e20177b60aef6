import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { withShownUrls } from '../core/model/shown-url.ts';
import { packageVersion } from '../gateway/process/version.ts';
import { exitCode } from './exit-code.ts';
import { addAdmin } from './families/admin.ts';
import { addCalling } from './families/calling.ts';
import { addDocuments } from './families/documents.ts';
import { addExtensions } from './families/extensions.ts';
import { commandLike, exitCodes } from './families/options.ts';
import { addServing } from './families/serving.ts';
import { type Output, processOutput } from './output.ts';

const families = [addServing, addAdmin, addCalling, addExtensions, addDocuments];

/**
 * Creates the program. If `named`, the command that will run, is known, families of commands after its own are not
 * added.
 */
export function createProgram(output: Output, named?: string): Command {
  const program = new Command('a2a-gateway')
    .description('Connects any A2A client to any A2A agent: every dialect, every binding, one port.')
    .version(packageVersion())
    .option('-v, --verbose', 'show requests and answers as they are sent, and stack traces of errors')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', exitCodes)
    .showHelpAfterError(false)
    .helpCommand(false);
  for (const add of families) {
    add(program, output);
    if (program.commands.some((command) => command.name() === named)) break;
  }
  return program;
}

/**
 * Runs the command line.
 *
 * @param args the arguments after the name of the program
 * @returns the exit code; see `exitCode`
 */
export async function run(args: readonly string[], output: Output = processOutput()): Promise<number> {
  const program = createProgram(output, args[0]);
  for (const command of [program, ...descendants(program)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => output.print(text),
      writeErr: (text) => output.note(text.trimEnd()),
      outputError(text, write) {
        const mistake = withShownUrls(inOurStyle(oneLine(text), command));
        write(`${mistake}${mistake.endsWith('?') ? ' See' : '; see'} ${nameOf(command)} --help`);
      },
    });
  }
  refuseFlagsAsValues(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode.done;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.done : exitCode.usage;
    // Loaded only for errors, because it imports the client and the configuration.
    const { describeFailure, explainFailure } = await import('./failure.ts');
    const { lines, code } = describeFailure(thrown);
    for (const line of lines) output.note(`error: ${withShownUrls(oneLine(line))}`);
    if (lines.length > 0 && program.opts().verbose === true) output.note(explainFailure(thrown));
    return code;
  }
}

/**
 * Converts an error of commander to the style of other errors: `--via: expected one of …` for a wrong value, and a
 * suggestion for every unknown command. Commander itself suggests only very similar names.
 */
function inOurStyle(text: string, command: Command): string {
  const [, unknown] = /^error: unknown command '([^']*)'$/.exec(text) ?? [];
  if (unknown !== undefined) return `${text}; ${commandLike(unknown, command)}`;
  const name = wrongValueOf(text);
  if (name === undefined) return withoutBrackets(text).replace(/\.$/, '');
  const reason =
    text
      .slice(text.lastIndexOf("'. ") + 3)
      .split('is invalid. ')
      .at(-1) ?? '';
  const expected = reason.replace(/^Allowed choices are /, 'expected one of ').replace(/^E/, 'e');
  return `error: ${name}: ${expected}`.replace(/\.$/, '');
}

/**
 * Returns the option or argument whose value commander refuses. Undefined for other errors. The value may be any text.
 */
function wrongValueOf(text: string): string | undefined {
  const [option, ...value] = text.split("' argument '");
  if (option?.startsWith("error: option '") && value.join().includes("' is invalid. "))
    return /--[\w-]+/.exec(option)?.[0];
  const argument = text.split(" for argument '").at(-1)?.split("'", 1)[0];
  return text.startsWith('error: command-argument value ') ? argument?.toUpperCase() : undefined;
}

/** Converts commander's suggestion in brackets to a clause. */
function withoutBrackets(text: string): string {
  const [before, suggestion] = text.split(' (Did you mean ', 2);
  return suggestion?.endsWith('?)') ? `${before}; did you mean ${suggestion.slice(0, -1)}` : text;
}

/** Makes options refuse another option of their command as their value: `--dev --port 9000` lacks a file. */
function refuseFlagsAsValues(program: Command): void {
  for (const command of descendants(program)) {
    const flags = new Set(command.options.flatMap(({ short, long }) => [short, long]));
    for (const option of command.options) {
      if (!option.required || option.variadic || option.parseArg) continue;
      option.argParser((value) => {
        if (!flags.has(value)) return value;
        throw new InvalidArgumentError(`Expected a value before ${value}`);
      });
    }
  }
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
