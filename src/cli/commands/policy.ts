import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../config/index.ts';
import { missingPackages } from '../../config/packages.ts';
import { placeOf } from '../../config/parse.ts';
import { fileText } from '../../net/read-file.ts';
import { CommandFailed, UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * `a2a-gateway policy test`: decides each case of a file by the policies of a configuration, and fails where one is decided
 * otherwise. Nothing else of the configuration is read, so that its secrets are not needed.
 */
export async function policyTest(file: string, options: { readonly config?: string }, output: Output): Promise<void> {
  const missing = missingPackages('cel');
  if (missing !== undefined) throw new UsageError(`policy test ${missing}`);
  const { failureOf, readCases, readPolicies } = await import('../../extensions/policies/cases.ts');
  const { config, cases } = await read(file, readCases);
  const policies = await read(options.config ?? resolve(dirname(file), config), readPolicies);
  let failed = 0;
  for (const one of cases) {
    const failure = failureOf(one, policies);
    if (failure !== undefined) failed += 1;
    output.print(failure === undefined ? `ok    ${one.name}\n` : `FAIL  ${one.name}: ${failure}\n`);
  }
  const total = `${cases.length} case${cases.length === 1 ? '' : 's'}`;
  if (failed > 0) throw new CommandFailed(`${failed} of ${total} failed`);
  output.print(`${total} passed\n`);
}

/** Reads a YAML file. Rejects with a ConfigError that names every problem with its place. */
async function read<T>(
  file: string,
  of: (
    content: unknown,
  ) => { readonly value: T; readonly problems?: undefined } | { readonly problems: readonly Problem[] },
): Promise<T> {
  const text = await fileText(file).catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  });
  const result = of(contentOf(file, text));
  if (!result.problems) return result.value;
  const main = { file, text };
  throw new ConfigError(
    result.problems.map(({ path, message }) => ({
      where: placeOf({ main, agentFiles: [] }, path),
      path: path.join('.'),
      message,
    })),
  );
}

function contentOf(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const message = `not valid YAML: ${(error as Error).message.split('\n')[0]}`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  }
}
