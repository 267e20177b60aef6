import type { AgentCard, SecurityScheme } from '../../core/model/a2a.ts';
import type { AgentAuthentication } from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';

/**
 * Ways to authenticate. A2A 0.1 has a list of names ("intended to match OpenAPI"), any one of which suffices; v1 has
 * schemes and requirements.
 */

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

const http = (scheme: string): SecurityScheme => ({ httpAuthSecurityScheme: { scheme } });

/** Names with a meaning other than the HTTP authentication scheme of that name, in lower case. */
const named: Readonly<Record<string, SecurityScheme>> = {
  bearer: http('Bearer'),
  basic: http('Basic'),
  digest: http('Digest'),
  apikey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
  // The card does not say where the token comes from; the request carries it as a bearer token.
  oauth2: http('Bearer'),
  openidconnect: http('Bearer'),
  jwt: http('Bearer'),
};

/** Names in real cards of agents that need no authentication. */
const open: ReadonlySet<string> = new Set(['none', 'public', 'anonymous']);

/** Returns the scheme that a name denotes; undefined for other names. */
function schemeOf(name: string): SecurityScheme | undefined {
  const known = name.toLowerCase();
  if (name === '' || name === '__proto__' || open.has(known)) return undefined;
  return Object.hasOwn(named, known) ? named[known] : http(name);
}

/** Returns the names that denote schemes, each once. */
const namesIn = ({ schemes }: AgentAuthentication): string[] =>
  [...new Set(schemes)].filter((name) => schemeOf(name) !== undefined);

/** Whether v1's schemes and requirements express all of it. */
export function isComplete(authentication: AgentAuthentication): boolean {
  const { schemes, credentials } = authentication;
  return schemes.length > 0 && namesIn(authentication).length === schemes.length && !credentials;
}

/** Returns one requirement for each way, in their order. */
export function decodeAuth(authentication: AgentAuthentication): Security {
  const names = namesIn(authentication);
  if (names.length === 0) return {};
  return {
    securitySchemes: Object.fromEntries(names.map((name) => [name, schemeOf(name) as SecurityScheme])),
    securityRequirements: names.map((name) => ({ schemes: { [name]: {} } })),
  };
}

function nameOf(key: string, scheme: SecurityScheme): string {
  // The former name is used if it still denotes this scheme.
  if (JSON.stringify(schemeOf(key)) === JSON.stringify(scheme)) return key;
  const { apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme } = scheme;
  if (httpAuthSecurityScheme) return httpAuthSecurityScheme.scheme;
  if (apiKeySecurityScheme) return 'apiKey';
  if (oauth2SecurityScheme) return 'OAuth2';
  return openIdConnectSecurityScheme ? 'openIdConnect' : 'mutualTLS';
}

/** The inverse of `decodeAuth`: returns the names of the requirements, each once; undefined if nothing is required. */
export function encodeAuth(
  { securitySchemes = {}, securityRequirements = [] }: Security,
  cx: CodecContext,
): AgentAuthentication | undefined {
  if (Object.keys(securitySchemes).length > 0) cx.losses.add('securitySchemes');
  if (securityRequirements.length > 0) cx.losses.add('securityRequirements');
  const required = securityRequirements.flatMap(({ schemes = {} }) => Object.keys(schemes));
  const schemes = required.flatMap((key) => {
    const scheme = Object.hasOwn(securitySchemes, key) ? securitySchemes[key] : undefined;
    return scheme ? [nameOf(key, scheme)] : [];
  });
  const names = [...new Set(schemes)].filter((name) => name !== '');
  return names.length === 0 ? undefined : { schemes: names };
}
