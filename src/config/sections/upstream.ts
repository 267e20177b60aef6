import * as z from 'zod';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { expectedUpstreamUrl, readUrlWithUser } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { flag, oneOf, section, textAs, timeout } from '../schema-parts.ts';
import { dialectNames, resolveTrust, type TrustConfig, trust } from './cards.ts';
import { outboundAuth, resolveTarget } from './outbound-auth.ts';

/** The bindings that an upstream can be called over. */
export const upstreamTransports = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

/** The keys of an upstream agent besides those of every agent. */
export const upstream = {
  kind: z.literal('upstream'),
  url: textAs(expectedUpstreamUrl, readUrlWithUser),
  dialect: oneOf('auto', ...dialectNames).default('auto'),
  transport: oneOf('auto', ...upstreamTransports).default('auto'),
  silence: timeout.default(600_000),
  keep: oneOf('tasks', 'none').default('tasks'),
  http2: flag.default(false),
  strict: flag.default(false),
  quirks: section('deviations of the agent from its dialect', {
    base64Bytes: flag.optional(),
    laterFields: flag.optional(),
  }).optional(),
  auth: outboundAuth.optional(),
  trust: trust.optional(),
};

type UpstreamInput = z.output<z.ZodObject<typeof upstream>>;

/** An A2A agent at a URL, of any dialect, over any binding. Without `trust`, its card needs no signature. */
export interface UpstreamConfig {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The gateway's credentials at the agent. */
  readonly auth: OutboundAuthSettings | undefined;
  /** The dialect that the agent speaks; `auto` detects it. */
  readonly dialect: 'auto' | DialectName;
  /** The binding to call the agent over; `auto` detects it. */
  readonly transport: 'auto' | (typeof upstreamTransports)[number];
  /** Milliseconds without an event or an answer after which a task fails. */
  readonly silence: number;
  /** What the gateway keeps: the agent's tasks, or nothing, so that it only translates. */
  readonly keep: 'tasks' | 'none';
  /** Whether the agent may be called over HTTP/2, where it has TLS and prefers HTTP/2. gRPC always is. */
  readonly http2: boolean;
  /** Whether a request is refused when a conversion would lose something of it. */
  readonly strict: boolean;
  /** Deviations of the agent's software from its dialect. Undefined: the gateway detects the software. */
  readonly quirks?:
    | {
        /** Whether it puts base64 text where the bytes of a file belong. */
        readonly base64Bytes?: boolean | undefined;
        /** Whether it reads fields that came after the schema of 0.3.0. */
        readonly laterFields?: boolean | undefined;
      }
    | undefined;
  readonly trust: TrustConfig | undefined;
}

export const resolveUpstream = ({ url, auth, trust, ...rest }: UpstreamInput, cx: ResolveContext): UpstreamConfig => ({
  ...rest,
  ...resolveTarget({ url, auth }, cx),
  trust: trust && resolveTrust(trust, cx),
});
