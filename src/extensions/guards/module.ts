import type { Config } from '../../config/types.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import type { Family } from '../../metrics/family.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import type { Condition } from '../conditions/conditions.ts';
import { requireNoProblem } from '../conditions/report.ts';
import type { Host } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ConfigureDeps, ConfiguredPart } from '../part.ts';
import { VerdictCounts } from './counts.ts';

/** Asks judges about the parts of callers' messages and of agents' answers. */
export const guards: Module = {
  name: 'guards',
  async check(config) {
    if (config.guards.length > 0) await compile(config);
  },
  open: () => new GuardsModule(),
};

/** The guards of one configuration. */
interface GuardsPart extends ConfiguredPart {
  readonly hook: RunHook;
}

class GuardsModule implements OpenModule<GuardsPart> {
  readonly #counts = new VerdictCounts();
  #http: HttpClient | undefined;

  async configure(config: Config, deps: ConfigureDeps): Promise<GuardsPart | undefined> {
    if (config.guards.length === 0) return undefined;
    const conditions = await compile(config);
    const [{ Guards }, { openGuards }, { isOfAgents, judgesAnswers, PassedOnCalls }, { RunGuards }] = await Promise.all(
      [import('./guards.ts'), import('./judges.ts'), import('./passed-on.ts'), import('./run-guards.ts')],
    );
    this.#http ??= createHttpClient();
    const all = await openGuards(config.guards, conditions, config.file, this.#http);
    const set = new Guards(all, { ...deps, counts: this.#counts });
    const passedOn = new PassedOnCalls(set, (name) => deps.agents.get(name));
    return {
      hook: new RunGuards(set),
      withholdsAnswers: all.some(judgesAnswers),
      interceptors: [
        {
          name: 'guards',
          // Only after all other checks, so that a judge sees no message that the gateway refuses.
          at: 'admitted',
          applies: (operation, isOfGateway) => !isOfGateway && isOfAgents(operation),
          intercept: passedOn.intercept,
        },
        {
          name: 'guards, recordings',
          at: 'traced',
          applies: () => set.all.some(judgesAnswers),
          intercept: passedOn.unobserved,
        },
      ],
    };
  }

  hooks({ active }: Host): RunHook[] {
    const part = active.snapshot.parts.of<GuardsPart>(this);
    return part ? [part.hook] : [];
  }

  families(): Family[] {
    return this.#counts.families();
  }

  async closed(): Promise<void> {
    this.#http?.close();
  }
}

/** Compiles the conditions of guards. Rejects with a ConfigError that names every fault in them. */
async function compile(config: Config): Promise<(Condition | undefined)[]> {
  const { compileWhere } = await import('./guards.ts');
  const { conditions, problems } = compileWhere(config.guards);
  await requireNoProblem(config, problems);
  return conditions;
}
