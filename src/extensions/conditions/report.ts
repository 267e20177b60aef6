import { positionOf } from '../../config/error-path.ts';
import { ConfigError } from '../../config/report.ts';
import type { Config } from '../../config/types.ts';
import type { ConditionProblem } from './conditions.ts';

/**
 * Rejects with a ConfigError that names every fault in the conditions of a configuration, with its place. Resolves if there is
 * none.
 */
export async function requireNoProblem(
  { file }: Pick<Config, 'file'>,
  problems: readonly ConditionProblem[],
): Promise<void> {
  if (problems.length === 0) return;
  const report = problems.map(async ({ path, message }) => ({
    where: file === undefined ? undefined : await positionOf(file, path),
    path: path.join('.'),
    message,
  }));
  throw new ConfigError(await Promise.all(report));
}
