import * as z from 'zod';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, oneOf, scopes, section, text, textThat, variants } from '../schema-parts.ts';
import { type AuthInput, credentialKinds, pem, secret, tokenUrl } from './outbound-auth.ts';

/** Fields of the form that settings of their own decide. */
const ownFields: ReadonlySet<string> = new Set([
  ...['grant_type', 'client_id', 'client_secret', 'assertion', 'refresh_token', 'scope'],
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'],
]);

const expectedParameter = 'the name of a field that no other setting is for';

const parameter = textThat(expectedParameter, (name) => !ownFields.has(name));

/** The keys of both kinds. */
const requested = () => ({
  audience: text('the name of the agent at the issuer')
    .optional()
    .describe('Whom the token is for, as the issuer knows the agent. A JWT that is for others is refused.'),
  resource: textThat('an absolute URL without fragment', (value) => URL.canParse(value) && !value.includes('#'))
    .optional()
    .describe('The audience as a URL (resource indicator, RFC 8707).'),
  scopes: scopes('a list of scopes, each without spaces').prefault([]).describe('The scopes to ask for.'),
  parameters: z
    .record(parameter, z.string(anything('a text')).register(schemaFacts, { secret: 'whole' }), {
      error: ({ code }) => `expected ${code === 'invalid_key' ? expectedParameter : 'a mapping of names to texts'}`,
    })
    .prefault({})
    .describe(
      'More fields of the form that an issuer wants. `audience` and `resource` are not checked when they are here.',
    ),
  subjectClaim: z
    .string(anything('the name of a claim, or ""'))
    .prefault('sub')
    .describe(
      'The claim in which the caller\'s token and the new one must agree, where both are JWTs of one issuer; `""` for an issuer that gives each client other names of its users.',
    ),
});

/** The kinds of tokens that are each for one caller. */
const onBehalfKinds = {
  exchange: section('token exchange', () => ({
    type: z
      .literal('exchange')
      .describe("A token for each caller, which an issuer gives for the caller's own one (token exchange, RFC 8693)."),
    tokenUrl: tokenUrl(),
    clientId: text('the id of a client').describe("The gateway's id at the issuer."),
    clientSecret: secret("the client's secret").describe("The gateway's secret at the issuer."),
    ...requested(),
    subject: oneOf('caller', 'callerOrActor')
      .prefault('caller')
      .describe(
        "Whose token is exchanged: the caller's, and callers without one are refused; or, for these, the `actor`'s.",
      ),
    subjectTokenType: oneOf('access_token', 'jwt', 'id_token')
      .prefault('access_token')
      .describe("Type of the caller's token for the issuer."),
    actor: variants('type', 'a token', { bearer: credentialKinds.bearer, oauth2: credentialKinds.oauth2 })
      .optional()
      .describe(
        "The gateway's own token, sent as `actor_token`, which identifies who acts on behalf of the caller. Default: none.",
      ),
  })),
  jwtBearer: section('the JWT bearer grant', () => ({
    type: z
      .literal('jwtBearer')
      .describe('A token for each caller, which an issuer gives for a JWT about it (JWT bearer grant, RFC 7523).'),
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
        'The `sub` of a JWT that the gateway signs: the `sub` of the verified token (`auth.jwt`) of the caller, and others are refused; or the id of every principal, such as `key:alice`.',
      ),
  })),
};

/** `auth` of an upstream agent. */
export const upstreamAuth = variants('type', 'credentials', { ...credentialKinds, ...onBehalfKinds })
  .describe("The gateway's credentials at an upstream agent.")
  .register(schemaFacts, { input: 'UpstreamAuthFileSettings' });

/** Credentials on behalf of callers, with the path of their key from the file's folder. Reports settings that do not go together. */
export function resolveOnBehalf(written: z.output<typeof upstreamAuth>, { locate, report }: ResolveContext): AuthInput {
  const auth = written as AuthInput;
  if (auth.type === 'exchange' && auth.subject === 'callerOrActor' && !auth.actor) {
    report(['subject'], 'callerOrActor needs an actor, the token that is exchanged for callers without one');
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
    report(['subject'], 'principal needs privateKey, since no JWT of the caller names its principal');
  }
  return auth;
}
