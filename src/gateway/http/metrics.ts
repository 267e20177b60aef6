import { isLocal } from '../../auth/anonymous.ts';
import { challengeOf } from '../../auth/schemes.ts';
import { hasProxy } from '../../config/sections/listen.ts';
import { A2AError } from '../../core/model/errors.ts';
import { hasScope } from '../../core/model/principal.ts';
import type { MetricInputs, Metrics } from '../../metrics/metrics.ts';
import { formatFor } from '../../metrics/text.ts';
import type { MetricsPageOptions } from '../../transports/pages/metrics.ts';
import type { ConfigSnapshot } from '../reload/active-config.ts';

/**
 * Who may read the metrics: callers on this machine where callers are admitted without credentials, and principals with the scope `metrics`. With a public URL a proxy on
 * this machine may stand in front of the gateway, so that no caller counts as local.
 */
export function admitReader({ config: { listen, auth }, access }: ConfigSnapshot): MetricsPageOptions['admit'] {
  return async (caller) => {
    if (auth.anonymous !== 'none' && !hasProxy(listen) && isLocal(caller)) return;
    const principal = await access.authenticate(caller);
    if (hasScope(principal, 'metrics')) return;
    if (!principal.anonymous) throw new A2AError('permissionDenied', 'The caller lacks the scope metrics');
    throw new A2AError('unauthenticated', 'Metrics need the scope metrics', { challenge: challengeOf(auth, false) });
  };
}

/** Writes the metrics in the format that the reader accepts. */
export const metricsReader =
  (metrics: Metrics, inputs: MetricInputs): MetricsPageOptions['read'] =>
  async (accept) => {
    const { mediaType, write } = formatFor(accept);
    return { mediaType, text: write(await metrics.families(inputs)) };
  };
