import type { Command } from 'commander';
import type { AdminClient, Client } from '../client/index.ts';

/**
 * Adds the commands of an extension to the command line. Registered in `cli/families/extensions.ts`. The module has only the
 * descriptions of the commands; the code of a command is loaded when it runs.
 */
export type AddCommands = (program: Command, line: CommandLine) => void;

/** Command line to which an extension adds its commands. */
export interface CommandLine {
  /** Adds the options and the argument of a command that has one target and prints its answer. */
  withTarget(command: Command): Command;
  /** Adds the options and the argument of a command that calls a gateway's admin service. */
  withGateway(command: Command): Command;
  /** Returns text for the end of a command's help: lines to type after `a2a-gateway`. */
  example(...lines: readonly string[]): string;
  /** Reads a number from 0 to 1. Throws commander's error for other text. */
  fraction(text: string): number;
  /** Returns a function that reads whole numbers within bounds. */
  integer(from: number, to: number): (text: string) => number;
  /**
   * Returns a function that loads the code of a command when it runs. The code gets the command's arguments, its options and
   * CommandTools.
   */
  action<K extends string>(
    load: () => Promise<Readonly<Record<K, (...args: never[]) => unknown>>>,
    name: K,
  ): (...args: readonly unknown[]) => Promise<void>;
}

/** Output of a command. */
export interface CommandOutput {
  /** Writes text to stdout. A terminal gets no control characters. */
  print(text: string): void;
  /** Writes JSON to stdout, indented. */
  json(value: unknown): void;
  /** Writes a table to stdout. A terminal gets a line of titles. */
  table(titles: readonly string[], rows: readonly (readonly string[])[]): void;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Shows a line on stderr that the next one replaces. Only on a terminal. */
  progress(line: string): void;
}

/** Options of commands with a target that extensions read. */
export interface CommandOptions {
  readonly json?: boolean;
}

/** Functions that a running command uses. */
export interface CommandTools {
  readonly output: CommandOutput;
  /** Connects to the target as the options say, calls `use` with the client, and closes the client. */
  withClient<T>(target: string, options: CommandOptions, use: (client: Client) => Promise<T>): Promise<T>;
  /** Calls `use` with the admin service of the gateway at the target. Undefined: a gateway on this machine. */
  withAdmin<T>(
    target: string | undefined,
    options: CommandOptions,
    use: (admin: AdminClient) => Promise<T>,
  ): Promise<T>;
  /** Reads a file that is named on the command line. Rejects with UsageError. */
  readInput(path: string): Promise<Buffer>;
  /** Reads JSON from the command line. Throws UsageError, whose message begins with `flag`. */
  jsonInput(text: string, flag: string, example: string): unknown;
}

/** Mistake of the user in calling the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Failure of a task or call. Only its message is printed. */
export class CommandFailed extends Error {
  override readonly name = 'Failed';
}
