import type { AgentCard } from '../core/model/a2a.ts';
import type { AuthSettings } from './settings.ts';

/** What a card says of who gets in. */
export type CardSecurity = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

/** What scopes mean, for those who read cards. */
const scopeTexts: Readonly<Record<string, string>> = {
  tasks: 'Send messages, and work with tasks',
  'tasks:read': 'Look at tasks',
};

/**
 * The schemes that are configured, any one of which will do. Without any there are neither schemes nor requirements;
 * where callers without credentials are served beside them, there is an empty requirement as well.
 *
 * @param tokenUrl where the gateway grants tokens
 */
export function cardSecurity(settings: AuthSettings, tokenUrl: string): CardSecurity {
  const { apiKeys, apiKeyHeader, jwt, tokenEndpoint, mtls, anonymous } = settings;
  const schemes: NonNullable<AgentCard['securitySchemes']> = {
    ...(apiKeys.length > 0 && { apiKey: { apiKeySecurityScheme: { location: 'header', name: apiKeyHeader } } }),
    ...(tokenEndpoint && {
      oauth2: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: { ...scopeTexts } } } } },
    }),
    ...(jwt && {
      bearer: {
        httpAuthSecurityScheme: { description: `Tokens of ${jwt.issuer}`, scheme: 'Bearer', bearerFormat: 'JWT' },
      },
    }),
    ...(mtls && { mtls: { mtlsSecurityScheme: {} } }),
  };
  const names = Object.keys(schemes);
  if (names.length === 0) return {};
  // No scopes are listed, for clients would ask for just these, and not every client has them all.
  const securityRequirements = names.map((name) => ({ schemes: { [name]: {} } }));
  return {
    securitySchemes: schemes,
    securityRequirements: anonymous === 'nobody' ? securityRequirements : [...securityRequirements, {}],
  };
}

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
