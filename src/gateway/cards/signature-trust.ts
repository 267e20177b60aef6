import { allDialects } from '../../client/dialects.ts';
import { type CardTrust, createCardTrust } from '../../client/verify-card.ts';
import type { TrustConfig } from '../../config/sections/cards.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { createAudit } from '../../core/telemetry/audit.ts';

/** The keys that must have signed an agent's card. A card without their signature is audited. */
export function createTrust(
  { trust }: { readonly trust?: TrustConfig | undefined },
  { name, logger }: { readonly name: string; readonly logger: Logger },
): CardTrust | undefined {
  if (!trust) return undefined;
  const audit = createAudit(logger);
  return createCardTrust({
    keys: trust.jwks,
    required: trust.required,
    dialects: allDialects(),
    onRefused: (reason) => audit({ event: 'card.signature.refused', agent: name, reason }),
  });
}
