import { createUpstreamAgent, type UpstreamOptions } from '../../agents/upstream/index.ts';
import { allDialects } from '../../client/dialects.ts';
import { type CardTrust, createCardTrust } from '../../client/verify-card.ts';
import type { TrustConfig } from '../../config/sections/cards.ts';
import type { UpstreamConfig } from '../../config/sections/upstream.ts';
import type { Agent } from '../../core/model/agent.ts';
import { createAudit } from '../../core/telemetry/audit.ts';
import { clientTls } from '../../net/client-tls.ts';

type Deps = Omit<UpstreamOptions, keyof UpstreamConfig | 'tls'>;

/** Creates an upstream agent. In a file of its own, which a gateway without one does not load. */
export async function createUpstream(config: UpstreamConfig, deps: Deps): Promise<Agent> {
  const trust = config.trust && trustOf(config.trust, deps);
  const options = { ...config, ...deps, tls: await clientTls(config.auth), trust };
  if (!config.copies && !config.eachAddress) return createUpstreamAgent(options);
  return (await import('../../agents/upstream/copies.ts')).createCopies(options);
}

/** The keys that must have signed an agent's card. A card without their signature is audited. */
function trustOf({ jwks, required }: TrustConfig, { name, logger }: Deps): CardTrust {
  const audit = createAudit(logger);
  const onRefused = (reason: string): void => audit({ event: 'card.signature.refused', agent: name, reason });
  return createCardTrust({ keys: jwks, required, dialects: allDialects(), onRefused });
}
