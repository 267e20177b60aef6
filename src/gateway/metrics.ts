import { isLocal } from '../auth/anonymous.ts';
import { challengeOf } from '../auth/challenge.ts';
import { type Config, isLoopbackHost } from '../config/config.ts';
import type { Authenticate } from '../core/admission.ts';
import { A2AError } from '../core/errors.ts';
import { hasScope } from '../core/permissions.ts';
import type { Metrics, Standing } from '../metrics/metrics.ts';
import { formatFor } from '../metrics/text.ts';
import type { MetricsPageOptions } from '../transports/http/metrics-page.ts';

/** What the metrics are served with. */
export interface MetricsAccess {
  readonly config: Pick<Config, 'auth' | 'listen'>;
  readonly authenticate: Authenticate;
}

/**
 * Who may read the metrics: callers on this machine, and principals with the scope `metrics`. Where a public URL leads
 * here, a proxy on this machine may stand in front of the gateway without saying so: then nobody is local.
 */
export function admitReader({ config, authenticate }: MetricsAccess): MetricsPageOptions['admit'] {
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

/** The text of the metrics as the reader wants it. */
export const metricsText =
  (metrics: Metrics, standing: Standing): MetricsPageOptions['read'] =>
  async (accept) => {
    const { mediaType, write } = formatFor(accept);
    return { mediaType, text: write(await metrics.families(standing)) };
  };
