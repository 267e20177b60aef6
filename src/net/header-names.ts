import type { AgentCard } from '../core/model/a2a.ts';

/** Headers of HTTP, of the content and of A2A, which cannot carry credentials. */
const reserved: ReadonlySet<string> = new Set(
  [
    'accept accept-encoding connection content-encoding content-length content-type expect host idempotency-key keep-alive',
    'last-event-id te traceparent tracestate trailer transfer-encoding upgrade x-request-id',
  ].flatMap((names) => names.split(' ')),
);

/** Whether a header of this name, in any case, may carry a credential. */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return /^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(lower) && !reserved.has(lower) && !/^(?:a2a-|x-a2a-|grpc-|:)/.test(lower);
}

/** Names of the headers, in lower case, for the API keys of a card's usable schemes. */
export const apiKeyHeaders = (card: {
  readonly securitySchemes?: AgentCard['securitySchemes'] | undefined;
}): string[] =>
  Object.values(card.securitySchemes ?? {}).flatMap(({ apiKeySecurityScheme: scheme }) =>
    scheme?.location === 'header' && isSettableHeader(scheme.name) ? [scheme.name.toLowerCase()] : [],
  );

/** Name of the header, in lower case, for API keys: the header of the card's first usable scheme, else `x-api-key`. */
export const apiKeyHeader = (card: Pick<AgentCard, 'securitySchemes'> | undefined): string =>
  apiKeyHeaders(card ?? {})[0] ?? 'x-api-key';
