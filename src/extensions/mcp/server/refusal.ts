import type { IncomingMessage } from 'node:http';
import { originSet, pageDoubt } from '../../../auth/anonymous.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { Meters } from '../../../core/telemetry/meters.ts';
import type { RefusedExchange } from '../../../transports/http/exchange.ts';
import { errorHeaders, send } from '../../../transports/http/headers.ts';
import { RequestFacts } from '../../../transports/http/request-facts.ts';
import { type RpcId, rpcError } from '../../../wire/jsonrpc.ts';

export interface RefusalOptions {
  readonly meters: Meters;
  /** Origins of the web pages that may call the endpoint. */
  readonly origins: readonly string[];
  /**
   * Returns the URL that describes how to obtain credentials for the endpoint below a base path. Undefined if there is
   * none.
   */
  readonly resourceMetadata: (req: IncomingMessage, base: string) => string | undefined;
}

/** Answers a request to MCP whose caller was refused or whose agent is unknown. */
export function refuse(refused: RefusedExchange, error: A2AError, options: RefusalOptions): void {
  const metadata = options.resourceMetadata(refused.req, refused.base);
  const shown = isForeignPage(refused, error, options) ? new A2AError('permissionDenied', error.message) : error;
  options.meters.refused('mcp', shown, refused);
  sendError(refused, shown, null, challengeOf(shown, metadata));
}

/**
 * Whether the request comes from a page of a foreign origin. It gets 403 (MCP 2025-11-25, transports) instead of a
 * request for credentials.
 */
function isForeignPage({ req }: RefusedExchange, { kind }: A2AError, { origins }: RefusalOptions): boolean {
  const trusted = originSet(origins);
  const hasCredentials = req.headers.authorization !== undefined || req.headers['x-api-key'] !== undefined;
  if (kind !== 'unauthenticated' || hasCredentials || trusted.has('*')) return false;
  return pageDoubt(new RequestFacts(req), trusted) !== undefined;
}

/** Answers a request with a JSON-RPC error. */
export function sendError(
  { res, requestId }: RefusedExchange,
  error: A2AError,
  id: RpcId,
  challenge = error.challenge,
): void {
  const { jsonrpc: code, http } = error.row;
  const headers = ['X-Request-Id', requestId, ...errorHeaders(error, challenge)];
  send(res, http, headers, 'application/json', rpcError(id, { code, message: error.message, data: error.details() }));
}

/** Returns the challenge with the URL that describes how to obtain tokens, for MCP clients (RFC 9728 section 5.1). */
export const challengeOf = ({ challenge = 'Bearer realm="a2a-gateway"' }: A2AError, url: string | undefined): string =>
  url === undefined
    ? challenge
    : challenge.replace(/^Bearer realm="[^"]*"/, (scheme) => `${scheme}, resource_metadata="${url}"`);
