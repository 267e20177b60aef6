import type { AuthSettings } from './settings.ts';

/** What `WWW-Authenticate` says (RFC 9110 section 11.6.1; RFC 6750 section 3 for Bearer). */

/**
 * The schemes that are configured, in one line.
 *
 * @param refused whether a bearer token was shown that is no good
 */
export function challengeOf(
  { apiKeys, apiKeyHeader, jwt, tokenEndpoint, mtls }: AuthSettings,
  refused: boolean,
): string {
  const bearer = jwt !== undefined || tokenEndpoint !== undefined;
  const challenges = [
    ...(bearer ? [`Bearer realm="a2a-gateway"${refused ? ', error="invalid_token"' : ''}`] : []),
    ...(apiKeys.length > 0 ? [`ApiKey realm="a2a-gateway", header="${apiKeyHeader}"`] : []),
    ...(mtls ? ['Certificate realm="a2a-gateway"'] : []),
  ];
  // There must be one, and callers of a gateway that knows no credentials can do nothing with any.
  return challenges.join(', ') || 'Bearer realm="a2a-gateway"';
}
