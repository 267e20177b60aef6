import * as z from 'zod';
import { dialectNames } from '../../dialects/kernel/registry.ts';
import type { UpstreamOptions } from '../../gen/settings.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { expectedUpstreamUrl } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { flag, oneOf, section, serverUrl, timeout } from '../schema-parts.ts';
import { resolveTrust, type TrustConfig, trust } from './cards.ts';
import { outboundAuth, resolveTarget } from './outbound-auth.ts';

/** The bindings that an upstream can be called over. */
export const upstreamTransports = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

/** The settings of an upstream agent that are used as they are. */
const options = () => ({
  dialect: oneOf('auto', ...dialectNames)
    .prefault('auto')
    .describe('The dialect that the agent speaks. `auto` detects it.'),
  transport: oneOf('auto', ...upstreamTransports)
    .prefault('auto')
    .describe('The binding to call the agent over. `auto` detects it.'),
  silence: timeout.prefault('10m').describe('Time without an event or an answer after which a task fails.'),
  keep: oneOf('tasks', 'none')
    .prefault('tasks')
    .describe("What the gateway keeps: the agent's tasks, or nothing, so that it only translates."),
  http2: flag
    .prefault(false)
    .describe('Whether the agent may be called over HTTP/2, where it has TLS and prefers HTTP/2. gRPC always is.'),
  strict: flag.prefault(false).describe('Whether a request is refused when a conversion would lose something of it.'),
  quirks: section('deviations of the agent from its dialect', () => ({
    base64Bytes: flag.optional().describe('Whether it puts base64 text where the bytes of a file belong.'),
    laterFields: flag.optional().describe('Whether it reads fields that came after the schema of 0.3.0.'),
  }))
    .optional()
    .describe("Deviations of the agent's software from its dialect. Default: detected."),
});

/** Of these, the gateway's own types are made. */
export const upstreamOptions = section('an upstream agent', options).register(schemaFacts, {
  output: 'UpstreamOptions',
});

/** The keys of an upstream agent besides those of every agent. */
export const upstream = () => ({
  kind: z.literal('upstream').describe('An A2A agent at a URL.'),
  url: serverUrl(expectedUpstreamUrl).describe("The agent's base URL or the URL of its card."),
  ...options(),
  auth: outboundAuth.optional().describe("The gateway's credentials at the agent. Default: none."),
  trust: trust.optional().describe("Whose signatures the agent's card must have. Default: it needs none."),
});

type UpstreamInput = z.output<z.ZodObject<ReturnType<typeof upstream>>>;

/** An A2A agent at a URL, of any dialect, over any binding. Without `trust`, its card needs no signature. */
export interface UpstreamConfig extends UpstreamOptions {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The gateway's credentials at the agent. */
  readonly auth: OutboundAuthSettings | undefined;
  readonly trust: TrustConfig | undefined;
}

export const resolveUpstream = ({ url, auth, trust, ...rest }: UpstreamInput, cx: ResolveContext): UpstreamConfig => ({
  ...rest,
  ...resolveTarget({ url, auth }, cx),
  trust: trust && resolveTrust(trust, cx),
});
