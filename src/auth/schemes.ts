import type { AgentCard } from '../core/model/a2a.ts';
import type { AuthHooks } from './hooks/hooks.ts';
import type { AuthSettings } from './settings.ts';

/** The authentication part of a card. */
export type CardSecurity = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

/** Descriptions of scopes in cards. */
const scopeTexts: Readonly<Record<string, string>> = {
  tasks: 'Send messages, and work with tasks',
  'tasks:read': 'Look at tasks',
};

/**
 * Returns the configured schemes, of which a caller needs one. Without any scheme, both properties are absent. If
 * anonymous callers are accepted too, the requirements include an empty one.
 *
 * @param tokenUrl URL of the gateway's token endpoint
 * @param hooks the program's own hooks, whose schemes come first
 */
export function cardSecurity(settings: AuthSettings, tokenUrl: string, hooks: AuthHooks = {}): CardSecurity {
  const { apiKeys, apiKeyHeader, jwt, tokenEndpoint, mtls, anonymous } = settings;
  const builtIn: NonNullable<AgentCard['securitySchemes']> = {
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
  const schemes = { ...builtIn, ...hooks.securitySchemes };
  if (Object.keys(schemes).length === 0) return {};
  // No scopes are listed: clients would request all of them, and not every client has them all.
  const each = (of: object) => Object.keys(of).map((name) => ({ schemes: { [name]: {} } }));
  const own = hooks.securityRequirements ?? each(hooks.securitySchemes ?? {});
  const securityRequirements = [...own, ...each(builtIn)];
  return {
    securitySchemes: schemes,
    securityRequirements: anonymous === 'none' ? securityRequirements : [...securityRequirements, {}],
  };
}

/**
 * Returns the value of `WWW-Authenticate` for the configured schemes (RFC 9110 section 11.6.1; RFC 6750 section 3 for
 * Bearer, with the scopes that clients request from the identity provider).
 *
 * @param refused whether the caller sent an invalid bearer token
 */
export function challengeOf(
  { apiKeys, apiKeyHeader, jwt, tokenEndpoint, mtls }: AuthSettings,
  refused: boolean,
): string {
  const bearer = jwt !== undefined || tokenEndpoint !== undefined;
  const scope = jwt?.clientScopes?.length ? `, scope="${jwt.clientScopes.join(' ')}"` : '';
  const challenges = [
    ...(bearer ? [`Bearer realm="a2a-gateway"${refused ? ', error="invalid_token"' : ''}${scope}`] : []),
    ...(apiKeys.length > 0 ? [`ApiKey realm="a2a-gateway", header="${apiKeyHeader}"`] : []),
    ...(mtls ? ['Certificate realm="a2a-gateway"'] : []),
  ];
  // The header must name a scheme even if none is configured.
  return challenges.join(', ') || 'Bearer realm="a2a-gateway"';
}
