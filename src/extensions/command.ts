import type { Command } from 'commander';
import type { AdminClient, Client } from '../client/index.ts';

/**
 * Adds the commands of an extension to the command line: a row in `cli/families/extensions.ts`. Only their descriptions are
 * loaded with it, and what carries out a command when it runs.
 */
export type AddCommands = (program: Command, line: CommandLine) => void;

/** The command line, as extensions describe commands for it. */
export interface CommandLine {
  /** Adds the options and the argument of commands with one target that print the answer. */
  withTarget(command: Command): Command;
  /** Adds the options and the argument of commands that are clients of a gateway's admin service. */
  withGateway(command: Command): Command;
  /** Text for the end of a command's help: lines as they are typed after `a2a-gateway`. */
  example(...lines: readonly string[]): string;
  /** Reads a number from 0 to 1. Throws commander's error for others. */
  fraction(text: string): number;
  /** Reads whole numbers within bounds. */
  integer(from: number, to: number): (text: string) => number;
  /** Loads a function when its command runs: it gets the arguments of the command, its options, and CommandTools. */
  action<K extends string>(
    load: () => Promise<Readonly<Record<K, (...args: never[]) => unknown>>>,
    name: K,
  ): (...args: readonly unknown[]) => Promise<void>;
}

/** The output of commands. */
export interface CommandOutput {
  /** Writes to stdout; on a terminal without control characters. */
  print(text: string): void;
  /** Writes a document of JSON to stdout, for people. */
  json(value: unknown): void;
  /** Writes a table to stdout; on a terminal with a line of titles. */
  table(titles: readonly string[], rows: readonly (readonly string[])[]): void;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Shows a line on stderr that the next one replaces. Only on a terminal. */
  progress(line: string): void;
}

/** Options of commands with a target, as far as commands read them. */
export interface CommandOptions {
  readonly json?: boolean;
}

/** The command line, as commands run in it. */
export interface CommandTools {
  readonly output: CommandOutput;
  /** Connects to the target with the options of the command, runs `use` with the client, and closes it. */
  withClient<T>(target: string, options: CommandOptions, use: (client: Client) => Promise<T>): Promise<T>;
  /** Runs `use` with the admin service of the gateway at the target. Undefined: one on this machine. */
  withAdmin<T>(
    target: string | undefined,
    options: CommandOptions,
    use: (admin: AdminClient) => Promise<T>,
  ): Promise<T>;
  /** Reads a file that is named on the command line. Rejects with UsageError. */
  readInput(path: string): Promise<Buffer>;
  /** Reads JSON that is given on the command line. `flag` is what the error begins with. Throws UsageError. */
  jsonInput(text: string, flag: string, example: string): unknown;
}

/** A mistake in how the command was called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failed task or call, whose message is all that is printed. */
export class CommandFailed extends Error {
  override readonly name = 'Failed';
}
