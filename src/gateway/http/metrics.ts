import { isLocal } from '../../auth/anonymous.ts';
import { challengeOf } from '../../auth/challenge.ts';
import { type Config, isLoopbackHost } from '../../config/types.ts';
import type { Authenticate } from '../../core/limits/admission.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { hasScope } from '../../core/model/principal.ts';
import type { Service } from '../../core/operations/service.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { Metrics, Standing } from '../../metrics/metrics.ts';
import { formatFor } from '../../metrics/text.ts';
import type { Deliverer } from '../../push/index.ts';
import type { MetricsPageOptions } from '../../transports/pages/metrics.ts';
import { healthOf } from '../compose/agents.ts';

/** What the metrics are served with. */
export interface MetricsAccessOptions {
  readonly config: Pick<Config, 'auth' | 'listen'>;
  readonly authenticate: Authenticate;
}

/**
 * Who may read the metrics: callers on this machine, and principals with the scope `metrics`. Where a public URL leads
 * here, a proxy on this machine may stand in front of the gateway without saying so: then nobody is local.
 */
export function admitReader({ config, authenticate }: MetricsAccessOptions): MetricsPageOptions['admit'] {
  return async (caller) => {
    const { listen, auth } = config;
    if (!hasProxy(listen) && isLocal(caller)) return;
    const principal = await authenticate(caller);
    if (hasScope(principal, 'metrics')) return;
    if (!principal.anonymous) throw new A2AError('permissionDenied', 'This caller lacks the scope metrics');
    throw new A2AError('unauthenticated', 'Metrics are for callers with the scope metrics', {
      challenge: challengeOf(auth, false),
    });
  };
}

/** Whether somebody else may be in front of the gateway. */
function hasProxy({ publicUrl }: Config['listen']): boolean {
  return publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
}

/** What calls can be about. */
export interface MetricLabels {
  readonly agents: AgentDirectory;
  readonly operations: readonly { readonly name: string }[];
  readonly dialects: Dialects;
}

/** Middleware that counts calls; what is none of these is `other`. */
export function countCalls(metrics: Metrics, { agents, operations, dialects }: MetricLabels): (next: Invoke) => Invoke {
  return metrics.calls({
    isAgent: (name) => agents.get(name) !== undefined,
    operations: new Set(operations.map(({ name }) => name)),
    dialects: new Set(dialects.protocols.map(({ name }) => name)),
  });
}

/** What is asked for how things stand. */
export interface MetricSources {
  readonly service: Pick<Service, 'live'>;
  readonly agents: AgentDirectory;
  readonly push: Pick<Deliverer, 'stats'>;
  readonly store: Standing['store'];
}

/** The text of the metrics as its reader wants it. */
export function metricsReader(
  metrics: Metrics,
  { service, agents, push, store }: MetricSources,
): MetricsPageOptions['read'] {
  const standing = { live: () => service.live, agents: () => healthOf(agents), push: () => push.stats(), store };
  return async (accept) => {
    const { mediaType, write } = formatFor(accept);
    return { mediaType, text: write(await metrics.families(standing)) };
  };
}
