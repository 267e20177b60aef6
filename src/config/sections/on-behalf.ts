import * as z from 'zod';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, oneOf, scopes, section, text, textThat, variants } from '../schema-parts.ts';
import { type AuthInput, credentialKinds, pem, secret, tokenUrl } from './outbound-auth.ts';

/** Fields of the form that have settings of their own. */
const ownFields: ReadonlySet<string> = new Set([
  ...['grant_type', 'client_id', 'client_secret', 'assertion', 'refresh_token', 'scope'],
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'],
]);

const expectedParameter = 'the name of a field without a setting of its own';

const parameter = textThat(expectedParameter, (name) => !ownFields.has(name));

/** Keys that both kinds share. */
const requested = () => ({
  audience: text('the name of the agent at the issuer')
    .optional()
    .describe("The audience of the token: the agent's name at the issuer. A JWT for another audience is refused."),
  resource: textThat('an absolute URL without fragment', (value) => URL.canParse(value) && !value.includes('#'))
    .optional()
    .describe('The audience as a URL (resource indicator, RFC 8707).'),
  scopes: scopes('a list of scopes, each without spaces').prefault([]).describe('The scopes to request.'),
  parameters: z
    .record(parameter, z.string(anything('a text')).register(schemaFacts, { secret: 'whole' }), {
      error: ({ code }) => `expected ${code === 'invalid_key' ? expectedParameter : 'a mapping of names to texts'}`,
    })
    .prefault({})
    .describe(
      'Further fields of the form that an issuer requires. `audience` and `resource` are not verified if they are given here.',
    ),
  subjectClaim: z
    .string(anything('the name of a claim, or ""'))
    .prefault('sub')
    .describe(
      'The claim that must be equal in the caller\'s token and in the new token if both are JWTs of one issuer. Use `""` for an issuer that gives each client different names for its users.',
    ),
});

/** The kinds of tokens that are issued for single callers. */
const onBehalfKinds = {
  exchange: section('token exchange', () => ({
    type: z
      .literal('exchange')
      .describe("A token for each caller, issued in exchange for the caller's own token (token exchange, RFC 8693)."),
    tokenUrl: tokenUrl(),
    clientId: text('the id of a client').describe("The gateway's id at the issuer."),
    clientSecret: secret("the client's secret").describe("The gateway's secret at the issuer."),
    ...requested(),
    subject: oneOf('caller', 'callerOrActor')
      .prefault('caller')
      .describe(
        "The token to exchange. `caller`: the caller's token; callers without one are refused. `callerOrActor`: the `actor`'s token for callers without one.",
      ),
    subjectTokenType: oneOf('access_token', 'jwt', 'id_token')
      .prefault('access_token')
      .describe("Type of the caller's token, as sent to the issuer."),
    actor: variants('type', 'a token', { bearer: credentialKinds.bearer, oauth2: credentialKinds.oauth2 })
      .optional()
      .describe(
        "The gateway's own token, sent as `actor_token`, which identifies the party that acts on behalf of the caller. Default: none.",
      ),
  })),
  jwtBearer: section('the JWT bearer grant', () => ({
    type: z
      .literal('jwtBearer')
      .describe('A token for each caller, issued for a JWT about the caller (JWT bearer grant, RFC 7523).'),
    tokenUrl: tokenUrl(),
    clientId: text('the id of a client').optional().describe("The gateway's id at the issuer. Default: none is sent."),
    clientSecret: secret("the client's secret")
      .optional()
      .describe("The gateway's secret at the issuer. Default: none is sent."),
    ...requested(),
    privateKey: pem("the gateway's private key")
      .optional()
      .describe("The key that signs the JWT: RSA, EC or Ed25519. Default: the JWT is the caller's own token."),
    keyId: text('the id of a key').optional().describe('The `kid` of the key. Default: none.'),
    issuer: text('the name of the gateway').optional().describe('The `iss` of the JWT. Default: `clientId`.'),
    assertionAudience: text('the name of the issuer').optional().describe('The `aud` of the JWT. Default: `tokenUrl`.'),
    subject: oneOf('caller', 'principal')
      .prefault('caller')
      .describe(
        "The `sub` of a JWT that the gateway signs. `caller`: the `sub` of the caller's verified token (`auth.jwt`); callers without one are refused. `principal`: the id of the caller's principal, such as `key:alice`.",
      ),
  })),
};

/** `auth` of an upstream agent. */
export const upstreamAuth = variants('type', 'credentials', { ...credentialKinds, ...onBehalfKinds })
  .describe("The gateway's credentials at an upstream agent.")
  .register(schemaFacts, { input: 'UpstreamAuthFileSettings' });

/**
 * Resolves credentials on behalf of callers, and makes the path of their key absolute. Reports settings that contradict
 * each other.
 */
export function resolveOnBehalf(written: z.output<typeof upstreamAuth>, { locate, report }: ResolveContext): AuthInput {
  const auth = written as AuthInput;
  if (auth.type === 'exchange' && auth.subject === 'callerOrActor' && !auth.actor) {
    report(['subject'], 'callerOrActor needs an actor, whose token is exchanged for callers without one');
  }
  if (auth.type !== 'jwtBearer') return auth;
  const { privateKey, clientId, clientSecret, issuer } = auth;
  if (clientSecret && clientId === undefined) report(['clientId'], 'required with clientSecret');
  if (privateKey !== undefined) {
    if (issuer === undefined && clientId === undefined) report(['issuer'], 'required with privateKey, or clientId');
    return { ...auth, privateKey: locate(privateKey) };
  }
  for (const key of ['keyId', 'issuer', 'assertionAudience'] as const) {
    if (auth[key] !== undefined) report([key], 'only with privateKey, for a JWT that the gateway signs');
  }
  if (auth.subject === 'principal') {
    report(['subject'], "principal needs privateKey, because no JWT of the caller names the caller's principal");
  }
  return auth;
}
