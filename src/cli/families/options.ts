import { type Command, InvalidArgumentError, Option } from 'commander';
import { bindings } from '../../client/bindings.ts';
import { suggestionFor } from '../../config/suggest.ts';
import type { CommandTools } from '../../extensions/command.ts';
import type { Output } from '../output.ts';

/** Options shared by the commands of several families. */

/** Loads the module of a command when the command runs. */
export const lazy =
  <K extends string>(
    load: () => Promise<Readonly<Record<K, (...args: never[]) => unknown>>>,
    name: K,
    output: Output | CommandTools,
  ) =>
  async (...args: readonly unknown[]): Promise<void> => {
    const run = (await load())[name] as (...args: readonly unknown[]) => unknown;
    // Commander's last two arguments are the options of the command itself, and the command.
    const command = args.at(-1) as Command;
    await run(...args.slice(0, -2), command.optsWithGlobals(), output);
  };

const number =
  (what: string, pattern: RegExp) =>
  (from: number, to: number) =>
  (text: string): number => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Expected ${what} from ${from} to ${to}.`);
  };
export const integer = number('an integer', /^\d+$/);
export const fraction = number('a number', /\S/)(0, 1);

export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Adds the options of every command that opens a connection. */
export const withConnection = (command: Command): Command =>
  command
    .option('--api-key <key>', 'API key (default: $A2A_API_KEY)')
    .option('--bearer <token>', 'bearer token (default: $A2A_BEARER)')
    .option('-H, --header <name:value>', 'header of every request, or gRPC metadata (may be repeated)', repeated)
    .option('--timeout <duration>', 'time to wait for a response, or for the start of a stream, such as 30s')
    .option('--cacert <file>', 'certificates of the authorities to trust, in PEM')
    .option('--cert <file>', 'client certificate, in PEM')
    .option('--key <file>', 'private key of the client certificate, in PEM (default: read from the file of --cert)')
    .option('-k, --insecure', "do not verify the server's certificate");

/** Adds the options of every command that calls a target over A2A. */
export const withAgent = (command: Command): Command =>
  withConnection(
    command
      .addOption(new Option('--via <binding>', 'binding to use').choices(bindings.map(({ name }) => name)))
      .option('--as <dialect>', 'dialect (protocol version) to use, such as a2a-1.0')
      .option('--tenant <name>', 'tenant of the calls')
      .option(
        '--direct',
        'call the host of the target instead of the host in its card, for example to reach one replica',
      )
      .option('--max-answer <size>', 'largest response, or event of a stream, to read (default: 128MiB)'),
  );

/** Adds the options of commands with one target that print a response. */
export const withTarget = (command: Command): Command =>
  withAgent(command).option('--json', 'print JSON').argument('<target>', "the agent's base URL or the URL of its card");

/** Adds the option of commands whose answer may contain files. */
export const withOut = (command: Command): Command =>
  command.option('--out <path>', 'write the files of the answer into this folder, or to this new file');

/** Meanings of the command's exit codes, for its help. */
export const exitCodes = [
  '\nExit codes:',
  '0  done',
  '1  the call or the task failed',
  '2  wrong usage or configuration',
  '3  the task waits for input or authorization',
].join('\n  ');

/** Suggests a command for an unknown one: the most similar one below `command`, or all of them. */
export function commandLike(word: string, command: Command): string {
  const names = command.commands.map((each) => each.name());
  return names.length === 0 ? `${command.name()} has no commands` : suggestionFor(word, names);
}

export const example = (...lines: readonly string[]): string =>
  `\nExample:${lines.map((line) => `\n  $ a2a-gateway ${line}`).join('')}`;
