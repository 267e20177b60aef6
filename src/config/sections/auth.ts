import * as z from 'zod';
import { readHash, shownHash } from '../../auth/hash.ts';
import type { AuthHooks } from '../../auth/hooks/hooks.ts';
import {
  type AnonymousAccess,
  type AuthSettings,
  type HookSettings,
  hasCredentialMethods,
  jwtAlgorithms,
  type MtlsSettings,
} from '../../auth/settings.ts';
import { ownIssuer } from '../../auth/tokens.ts';
import type { CertificateConfig, ListenConfig } from '../../gen/settings.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ReportProblem, ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import {
  anything,
  count,
  credentialHeader,
  duration,
  flag,
  oneOf,
  scopes,
  section,
  text,
  textAs,
  textThat,
  timeout,
} from '../schema-parts.ts';
import { isLocalOnly } from './listen.ts';
import { moduleSettings } from './module.ts';

const name = textThat('a name of at most 128 characters without control characters', (value) =>
  /^[^\p{Cc}]{1,128}$/u.test(value),
);
const callerName = name.describe('The name of the caller in logs and rules.');

const hash = textAs('a hash that `a2a-gateway keys new` prints, such as "sha256:…"', readHash, shownHash).register(
  schemaFacts,
  { secret: 'whole' },
);

/** The schema of a caller's rights. */
export const grants = section('what a caller may do', () => ({
  agents: z
    .array(text("an agent's name"), anything('a list of names of agents'))
    .optional()
    .describe('Names of the agents that the caller may call. Default: all.'),
  scopes: scopes('a list of scopes such as tasks or tasks:read, each without spaces')
    .optional()
    .describe('Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly.'),
  tenants: z
    .array(text('the name of a tenant'), anything('a list of names of tenants'))
    .optional()
    .describe('Tenants that the caller may name. A caller with one tenant need not name it. Default: any.'),
}))
  .describe('Rights of a caller.')
  .register(schemaFacts, { input: 'GrantFileSettings', output: 'GrantConfig' });

const expectedAudience = 'an audience, or a list of them';
const audience = z
  .union([text(expectedAudience), z.array(text(expectedAudience))], anything(expectedAudience))
  .refine((value) => value.length > 0, anything(expectedAudience));
const audiences = z.codec(audience, z.array(z.string()), {
  decode: (value) => [value].flat(),
  encode: (value) => value,
});

const tolerance = duration('a duration of at most 10m, such as 5s', (ms) => ms <= 600_000);

const fingerprint = textAs('the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without', (value) => {
  const digits = value.replaceAll(':', '').toLowerCase();
  return /^[\da-f]{64}$/.test(digits) ? digits : undefined;
});

const jwt = section('tokens from an identity provider', () => ({
  issuer: text('the issuer of tokens').describe('The issuer of the tokens.'),
  audience: audiences.describe(
    'The audience of this gateway, or a list of audiences of which a token must contain one.',
  ),
  jwksUrl: textThat('an http or https URL without user and fragment', isWebUrl)
    .register(schemaFacts, { secret: 'query' })
    .describe("URL of the provider's public keys."),
  algorithms: z
    .array(oneOf(...jwtAlgorithms), anything('a list of algorithms'))
    .min(1, anything('an algorithm'))
    .prefault([...jwtAlgorithms])
    .describe('Accepted signature algorithms. Default: all of these.'),
  typ: text('the type that tokens must have in their header, such as at+jwt')
    .optional()
    .describe('The type that tokens must have in their header, such as `at+jwt`.'),
  clockTolerance: tolerance.prefault('5s').describe('Accepted difference between clocks.'),
  scopeClaim: text('the name of a claim')
    .optional()
    .describe("The claim that contains a token's scopes. Default: `scope` or `scp`."),
  clientScopes: scopes('a list of scopes, each without spaces')
    .optional()
    .describe(
      'Scopes that clients should request from the provider, announced in `WWW-Authenticate` and the metadata. Default: none.',
    ),
  ...grants.shape,
})).register(schemaFacts, { output: 'JwtConfig' });

/** An alternative name of one kind. Authorities verify each kind by different rules. */
const altName = text('an alternative name with its kind, such as URI:spiffe://example.com/agent').regex(
  /^(?:URI|DNS|email|IP):./,
  'expected an alternative name with its kind: URI:spiffe://example.com/agent, DNS:client.example.com, email:a@example.com or IP:192.0.2.1',
);

