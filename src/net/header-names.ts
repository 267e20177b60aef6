import type { AgentCard } from '../core/model/a2a.ts';

/** Headers of HTTP, its content and A2A, which cannot carry credentials. */
const reserved: ReadonlySet<string> = new Set(
  [
    'accept accept-encoding connection content-encoding content-length content-type expect host idempotency-key keep-alive',
    'last-event-id te traceparent tracestate trailer transfer-encoding upgrade x-request-id',
  ].flatMap((names) => names.split(' ')),
);

/** Whether a header with this case-insensitive name may carry a credential. */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(lower) && !reserved.has(lower) && !/^(?:a2a-|x-a2a-|grpc-|:)/.test(lower);
}

/** Returns the lower-case names of the headers for the API keys of a card's usable schemes. */
export const apiKeyHeaders = (card: {
  readonly securitySchemes?: AgentCard['securitySchemes'] | undefined;
}): string[] =>
  Object.values(card.securitySchemes ?? {}).flatMap(({ apiKeySecurityScheme: scheme }) =>
    scheme?.location === 'header' && isSettableHeader(scheme.name) ? [scheme.name.toLowerCase()] : [],
  );

/**
 * Returns the lower-case name of the header for API keys: the header of the card's first usable scheme, otherwise
 * `x-api-key`.
 */
export const apiKeyHeader = (card: Pick<AgentCard, 'securitySchemes'> | undefined): string =>
  apiKeyHeaders(card ?? {})[0] ?? 'x-api-key';
