import * as z from 'zod';
import type { OnBehalfSettings, OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import { Secret } from '../../net/secret.ts';
import type { ToolServerAuthSettings } from '../../net/tool-server-settings.ts';
import { isWebUrl, type UrlWithUser } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { credentialHeader, scopes, secretOf, section, text, textThat, variants } from '../schema-parts.ts';

/** Creates the schema of a secret that is sent encoded in a header. */
export const secret = (what: string) =>
  secretOf(
    textThat(`${what}: a text without line breaks and other control characters`, (value) =>
      /^[^\p{Cc}]+$/u.test(value),
    ),
  );

/** Creates the schema of a secret that is sent unencoded in a header. */
export const headerSecret = (what: string) =>
  secretOf(
    textThat(`${what}: printable ASCII characters without line breaks`, (value) => /^[\x20-\x7e]+$/.test(value)).trim(),
  );

/** Creates the schema of credentials for a server of the user. */
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

/** Schemas of the gateway's credentials at another server, by kind. */
export const credentialKinds = {
  apiKey: section('an API key', () => ({
    type: z.literal('apiKey').describe('An API key in a header.'),
    key: headerSecret('an API key').describe('The key.'),
    header: credentialHeader()
      .optional()
      .describe("The header for the key. Default: the header that the agent's card names, otherwise `X-Api-Key`."),
  })),
  bearer: section('a bearer token', () => ({
    type: z.literal('bearer').describe('A bearer token.'),
    token: headerSecret('a token').describe('The token.'),
  })),
  basic: section('a name and a password', () => ({
    type: z.literal('basic').describe('A user name and a password (HTTP Basic).'),
    username: textThat('a user name without colon and control characters', (value) =>
      /^[^:\p{Cc}]+$/u.test(value),
    ).describe('The user name.'),
    password: secret('a password').describe('The password.'),
  })),
  oauth2: section('client credentials', () => ({
    type: z.literal('oauth2').describe('Client credentials for tokens from an OAuth 2 token endpoint.'),
    tokenUrl: tokenUrl(),
    clientId: text('the id of a client').describe("The client's id."),
    clientSecret: secret("the client's secret").describe("The client's secret."),
    scopes: scopes('a list of scopes, each without spaces').prefault([]).describe('The scopes to request.'),
  })),
  mtls: section('a client certificate', () => ({
    type: z.literal('mtls').describe('A client certificate, which requires an https URL.'),
    cert: pem('the certificate').describe('The certificate.'),
    key: pem('its private key').describe('Its private key.'),
    ca: pem("the authorities that sign the server's certificate")
      .optional()
      .describe("The authorities that sign the server's certificate. Default: those of the system."),
  })),
  forward: section("the caller's own credentials", () => ({
    type: z.literal('forward').describe("Each caller's own credentials."),
  })),
};

/** `auth` of a graph database: the gateway's credentials at the database. */
export const outboundAuth = variants('type', 'credentials', credentialKinds)
  .describe("The gateway's credentials at a graph database.")
  .register(schemaFacts, { input: 'OutboundAuthFileSettings' });

/** Credentials as read from a section. */
export type AuthInput = z.output<typeof outboundAuth> | OnBehalfSettings;

/** Resolves a server's URL, and the gateway's credentials at the server from `auth` or from the URL itself. */
export function resolveTarget(
  { url: { url, user }, auth }: { readonly url: UrlWithUser; readonly auth?: AuthInput | undefined },
  { locate, report }: ResolveContext,
): { readonly url: string; readonly auth: OutboundAuthSettings | undefined } {
  if (user !== undefined && auth !== undefined) {
    report(['auth'], 'the URL already contains a user name and a password; remove them from the URL, or remove auth');
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

/** Returns a URL in the form of the file, in which credentials have keys of their own. */
export const shownUrlOf = (url: string) => ({ url, user: undefined });

/**
 * Returns credentials in the form of the file. A user name or password from a URL may be empty, and is then shown as
 * `(empty)`.
 */
export function shownCredentials(auth: ToolServerAuthSettings | undefined): ToolServerAuthSettings | undefined {
  if (auth?.type !== 'basic') return auth;
  const { type, username, password } = auth;
  return { type, username: username || empty, password: new Secret(password.reveal() || empty) };
}

const empty = '(empty)';