const certificate = section('a client certificate', () => ({
  name: callerName,
  commonName: text("the subject's common name").optional().describe("Common name of the certificate's subject."),
  altName: altName
    .optional()
    .describe('An alternative name with its kind: `URI:spiffe://example.com/agent`, `DNS:…`, `email:…` or `IP:…`.'),
  authority: fingerprint
    .optional()
    .describe(
      'SHA-256 of the public key of the authority that issued it. Required if `clientCa` contains several authorities, unless `fingerprint` is given.',
    ),
  fingerprint: fingerprint.optional().describe('SHA-256 of the certificate.'),
  ...grants.shape,
}))
  .describe('A client certificate. All given properties must match.')
  .register(schemaFacts, { output: 'CertificateConfig' });

const apiKey = section('an API key', () => ({
  name: callerName,
  hash: hash.describe('Hash of the key, printed by `a2a-gateway keys new`.'),
  ...grants.shape,
}))
  .describe(
    'An API key. Keys with equal names identify one caller, so that a new key can be added before the old one is removed.',
  )
  .register(schemaFacts, { output: 'ApiKeyConfig' });

const tokenClient = section('a client', () => ({
  id: name.describe("The client's id."),
  hash: hash.describe("Hash of the client's secret, printed by `a2a-gateway keys new`."),
  ...grants.shape,
}))
  .describe(
    'A client of the token endpoint. Entries with equal ids identify one client, so that its secret can be rotated.',
  )
  .register(schemaFacts, { output: 'TokenClientConfig' });

const settings = () => ({
  anonymous: flag
    .optional()
    .describe(
      'Whether callers without credentials are admitted. Default: callers on this machine are, if only this machine can reach the gateway.',
    ),
  apiKeys: z.array(apiKey, anything('a list of API keys')).prefault([]).describe('Callers with an API key.'),
  apiKeyHeader: credentialHeader('authorization').prefault('X-Api-Key').describe('The header for API keys.'),
  jwt: jwt.optional().describe('Tokens from an identity provider.'),
  tokenEndpoint: section('the token endpoint', () => ({
    clients: z.array(tokenClient, anything('a list of clients')).describe('The clients that may request tokens.'),
    lifetime: timeout.prefault('1h').describe('Time for which a token is valid.'),
  }))
    .register(schemaFacts, { output: 'TokenEndpointConfig' })
    .optional()
    .describe('The built-in token endpoint, for the client-credentials grant.'),
  mtls: section('client certificates', () => ({
    clients: z
      .array(certificate, anything('a list of client certificates'))
      .optional()
      .describe('Clients by their certificates. Each needs `commonName`, `altName` or `fingerprint`.'),
    others: oneOf('accept', 'refuse')
      .optional()
      .describe(
        'Whether certificates that match no client are accepted. Default: `accept` if no `clients` are configured.',
      ),
    required: flag
      .optional()
      .describe(
        'Whether connections without a certificate are refused. Default: true if callers have no other way to authenticate.',
      ),
  }))
    .optional()
    .describe('Client certificates issued by the authorities in `listen.tls.clientCa`.'),
  publicCards: flag
    .optional()
    .describe('Whether cards can be read without credentials. Default: true if callers can or must authenticate.'),
  failuresPerMinute: count
    .prefault(20)
    .describe(
      'Number of wrong credentials from one network within a minute after which callers in this network are accepted only with credentials that were valid before.',
    ),
  module: text('the path of a JavaScript or TypeScript module, such as ./auth.ts')
    .optional()
    .describe('Path of a module that authenticates or authorizes callers, in addition to the methods above.'),
  ...moduleSettings(),
  timeout: timeout.prefault('5s').describe('Time within which a hook must answer.'),
});

export const auth = section('authentication', settings).register(schemaFacts, { input: 'AuthFileSettings' });

const hook = z.custom<(...args: never) => unknown>((value) => typeof value === 'function', anything('a function'));

/** `auth` in the settings of a program, which may define hooks in code. */
export const authOfProgram = section('authentication', () => ({
  ...settings(),
  authenticate: hook.optional(),
  authorize: hook.optional(),
  securitySchemes: z.record(z.string(), z.unknown(), anything('security schemes by their names')).optional(),
  securityRequirements: z.array(z.unknown(), anything('a list of security requirements')).optional(),
}));

type AuthInput = z.output<typeof auth> | z.output<typeof authOfProgram>;

