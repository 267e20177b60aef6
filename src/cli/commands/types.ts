import { packageVersion } from '../../gateway/process/version.ts';
import { CommandFailed, UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

/** The options of `a2a-gateway types`. Absent options have the value of the folder's last run, or the default. */
export interface TypesOptions {
  readonly out?: string;
  readonly a2a?: string;
  readonly proto?: string;
  readonly schema?: string;
  /** A comma-separated list. */
  readonly with?: string;
  readonly importExtension?: string;
  readonly check?: boolean;
}

/** The surroundings of a run: its folder, the gateway's version and the output. */
export interface Surroundings {
  /** Folder to which paths are relative. */
  readonly cwd: string;
  /** Version of the gateway. */
  readonly version: string;
  /** Prints results. */
  out(text: string): void;
}

/** A failure of the command. `usage` is true if it was called incorrectly. */
export interface Failure {
  readonly usage?: true;
  readonly message: string;
  /** Further lines of the message. */
  readonly details?: readonly string[];
}

/**
 * The part of the generator that the command calls: `codegen/project-types/command.ts`, which is bundled separately.
 */
interface Generator {
  runTypes(options: TypesOptions, surroundings: Surroundings): Promise<Failure | undefined>;
}

const generator = new URL('../../../codegen/project-types/command.ts', import.meta.url);

/** `a2a-gateway types`: writes types, validators and tables of a version of A2A into a folder of the user's project. */
export async function types(options: TypesOptions, output: Output): Promise<void> {
  const { runTypes }: Generator = await import(generator.href);
  const failure = await runTypes(options, {
    cwd: process.cwd(),
    version: packageVersion(),
    out: (text) => output.print(text),
  });
  if (failure === undefined) return;
  for (const detail of failure.details ?? []) output.note(detail);
  throw failure.usage ? new UsageError(failure.message) : new CommandFailed(failure.message);
}
