import { notificationsFault } from '../stores/index.ts';
import { absolute, below, type ReportProblem, type ResolveContext } from './context.ts';
import { checkModuleSections } from './module-sections.ts';
import { checkPackages } from './packages.ts';
import type { ConfigInput } from './schema.ts';
import { resolveAgents, resolveHosts } from './sections/agents.ts';
import { resolveAuth } from './sections/auth.ts';
import { resolveCards } from './sections/cards.ts';
import { checkSignIn } from './sections/console.ts';
import { resolveLimits } from './sections/limits.ts';
import { resolveListen } from './sections/listen.ts';
import { checkPreviews } from './sections/preview.ts';
import { resolveStore, resolveWorkers } from './sections/store.ts';
import { resolveTracing } from './sections/tracing.ts';
import type { Config, ConfigOverrides } from './types.ts';

interface ConfigOrigin extends Pick<ResolveContext, 'env'> {
  /** Absolute path of the file. Undefined without a file. */
  readonly file: string | undefined;
  /** The folder for relative paths in the file. */
  readonly folder: string;
  /** The folder for relative paths in flags. */
  readonly cwd: string;
}

/** Resolves paths and values that depend on several sections, and reports inconsistent values. */
export function resolveConfig(
  input: ConfigInput,
  overrides: ConfigOverrides,
  { file, folder, cwd, env }: ConfigOrigin,
  report: ReportProblem,
): Config {
  const cx = { locate: (path: string) => absolute(folder, path), env, report };
  const listen = resolveListen(input.listen, overrides, below(cx, 'listen'));
  const auth = resolveAuth(input.auth, listen, below(cx, 'auth'));
  const agents = resolveAgents(input, auth, below(cx, 'agents'));
  checkModuleSections(input, auth, cx);
  checkPreviews(input.preview, agents, report);
  checkSignIn(input.console, auth.jwt, report);
  checkPackages(input, report);
  if (input.fullText && typeof input.console === 'object' && !input.console.content)
    report(
      ['fullText'],
      'the index would store what console.content: false keeps out of lists; leave out one of the two',
    );
  const names = [...agents.keys()];
  const { defaultAgent = names.length === 1 ? names[0] : undefined } = input;
  if (defaultAgent !== undefined && !agents.has(defaultAgent)) {
    report(['defaultAgent'], `there is no agent "${defaultAgent}"; expected one of ${names.join(', ')}`);
  }
  const store = overrides.store === undefined ? resolveStore(folder, input.store) : resolveStore(cwd, overrides.store);
  const fault = notificationsFault(input.notifications, store);
  if (fault !== undefined) report(['notifications'], fault);
  const { workers = 'workers' in input ? input.workers : 1 } = overrides;
  return {
    ...input,
    file,
    listen,
    store,
    workers: resolveWorkers(workers, store, report),
    watch: 'watch' in input && input.watch,
    auth,
    limits: resolveLimits(input.limits, listen, below(cx, 'limits').report),
    tracing: resolveTracing(input.tracing, env),
    console: input.console ?? input.pages !== false,
    cards: resolveCards(input.cards, cx),
    defaultAgent,
    agents,
    hosts: resolveHosts(input.agents, below(cx, 'agents').report),
  };
}
