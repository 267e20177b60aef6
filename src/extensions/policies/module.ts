import type { Config } from '../../config/types.ts';
import { requireNoProblem } from '../conditions/report.ts';
import type { Module } from '../module.ts';
import type { ConfigureDeps, ConfiguredPart } from '../part.ts';
import { DecisionCounts } from './counts.ts';
import type { Policy } from './policies.ts';

/** Refuses calls, or asks people about them, by policies in CEL. */
export const policies: Module = {
  name: 'policies',
  async check(config) {
    if (config.policies.length > 0) await compile(config);
  },
  open() {
    const counts = new DecisionCounts();
    return {
      configure: (config, deps) => configure(config, { ...deps, counts }),
      families: () => [counts.family()],
    };
  },
};

async function configure(
  config: Config,
  deps: ConfigureDeps & { readonly counts: DecisionCounts },
): Promise<ConfiguredPart | undefined> {
  if (config.policies.length === 0) return undefined;
  const compiled = await compile(config);
  const { Policies } = await import('./policies.ts');
  const set = new Policies(compiled, deps);
  return {
    interceptors: [
      {
        name: 'policies',
        // After authorization, so that only authorized callers learn whether a policy refuses a call.
        at: 'authorized',
        // Calls of the admin service depend on scopes alone, so that no policy locks operators out.
        applies: (_, isOfGateway) => !isOfGateway,
        intercept: set.intercept,
      },
    ],
    review: (stream) => set.review(stream),
    refusalFor: (...asked) => set.refusalFor(...asked),
    webhookRefusal: (owner) => set.webhookRefusal(owner),
  };
}

/** Compiles the policies of a configuration. Rejects with a ConfigError that names every fault in their conditions. */
async function compile(config: Config): Promise<Policy[]> {
  const { compilePolicies } = await import('./policies.ts');
  const { policies: compiled, problems } = compilePolicies(config.policies);
  await requireNoProblem(config, problems);
  return compiled;
}
