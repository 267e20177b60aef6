import * as z from 'zod';
import { readHash } from '../../auth/hash.ts';
import { jwtAlgorithms } from '../../auth/settings.ts';
import { isSettableHeader } from '../../net/header-names.ts';
import { parseDuration } from '../scalars.ts';
import { anything, flag, oneOf, positive, quantity, section, text, textAs, timeout } from '../schema-parts.ts';

/** What `auth` may hold, before defaults. */

const expectedName = 'a name of at most 128 characters without control characters';
const name = text(expectedName).regex(/^[^\p{Cc}]{1,128}$/u, anything(expectedName));

const hash = textAs('a hash as `a2a-gateway keys new` prints it, such as "sha256:…"', readHash);

const expectedScopes = 'a list of scopes such as tasks or tasks:read, each without spaces';
const scope = text(expectedScopes).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, anything(expectedScopes));

/** What may be done by whom it stands with. */
const grant = {
  agents: z.array(text("an agent's name"), anything('a list of names of agents')).optional(),
  scopes: z.array(scope, anything(expectedScopes)).optional(),
};

const expectedUrl = 'an http or https URL without user and fragment';
const webUrl = text(expectedUrl).refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !url.hash;
}, anything(expectedUrl));

const expectedAudience = 'an audience, or a list of them';
const audience = z
  .union([text(expectedAudience), z.array(text(expectedAudience))], anything(expectedAudience))
  .refine((value) => value.length > 0, anything(expectedAudience))
  .transform((value) => (typeof value === 'string' ? [value] : value));

/** Asymmetric ones only. */
const algorithms = z.array(oneOf(...jwtAlgorithms), anything('a list of algorithms')).min(1, anything('an algorithm'));

const tolerance = quantity('a duration of at most 10m, such as 5s', (value) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms !== undefined && ms <= 600_000 ? ms : undefined;
});

const count = quantity('a whole number above zero, or "unlimited"', (value) => {
  if (value === 'unlimited') return Number.POSITIVE_INFINITY;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? positive(number) : undefined;
});

const fingerprint = textAs('the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without', (value) => {
  const digits = value.replaceAll(':', '').toLowerCase();
  return /^[\da-f]{64}$/.test(digits) ? digits : undefined;
});

const expectedHeader = 'the name of a header such as X-Api-Key, not one that HTTP or A2A needs for itself';

const apiKey = section('an API key', { name, hash, ...grant });

const jwt = section('tokens of an identity provider', {
  issuer: text('the issuer of tokens'),
  audience,
  jwksUrl: webUrl,
  algorithms: algorithms.optional(),
  typ: text('the type that tokens must have in their header, such as at+jwt').optional(),
  clockTolerance: tolerance.optional(),
  scopeClaim: text('the name of a claim').optional(),
  ...grant,
});

const tokenEndpoint = section('the token endpoint', {
  clients: z.array(section('a client', { id: name, hash, ...grant }), anything('a list of clients')),
  lifetime: timeout.optional(),
});

const certificate = section('a client certificate', {
  name,
  commonName: text("the subject's common name").optional(),
  altName: text('an alternative name, such as spiffe://example.com/agent').optional(),
  fingerprint: fingerprint.optional(),
  ...grant,
});

const mtls = section('client certificates', {
  clients: z.array(certificate, anything('a list of client certificates')).optional(),
  others: oneOf('accept', 'refuse').optional(),
  required: flag.optional(),
});

/** `auth`: who gets in. */
export const auth = section('who gets in', {
  anonymous: flag.optional(),
  apiKeys: z.array(apiKey, anything('a list of API keys')).optional(),
  apiKeyHeader: text(expectedHeader)
    .refine((value) => isSettableHeader(value) && value.toLowerCase() !== 'authorization', anything(expectedHeader))
    .optional(),
  jwt: jwt.optional(),
  tokenEndpoint: tokenEndpoint.optional(),
  mtls: mtls.optional(),
  publicCards: flag.optional(),
  failuresPerMinute: count.optional(),
});

/** `auth` as it was read. */
export type AuthInput = z.output<typeof auth>;
