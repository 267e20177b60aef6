import {
  type AnonymousAccess,
  type AuthSettings,
  type CertificateSettings,
  type GrantSettings,
  hasCredentialMethods,
  jwtAlgorithms,
  type MtlsSettings,
} from '../../auth/settings.ts';
import { ownIssuer } from '../../auth/tokens.ts';
import type { ReportProblem } from '../resolve.ts';
import type { ListenConfig } from '../types.ts';
import type { AuthInput } from './auth-schema.ts';

/** What `auth` means where it says nothing. Milliseconds. */
const defaults = {
  clockTolerance: 5_000,
  lifetime: 3_600_000,
  failuresPerMinute: 20,
  apiKeyHeader: 'X-Api-Key',
} as const;

/** Where OAuth puts scopes (RFC 8693 section 4.2), and where two big providers do. */
const scopeClaims = ['scope', 'scp'];

/** Fills in defaults, and reports ways in that cannot work, or that would let in whoever comes. */
export function resolveAuth(
  input: AuthInput,
  { host, publicUrl, tls }: Pick<ListenConfig, 'host' | 'publicUrl' | 'tls'>,
  loopback: boolean,
  report: ReportProblem,
): AuthSettings {
  const { jwt, tokenEndpoint, apiKeys = [] } = input;
  reportRepeated(apiKeys, ['apiKeys'], report);
  reportRepeated(tokenEndpoint?.clients ?? [], ['tokenEndpoint', 'clients'], report);
  if (jwt?.issuer.startsWith(ownIssuer)) {
    report(['auth', 'jwt', 'issuer'], `issuers that begin with ${ownIssuer} are gateways themselves`);
  }
  const hasOthers = apiKeys.length > 0 || jwt !== undefined || tokenEndpoint !== undefined;
  const auth: AuthSettings = {
    anonymous: anonymousAccess(input.anonymous, loopback && publicUrl === undefined),
    apiKeys: apiKeys.map(({ name, hash, ...grant }) => ({ name, hash, ...grantOf(grant) })),
    apiKeyHeader: input.apiKeyHeader ?? defaults.apiKeyHeader,
    jwt: jwt && {
      issuer: jwt.issuer,
      audience: jwt.audience,
      jwksUrl: jwt.jwksUrl,
      algorithms: jwt.algorithms ?? jwtAlgorithms,
      typ: jwt.typ,
      clockTolerance: jwt.clockTolerance ?? defaults.clockTolerance,
      scopeClaims: jwt.scopeClaim === undefined ? scopeClaims : [jwt.scopeClaim],
      ...grantOf(jwt),
    },
    tokenEndpoint: tokenEndpoint && {
      clients: tokenEndpoint.clients.map(({ id, hash, ...grant }) => ({ id, hash, ...grantOf(grant) })),
      lifetime: tokenEndpoint.lifetime ?? defaults.lifetime,
    },
    mtls: resolveMtls(input.mtls, tls?.clientCa !== undefined, hasOthers, report),
    publicCards: false,
    failuresPerMinute: input.failuresPerMinute ?? defaults.failuresPerMinute,
  };
  const guarded = hasCredentialMethods(auth);
  if (!loopback && input.anonymous !== true && !guarded) {
    report(
      ['auth', 'anonymous'],
      `listening on ${host} without authentication would let anyone in who reaches it; listen on localhost, or write anonymous: true to allow just that`,
    );
  }
  return { ...auth, publicCards: input.publicCards ?? guarded };
}

const grantOf = ({
  agents,
  scopes,
}: {
  agents?: string[] | undefined;
  scopes?: string[] | undefined;
}): GrantSettings => ({
  agents,
  scopes,
});

/** `written` is the switch in the file; `local`, whether the listener serves this machine under no public name. */
function anonymousAccess(written: boolean | undefined, local: boolean): AnonymousAccess {
  if (written === false) return 'nobody';
  if (local) return 'local';
  return written === true ? 'anyone' : 'nobody';
}

/** Nobody could tell two callers apart who have one secret. */
function reportRepeated(
  entries: readonly { readonly hash: string }[],
  path: readonly string[],
  report: ReportProblem,
): void {
  const first = new Map<string, number>();
  for (const [index, { hash }] of entries.entries()) {
    const earlier = first.get(hash);
    if (earlier === undefined) first.set(hash, index);
    else report(['auth', ...path, String(index), 'hash'], `the same as that of ${path.join('.')}.${earlier}`);
  }
}

/** Every certificate of the listener's authorities is let in where nothing says which. */
function resolveMtls(
  input: AuthInput['mtls'],
  hasCa: boolean,
  hasOthers: boolean,
  report: ReportProblem,
): MtlsSettings | undefined {
  if (!hasCa) {
    if (input) report(['auth', 'mtls'], 'needs listen.tls.clientCa: the authorities that certificates are of');
    return undefined;
  }
  const clients = (input?.clients ?? []).map((client, index): CertificateSettings => {
    const { name, commonName, altName, fingerprint } = client;
    if (commonName === undefined && altName === undefined && fingerprint === undefined) {
      report(['auth', 'mtls', 'clients', String(index)], 'needs commonName, altName or fingerprint');
    }
    return { name, commonName, altName, fingerprint, ...grantOf(client) };
  });
  return {
    clients,
    others: input?.others ?? (input?.clients === undefined ? 'accept' : 'refuse'),
    required: input?.required ?? !hasOthers,
  };
}
