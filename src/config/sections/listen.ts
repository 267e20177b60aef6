import * as z from 'zod';
import { trimEnd } from '../../core/model/text.ts';
import type { ListenConfig } from '../../gen/settings.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, port, section, text, textAs, textThat } from '../schema-parts.ts';

const publicUrl = textAs(
  'an http or https URL without user, query or fragment, such as https://agents.example.com',
  (value) => (isWebUrl(value) && !/[?#]/.test(value) ? trimEnd(new URL(value).href, '/') : undefined),
);

const expectedOrigin = 'an origin (scheme, host and port only) such as https://console.example.com, or "*" for all';

const origin = textThat(expectedOrigin, (value) => value === '*' || URL.parse(value)?.origin === value);

const pemFile = text('the path of a PEM file');

/** `listen`: where and how the gateway listens. */
export const listen = section('where to listen', () => ({
  host: text('a host name or an address')
    .prefault('localhost')
    .describe('A host name or address. `localhost` means both loopback addresses.'),
  port: port.prefault(8080).describe('The port. With 0, the system chooses a free port.'),
  publicUrl: publicUrl
    .optional()
    .describe(
      'URL that cards advertise, such as `https://agents.example.com`. Required if `host` is not a loopback address.',
    ),
  cors: z
    .array(origin, anything('a list of origins'))
    .prefault([])
    .describe("Origins of browser clients, in addition to the gateway's own. `*` stands for all origins."),
  whileStarting: flag
    .prefault(false)
    .describe(
      'Whether the port is open while the gateway starts. If so, requests receive 503 and `/healthz` returns 200. Otherwise connections are refused until the gateway is ready, so that load balancers use another replica.',
    ),
  tls: section('TLS', () => ({
    cert: pemFile.describe('The certificate and its chain.'),
    key: pemFile.describe('The private key of the certificate.'),
    clientCa: pemFile.optional().describe('Certificate authorities whose client certificates are accepted.'),
  }))
    .optional()
    .describe('TLS for the listener. Default: none.'),
})).register(schemaFacts, { input: 'ListenSettings', output: 'ListenConfig' });

/**
 * Whether a proxy on this machine may be in front of the gateway. Requests from this machine may then come from any
 * client.
 */
export const hasProxy = ({ publicUrl }: Pick<ListenConfig, 'publicUrl'>): boolean =>
  publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);

/** Whether only this machine can reach the listener. */
export const isLocalOnly = ({ host, publicUrl }: Pick<ListenConfig, 'host' | 'publicUrl'>): boolean =>
  isLoopbackHost(host) && publicUrl === undefined;

export function listenerUrl({ host, tls }: Pick<ListenConfig, 'host' | 'tls'>, port: number | string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}

/** Resolves `listen`. `overrides` are values of the command line. */
export function resolveListen(
  input: ListenConfig,
  overrides: { readonly host?: string; readonly port?: number },
  { locate, report }: ResolveContext,
): ListenConfig {
  const { host = input.host, port = input.port } = overrides;
  if (!isLoopbackHost(host) && input.publicUrl === undefined) {
    report(
      ['publicUrl'],
      `required when listening on ${host}: the URL that cards advertise, such as https://agents.example.com`,
    );
  }
  const tls = input.tls && {
    cert: locate(input.tls.cert),
    key: locate(input.tls.key),
    clientCa: input.tls.clientCa === undefined ? undefined : locate(input.tls.clientCa),
  };
  return { ...input, host, port, tls };
}
