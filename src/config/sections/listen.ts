import * as z from 'zod';
import { trimEnd } from '../../core/model/text.ts';
import { isLoopbackHost, isWebUrl } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { anything, quantity, section, text, textAs } from '../schema-parts.ts';

const port = quantity('an integer from 0 to 65535', (value) => {
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65_535 ? number : undefined;
});

const publicUrl = textAs(
  'an http or https URL without user, query or fragment, such as https://agents.example.com',
  (value) => (isWebUrl(value) && !/[?#]/.test(value) ? trimEnd(new URL(value).href, '/') : undefined),
);

const expectedOrigin = 'an origin (scheme, host and port only) such as https://console.example.com, or "*" for all';

const origin = text(expectedOrigin).refine(
  (value) => value === '*' || URL.parse(value)?.origin === value,
  anything(expectedOrigin),
);

const pemFile = text('the path of a PEM file');

/** `listen`: where and how the gateway listens. */
export const listen = section('where to listen', {
  host: text('a host name or an address').default('localhost'),
  port: port.default(8080),
  publicUrl: publicUrl.optional(),
  cors: z.array(origin, anything('a list of origins')).default([]),
  tls: section('TLS', {
    cert: pemFile,
    key: pemFile,
    clientCa: pemFile.optional(),
  }).optional(),
});

/**
 * Whether a proxy on this machine may stand in front of the gateway: requests of this machine may then come from anywhere.
 */
export const hasProxy = ({ publicUrl }: Pick<ListenConfig, 'publicUrl'>): boolean =>
  publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);

type ListenInput = z.output<typeof listen>;

/** Where and how the gateway listens. */
export interface ListenConfig {
  /** A host name or address; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** What cards advertise, without a trailing slash. Required when `host` is not a loopback address. */
  readonly publicUrl?: string | undefined;
  /** Origins of browser clients besides the gateway's own, such as `https://console.example.com`; `*` means all. */
  readonly cors: readonly string[];
  /** Absolute paths of PEM files. */
  readonly tls?:
    | {
        readonly cert: string;
        readonly key: string;
        /** Authorities whose client certificates are accepted. */
        readonly clientCa?: string | undefined;
      }
    | undefined;
}

/** Whether only this machine can reach the listener. */
export const isLocalOnly = ({ host, publicUrl }: Pick<ListenConfig, 'host' | 'publicUrl'>): boolean =>
  isLoopbackHost(host) && publicUrl === undefined;

/** The URL of a listener on this port. */
export function listenerUrl({ host, tls }: Pick<ListenConfig, 'host' | 'tls'>, port: number | string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}

/** @param overrides values of the command line */
export function resolveListen(
  input: ListenInput,
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
