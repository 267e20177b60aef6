import { positionOf } from '../../config/error-path.ts';
import { ConfigError } from '../../config/report.ts';
import type { Config } from '../../config/types.ts';
import type { Policies, Policy } from '../../extensions/policies/policies.ts';
import type { ConfiguredPart, Extension } from '../compose/extension.ts';

/** Policies in CEL. The step of the pipeline named `policies` is theirs. */
export const policies: Extension = {
  name: 'policies',
  async configure(config, deps): Promise<ConfiguredPart | undefined> {
    if (config.policies.length === 0) return undefined;
    const { store, logger, audit, meters, agents, revalidate, stepsTo } = deps;
    const compiled = await compile(config);
    const { Policies } = await import('../../extensions/policies/policies.ts');
    const set: Policies = new Policies(compiled, {
      store,
      logger,
      audit,
      meters,
      agents,
      revalidate,
      stepsTo,
    });
    return {
      replacedBy: () => [],
      intercept: set.intercept,
      review: (stream) => set.review(stream),
      refusalFor: (...asked) => set.refusalFor(...asked),
      webhookRefusal: (owner) => set.webhookRefusal(owner),
    };
  },
};

/** The policies of a configuration. Rejects with a ConfigError that names everything that is wrong with their conditions. */
export async function compile(config: Config): Promise<Policy[]> {
  const { compilePolicies } = await import('../../extensions/policies/policies.ts');
  const { policies: compiled, problems } = compilePolicies(config.policies);
  if (problems.length === 0) return compiled;
  const { file } = config;
  const report = problems.map(async ({ path, message }) => ({
    where: file === undefined ? undefined : await positionOf(file, path),
    path: path.join('.'),
    message,
  }));
  throw new ConfigError(await Promise.all(report));
}
