import * as z from 'zod';
import type { OnBehalfSettings, OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import { Secret } from '../../net/secret.ts';
import type { ToolServerAuthSettings } from '../../net/tool-server-settings.ts';
import { isWebUrl, type UrlWithUser } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { credentialHeader, scopes, secretOf, section, text, textThat, variants } from '../schema-parts.ts';

/** A text that is encoded in a header. */
export const secret = (what: string) =>
  secretOf(
    textThat(`${what}: a text without line breaks and other control characters`, (value) =>
      /^[^\p{Cc}]+$/u.test(value),
    ),
  );

/** A text that is sent unencoded in a header. */
export const headerSecret = (what: string) =>
  secretOf(
    textThat(`${what}: printable ASCII characters without line breaks`, (value) => /^[\x20-\x7e]+$/.test(value)).trim(),
  );

/** Credentials for a server of the user. */
export const authorization = () =>
  section('credentials', () => ({
    scheme: textThat('a scheme such as Bearer', (value) => /^[\w!#$%&'*+.^`|~-]+$/.test(value)).describe(
      'The scheme of `Authorization`.',
    ),
    credentials: headerSecret('credentials').describe('The credentials of `Authorization`.'),
  })).optional();

export const pem = (what: string) => text(`the path of a PEM file: ${what}`);

export const tokenUrl = () =>
  textThat('the http or https URL of a token endpoint, without user and fragment', isWebUrl)
    .register(schemaFacts, { secret: 'query' })
    .describe('The URL of the token endpoint.');

/** The kinds of the gateway's credentials at another server. */
export const credentialKinds = {
  apiKey: section('an API key', () => ({
    type: z.literal('apiKey').describe('An API key in a header.'),
    key: headerSecret('an API key').describe('The key.'),
    header: credentialHeader()
      .optional()
      .describe("The header for the key. Default: as in the agent's card, else `X-Api-Key`."),
  })),
  bearer: section('a bearer token', () => ({
    type: z.literal('bearer').describe('A bearer token.'),
    token: headerSecret('a token').describe('The token.'),
  })),
  basic: section('a name and a password', () => ({
    type: z.literal('basic').describe('A name and a password (HTTP Basic).'),
    username: textThat('a user name without colon and control characters', (value) =>
      /^[^:\p{Cc}]+$/u.test(value),
    ).describe('The name.'),
    password: secret('a password').describe('The password.'),
  })),
  oauth2: section('client credentials', () => ({
    type: z.literal('oauth2').describe('Tokens of an OAuth 2 token endpoint, for client credentials.'),
    tokenUrl: tokenUrl(),
    clientId: text('the id of a client').describe("The client's id."),
    clientSecret: secret("the client's secret").describe("The client's secret."),
    scopes: scopes('a list of scopes, each without spaces').prefault([]).describe('The scopes to ask for.'),
  })),
  mtls: section('a client certificate', () => ({
    type: z.literal('mtls').describe('A client certificate. It needs an https URL.'),
    cert: pem('the certificate').describe('The certificate.'),
    key: pem('its private key').describe('Its private key.'),
    ca: pem("the authorities that the agent's certificate is of")
      .optional()
      .describe("The authorities that sign the server's certificate. Default: those of the system."),
  })),
  forward: section("the caller's own credentials", () => ({
    type: z.literal('forward').describe("Each caller's own credentials."),
  })),
};

/** `auth` of a graph database: the gateway's credentials there. */
export const outboundAuth = variants('type', 'credentials', credentialKinds)
  .describe("The gateway's credentials at a graph database.")
  .register(schemaFacts, { input: 'OutboundAuthFileSettings' });

/** Credentials as a section has them. */
export type AuthInput = z.output<typeof outboundAuth> | OnBehalfSettings;

/** A server's URL and the gateway's credentials there, from `auth` or from the URL itself. */
export function resolveTarget(
  { url: { url, user }, auth }: { readonly url: UrlWithUser; readonly auth?: AuthInput | undefined },
  { locate, report }: ResolveContext,
): { readonly url: string; readonly auth: OutboundAuthSettings | undefined } {
  if (user !== undefined && auth !== undefined) {
    report(['auth'], 'the URL already holds a name and a password; remove them from the URL, or remove auth');
  }
  if (auth?.type === 'mtls' && !url.startsWith('https:')) {
    report(['auth', 'type'], 'a client certificate needs an https URL');
  }
  if (user !== undefined) {
    return { url, auth: { type: 'basic', username: user.username, password: new Secret(user.password) } };
  }
  if (auth?.type !== 'mtls') return { url, auth: auth as OutboundAuthSettings | undefined };
  const { ca, ...files } = auth;
  const located = { ...files, cert: locate(files.cert), key: locate(files.key) };
  return { url, auth: ca === undefined ? located : { ...located, ca: locate(ca) } };
}

/** A URL in the form of the file, where the credentials have keys of their own. */
export const shownUrlOf = (url: string) => ({ url, user: undefined });

/** Credentials in the form of the file: a name and a password of a URL may be empty there. */
export function shownCredentials(auth: ToolServerAuthSettings | undefined): ToolServerAuthSettings | undefined {
  if (auth?.type !== 'basic') return auth;
  const { type, username, password } = auth;
  return { type, username: username || empty, password: new Secret(password.reveal() || empty) };
}

const empty = '(empty)';
