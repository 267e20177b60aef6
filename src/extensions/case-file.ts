import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { splitIssues } from '../config/issues.ts';
import { type ConfigSource, placeOf, sectionIn } from '../config/parse.ts';
import { ConfigError } from '../config/report.ts';
import { anything, section, text } from '../config/schema-parts.ts';
import { fileText } from '../net/read-file.ts';
import { CommandFailed, type CommandOutput } from './command.ts';

/** Fault in a file, with its path. */
export interface FileProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** A value, or the faults of the input. */
export type Read<T> =
  | { readonly value: T; readonly problems?: undefined }
  | { readonly problems: readonly FileProblem[] };

/** Checks a value against a schema. @param base path of the value in its file */
export function readAs<T extends z.ZodType>(
  schema: T,
  given: unknown,
  base: readonly string[] = [],
): Read<z.output<T>> {
  const read = schema.safeParse(given);
  if (read.success) return { value: read.data };
  const problems = splitIssues(read.error).map(({ path, message }) => ({
    path: [...base, ...path.map(String)],
    message,
  }));
  return { problems };
}

/** Reads a file of cases. Rejects with a ConfigError that names every fault with its place. */
export async function readCases<T extends z.ZodType>(file: string, one: T) {
  const schema = section('cases', () => ({
    config: text('the path of a configuration').prefault('gateway.yaml'),
    cases: z.array(one, anything('a list of cases')).min(1, anything('at least one case')),
  }));
  return readFrom(file, (source) => readAs(schema, contentOf(source) ?? {}));
}

/** Reads one section of a configuration. Rejects with a ConfigError that names every fault with its place. */
export const readSection = <T>(file: string, name: string, of: (content: unknown) => Read<T>): Promise<T> =>
  readFrom(file, (source) => of(sectionIn(source, name)));

async function readFrom<T>(file: string, read: (source: ConfigSource) => Read<T>): Promise<T> {
  const content = await fileText(file).catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  });
  const main = { file, text: content };
  const result = read(main);
  if (!result.problems) return result.value;
  throw new ConfigError(
    result.problems.map(({ path, message }) => ({
      where: placeOf({ main, agentFiles: [] }, path),
      path: path.join('.'),
      message,
    })),
  );
}

function contentOf({ file, text }: ConfigSource): unknown {
  try {
    return parse(text);
  } catch (error) {
    const message = `not valid YAML: ${(error as Error).message.split('\n')[0]}`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  }
}

/** Returns the path of the configuration: the command's option, or else the name in the file of cases. */
export const configOf = (file: string, named: string, option: string | undefined): string =>
  option ?? resolve(dirname(file), named);

/**
 * Returns the fault of the decision about a case. Undefined: the decision is as expected. @param by name of the rule or guard
 * that decided
 */
export function mismatchOf(
  { expect, by: wanted }: { readonly expect: string; readonly by: string | undefined },
  outcome: string,
  by: readonly string[],
  kind: string,
): string | undefined {
  if (outcome === expect && (wanted === undefined || by.includes(wanted))) return undefined;
  const expected = wanted === undefined ? expect : `${expect} by ${wanted}`;
  return `expected ${expected}, and it was ${outcome}${by.length === 0 ? `, by no ${kind}` : ` by ${by.join(', ')}`}`;
}

/**
 * Prints a line for each case. Rejects with CommandFailed if a case has failed.
 *
 * @param failureOf returns the fault of a case; undefined: there is none
 */
export async function runCases<T extends { readonly name: string }>(
  cases: readonly T[],
  failureOf: (one: T) => string | undefined | Promise<string | undefined>,
  output: Pick<CommandOutput, 'print'>,
): Promise<void> {
  let failed = 0;
  for (const one of cases) {
    const failure = await failureOf(one);
    if (failure !== undefined) failed += 1;
    output.print(failure === undefined ? `ok    ${one.name}\n` : `FAIL  ${one.name}: ${failure}\n`);
  }
  const total = `${cases.length} case${cases.length === 1 ? '' : 's'}`;
  if (failed > 0) throw new CommandFailed(`${failed} of ${total} failed`);
  output.print(`${total} passed\n`);
}
