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
