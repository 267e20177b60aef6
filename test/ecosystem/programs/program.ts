import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, run } from '../processes.ts';

/** Programs are installed into this folder once, and nowhere else on the machine. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/ecosystem/', import.meta.url));

/** The folder for one version of one program. */
export function cacheFolder(name: string): string {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A program that cannot be had on this machine, and why. */
export class NotHad extends Error {}

/** The path of a program, and the registry that it comes from. */
export interface Place {
  readonly path: string;
  readonly from: string;
}

/**
 * One way to get a program.
 *
 * @throws Error that says why it cannot be had so
 */
export type Source = (command: Command) => Promise<Place>;

/** A program that tests start, and that neither the checkout nor npm's packages have. */
export interface Program {
  readonly name: string;
  /** The variable of the environment by which tests are given its path; without one, they find it in PATH. */
  readonly variable?: string;
  /** Arguments with which it prints its version. */
  readonly printsVersion: readonly string[];
  /** The ways to get it, in the order in which they are tried. */
  readonly sources: readonly Source[];
}

/** A program that was found or installed. */
export interface Installed extends Place {
  readonly program: Program;
  readonly version: string;
}

/** @throws NotHad with the reason of every source */
export async function install(program: Program, command: Command): Promise<Installed> {
  const reasons: string[] = [];
  for (const source of program.sources) {
    try {
      const { path, from } = await source(command);
      const output = await run(command, path, ...program.printsVersion);
      return { program, path, from, version: /\d+\.\d+(\.\d+)?/.exec(output)?.[0] ?? 'of an unknown version' };
    } catch (thrown) {
      if (command.signal.aborted) throw thrown;
      reasons.push(thrown instanceof Error ? thrown.message.trim() : String(thrown));
    }
  }
  throw new NotHad(`no ${program.name}: ${reasons.join('; ')}`);
}
