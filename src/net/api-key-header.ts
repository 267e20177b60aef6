import type { AgentCard } from '../core/model/a2a.ts';
import { isSettableHeader } from './header-names.ts';

/**
 * Name of the header, in lower case, that a card wants API keys in: that of its first scheme that names one which a key
 * may be put in, else `x-api-key`.
 */
export function apiKeyHeader(card: Pick<AgentCard, 'securitySchemes'> | undefined): string {
  for (const { apiKeySecurityScheme: scheme } of Object.values(card?.securitySchemes ?? {})) {
    if (scheme?.location === 'header' && isSettableHeader(scheme.name)) return scheme.name.toLowerCase();
  }
  return 'x-api-key';
}