/** Resolves `auth`. Reports methods that cannot work, and a gateway that would be open to the network by mistake. */
export function resolveAuth(
  input: AuthInput,
  { host, publicUrl, tls }: Pick<ListenConfig, 'host' | 'publicUrl' | 'tls'>,
  cx: ResolveContext,
): AuthSettings {
  const { report } = cx;
  const { jwt, tokenEndpoint, apiKeys, apiKeyHeader, failuresPerMinute } = input;
  reportRepeated(apiKeys, ['apiKeys'], report);
  reportRepeated(tokenEndpoint?.clients ?? [], ['tokenEndpoint', 'clients'], report);
  if (jwt?.issuer.startsWith(ownIssuer)) {
    report(['jwt', 'issuer'], `the prefix ${ownIssuer} is reserved for tokens that gateways issue`);
  }
  const hasOthers = apiKeys.length > 0 || jwt !== undefined || tokenEndpoint !== undefined;
  const auth: AuthSettings = {
    anonymous: anonymousAccess(input.anonymous, isLocalOnly({ host, publicUrl })),
    apiKeys,
    apiKeyHeader,
    jwt,
    tokenEndpoint,
    mtls: resolveMtls(input.mtls, tls?.clientCa !== undefined, hasOthers, report),
    publicCards: false,
    failuresPerMinute,
    hooks: resolveHooks(input, cx),
  };
  const hasCredentials = hasCredentialMethods(auth);
  if (!isLoopbackHost(host) && input.anonymous !== true && !hasCredentials) {
    report(
      ['anonymous'],
      `listening on ${host} without authentication would admit every caller that can reach it; listen on localhost, configure authentication, or set anonymous: true to allow it`,
    );
  }
  return { ...auth, publicCards: input.publicCards ?? (hasCredentials || auth.anonymous === 'none') };
}

/** Returns the hooks of a module, or those in code. */
function resolveHooks(input: AuthInput, { locate, report }: ResolveContext): HookSettings | undefined {
  const { module, config, env, timeout } = input;
  const { authenticate, authorize, securitySchemes, securityRequirements } = input as z.output<typeof authOfProgram>;
  const given = Object.entries({ authenticate, authorize, securitySchemes, securityRequirements });
  const code = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  if (module !== undefined) {
    for (const key of Object.keys(code)) report([key], 'the module defines it: remove it, or remove module');
    return { module: { path: locate(module), config, env }, timeout };
  }
  if (config !== undefined) report(['config'], 'only with module: the path of the module that receives it');
  if (env !== undefined) report(['env'], 'only with module: the path of the module that receives it');
  return authenticate || authorize ? { code: code as AuthHooks, timeout } : undefined;
}

/**
 * @param configured the value of `anonymous`
 * @param local whether the listener serves only this machine, without a public URL
 */
function anonymousAccess(configured: boolean | undefined, local: boolean): AnonymousAccess {
  if (configured === false) return 'none';
  if (local) return 'local';
  return configured === true ? 'anyone' : 'none';
}

/** Reports hashes that occur more than once: their callers could not be distinguished. */
function reportRepeated(
  entries: readonly { readonly hash: string }[],
  path: readonly string[],
  report: ReportProblem,
): void {
  const first = new Map<string, number>();
  for (const [index, { hash }] of entries.entries()) {
    const earlier = first.get(hash);
    if (earlier === undefined) first.set(hash, index);
    else report([...path, String(index), 'hash'], `the same hash as in ${path.join('.')}.${earlier}`);
  }
}

/** Resolves `mtls`. Without it, every certificate issued by the listener's authorities is accepted. */
function resolveMtls(
  input: AuthInput['mtls'],
  hasCa: boolean,
  hasOthers: boolean,
  report: ReportProblem,
): MtlsSettings | undefined {
  if (!hasCa) {
    if (input) report(['mtls'], 'requires listen.tls.clientCa: the authorities that sign client certificates');
    return undefined;
  }
  const clients: readonly CertificateConfig[] = input?.clients ?? [];
  for (const [index, { commonName, altName, fingerprint }] of clients.entries()) {
    if (commonName === undefined && altName === undefined && fingerprint === undefined) {
      report(['mtls', 'clients', String(index)], 'requires commonName, altName or fingerprint');
    }
  }
  return {
    clients,
    others: input?.others ?? (input?.clients === undefined ? 'accept' : 'refuse'),
    required: input?.required ?? !hasOthers,
  };
}
