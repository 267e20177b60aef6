import * as z from 'zod';
import { readHash } from '../../auth/hash.ts';
import type { AuthHooks } from '../../auth/hooks.ts';
import {
  type AnonymousAccess,
  type AuthSettings,
  type CertificateSettings,
  type HookSettings,
  hasCredentialMethods,
  type JwtSettings,
  jwtAlgorithms,
  type MtlsSettings,
} from '../../auth/settings.ts';
import { ownIssuer } from '../../auth/tokens.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ReportProblem, ResolveContext } from '../context.ts';
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
import { isLocalOnly, type ListenConfig } from './listen.ts';
import { moduleSettings } from './module.ts';

const name = textThat('a name of at most 128 characters without control characters', (value) =>
  /^[^\p{Cc}]{1,128}$/u.test(value),
);

const hash = textAs('a hash as `a2a-gateway keys new` prints it, such as "sha256:…"', readHash);

/** The rights of a caller. */
const grant = {
  agents: z.array(text("an agent's name"), anything('a list of names of agents')).optional(),
  scopes: scopes('a list of scopes such as tasks or tasks:read, each without spaces').optional(),
  tenants: z.array(text('the name of a tenant'), anything('a list of names of tenants')).optional(),
};

const expectedAudience = 'an audience, or a list of them';
const audience = z
  .union([text(expectedAudience), z.array(text(expectedAudience))], anything(expectedAudience))
  .refine((value) => value.length > 0, anything(expectedAudience))
  .transform((value) => (typeof value === 'string' ? [value] : value));

const tolerance = duration('a duration of at most 10m, such as 5s', (ms) => ms <= 600_000);

const fingerprint = textAs('the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without', (value) => {
  const digits = value.replaceAll(':', '').toLowerCase();
  return /^[\da-f]{64}$/.test(digits) ? digits : undefined;
});

const jwt = section('tokens of an identity provider', {
  issuer: text('the issuer of tokens'),
  audience,
  jwksUrl: textThat('an http or https URL without user and fragment', isWebUrl),
  algorithms: z
    .array(oneOf(...jwtAlgorithms), anything('a list of algorithms'))
    .min(1, anything('an algorithm'))
    .default([...jwtAlgorithms]),
  typ: text('the type that tokens must have in their header, such as at+jwt').optional(),
  clockTolerance: tolerance.default(5_000),
  scopeClaim: text('the name of a claim').optional(),
  ...grant,
});

/** Of one kind, since authorities check names of each kind by other rules. */
const altName = text('an alternative name with its kind, such as URI:spiffe://example.com/agent').regex(
  /^(?:URI|DNS|email|IP):./,
  'expected an alternative name with its kind: URI:spiffe://example.com/agent, DNS:client.example.com, email:a@example.com or IP:192.0.2.1',
);

const certificate = section('a client certificate', {
  name,
  commonName: text("the subject's common name").optional(),
  altName: altName.optional(),
  authority: fingerprint.optional(),
  fingerprint: fingerprint.optional(),
  ...grant,
});

const settings = {
  anonymous: flag.optional(),
  apiKeys: z.array(section('an API key', { name, hash, ...grant }), anything('a list of API keys')).default([]),
  apiKeyHeader: credentialHeader('authorization').default('X-Api-Key'),
  jwt: jwt.optional(),
  tokenEndpoint: section('the token endpoint', {
    clients: z.array(section('a client', { id: name, hash, ...grant }), anything('a list of clients')),
    lifetime: timeout.default(3_600_000),
  }).optional(),
  mtls: section('client certificates', {
    clients: z.array(certificate, anything('a list of client certificates')).optional(),
    others: oneOf('accept', 'refuse').optional(),
    required: flag.optional(),
  }).optional(),
  publicCards: flag.optional(),
  failuresPerMinute: count.default(20),
  /** A module of the user that authenticates or authorizes callers, besides the ways above. */
  module: text('the path of a JavaScript or TypeScript module, such as ./auth.ts').optional(),
  ...moduleSettings,
  /** Milliseconds that the user's code may take for an answer. */
  timeout: timeout.default(5_000),
};

/** `auth`: authentication. */
export const auth = section('authentication', settings);

const hook = z.custom<(...args: never) => unknown>((value) => typeof value === 'function', anything('a function'));

/** `auth` in the settings of a program, which may have hooks in code. */
export const authOfProgram = section('authentication', {
  ...settings,
  authenticate: hook.optional(),
  authorize: hook.optional(),
  securitySchemes: z.record(z.string(), z.unknown(), anything('security schemes by their names')).optional(),
  securityRequirements: z.array(z.unknown(), anything('a list of security requirements')).optional(),
});

type AuthInput = z.output<typeof auth> | z.output<typeof authOfProgram>;

/** The claim of OAuth (RFC 8693 section 4.2), and that of two large providers. */
const scopeClaims = ['scope', 'scp'];

/** Reports methods that cannot work, and a gateway that is open to the network by mistake. */
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
    jwt: jwt && resolveJwt(jwt),
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

/** Hooks of a module, or in code. */
function resolveHooks(input: AuthInput, { locate, report }: ResolveContext): HookSettings | undefined {
  const { module, config, env, timeout } = input;
  const { authenticate, authorize, securitySchemes, securityRequirements } = input as z.output<typeof authOfProgram>;
  const given = Object.entries({ authenticate, authorize, securitySchemes, securityRequirements });
  const code = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  if (module !== undefined) {
    for (const key of Object.keys(code)) report([key], 'the module has it: remove it, or remove module');
    return { module: { path: locate(module), config, env }, timeout };
  }
  if (config !== undefined) report(['config'], 'only with module: the path of a module that takes it');
  if (env !== undefined) report(['env'], 'only with module: the path of a module that takes it');
  return authenticate || authorize ? { code: code as AuthHooks, timeout } : undefined;
}

const resolveJwt = ({ scopeClaim, ...jwt }: NonNullable<AuthInput['jwt']>): JwtSettings => ({
  ...jwt,
  scopeClaims: scopeClaim === undefined ? scopeClaims : [scopeClaim],
});

/**
 * @param configured the value of `anonymous`
 * @param local whether the listener serves this machine only, under no public name
 */
function anonymousAccess(configured: boolean | undefined, local: boolean): AnonymousAccess {
  if (configured === false) return 'none';
  if (local) return 'local';
  return configured === true ? 'anyone' : 'none';
}

/** Callers with the same secret cannot be distinguished. */
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

/** Without `mtls`, every certificate of the listener's authorities is accepted. */
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
  const clients: readonly CertificateSettings[] = input?.clients ?? [];
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
