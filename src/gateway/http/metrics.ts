import { isLocal } from '../../auth/anonymous.ts';
import { challengeOf } from '../../auth/schemes.ts';
import { isLoopbackHost } from '../../config/addresses.ts';
import type { Config } from '../../config/types.ts';
import { A2AError } from '../../core/model/errors.ts';
import { hasScope } from '../../core/model/principal.ts';
import type { Service } from '../../core/operations/service.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { MetricInputs, Metrics } from '../../metrics/metrics.ts';
import { formatFor } from '../../metrics/text.ts';
import type { Deliverer } from '../../push/index.ts';
import type { MetricsPageOptions } from '../../transports/pages/metrics.ts';
import { healthOf } from '../compose/agents.ts';
import type { ConfigSnapshot } from '../reload/active-config.ts';

/**
 * Who may read the metrics: callers on this machine, and principals with the scope `metrics`. With a public URL a proxy on
 * this machine may stand in front of the gateway, so that no caller counts as local.
 */
export function admitReader({ config: { listen, auth }, access }: ConfigSnapshot): MetricsPageOptions['admit'] {
  return async (caller) => {
    if (!hasProxy(listen) && isLocal(caller)) return;
    const principal = await access.authenticate(caller);
    if (hasScope(principal, 'metrics')) return;
    if (!principal.anonymous) throw new A2AError('permissionDenied', 'The caller lacks the scope metrics');
    throw new A2AError('unauthenticated', 'Metrics need the scope metrics', { challenge: challengeOf(auth, false) });
  };
}

const hasProxy = ({ publicUrl }: Config['listen']): boolean =>
  publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);

/** Where the metrics get their gauges. */
export interface MetricSources {
  readonly service: Pick<Service, 'live'>;
  readonly agents: AgentDirectory;
  readonly push: Pick<Deliverer, 'stats'>;
  readonly store: MetricInputs['store'];
}

/** Writes the metrics in the format that the reader accepts. */
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
