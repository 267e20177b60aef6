import type { AgentCard } from '../core/model/a2a.ts';

/** Headers that HTTP, the content or A2A needs for itself, so that no credential can take their place. */
const taken: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'last-event-id',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

/**
 * Whether a name, which a configuration or a card gives, is that of a header which may carry a credential. Its case
 * counts for nothing.
 */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(lower) && !taken.has(lower) && !/^(?:a2a-|x-a2a-|grpc-|:)/.test(lower);
}

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
