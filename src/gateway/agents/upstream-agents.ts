import { createUpstreamAgent, type UpstreamOptions } from '../../agents/upstream/index.ts';
import { allDialects } from '../../client/dialects.ts';
import { recognizeCard } from '../../client/recognize-card.ts';
import { type CardTrust, createCardTrust } from '../../client/verify-card.ts';
import type { TrustConfig } from '../../config/sections/cards.ts';
import type { ReviewedCard, UpstreamConfig } from '../../config/sections/upstream.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { createAudit } from '../../core/telemetry/audit.ts';
import { readOverride } from '../../dialects/kernel/card-override.ts';
import { clientTls } from '../../net/client-tls.ts';

type Deps = Omit<UpstreamOptions, keyof UpstreamConfig | 'tls'>;

/** Creates an upstream agent. A file of its own, so that a gateway without upstream agents does not load it. */
export async function createUpstream(config: UpstreamConfig, deps: Deps): Promise<Agent> {
  const { reviewed, card, extensions, url, ...settings } = config;
  const trust = reviewed ? reviewOf(reviewed) : settings.trust && trustOf(settings.trust, deps);
  const kept = reviewed && { card: cardOf(reviewed, String(url)) };
  const options = {
    ...settings,
    ...deps,
    tls: await clientTls(config.auth),
    trust,
    reviewed: kept,
    ...(card && { override: readOverride(card).override }),
    enforcesExtensions: extensions?.enforce ?? true,
  };
  if (typeof url === 'string') return createUpstreamAgent({ ...options, url });
  return (await import('../../agents/upstream/copies.ts')).createCopies({ ...options, urls: url });
}

/** A trust that passes on the approved card instead of the agent's current one. */
const reviewOf = ({ review }: ReviewedCard): CardTrust => ({
  required: false,
  verifies: false,
  judge: async (document) => review(document),
});

/** The approved card in v1. Undefined if no dialect can read it. */
function cardOf({ card }: ReviewedCard, url: string): AgentCard | undefined {
  try {
    return recognizeCard(card(), allDialects(), new URL(url)).card;
  } catch {
    return undefined;
  }
}

/** The keys that must have signed an agent's card. A card without a signature of one of them is audited. */
function trustOf({ jwks, required }: TrustConfig, { name, logger }: Deps): CardTrust {
  const audit = createAudit(logger);
  const onRefused = (reason: string): void => audit({ event: 'card.signature.refused', agent: name, reason });
  return createCardTrust({ keys: jwks, required, dialects: allDialects(), onRefused });
}
