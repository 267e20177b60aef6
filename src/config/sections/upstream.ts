import * as z from 'zod';
import { expectedUpstreamUrl, readUrlWithUser } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { flag, oneOf, section, textAs, timeout } from '../schema-parts.ts';
import { dialectNames, resolveTrust, trust } from './cards.ts';
import { outboundAuth, resolveTarget } from './outbound-auth.ts';

/** The bindings that an upstream can be called over. */
export const upstreamTransports = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

/** The keys of an upstream agent besides those of every agent. */
export const upstream = {
  kind: z.literal('upstream'),
  /** The agent's base URL or the URL of its card. */
  url: textAs(expectedUpstreamUrl, readUrlWithUser),
  /** The dialect that the agent speaks; `auto` detects it. */
  dialect: oneOf('auto', ...dialectNames).default('auto'),
  /** The binding to call the agent over; `auto` detects it. */
  transport: oneOf('auto', ...upstreamTransports).default('auto'),
  /** Milliseconds without an event or an answer after which a task fails. */
  silence: timeout.default(600_000),
  /** What the gateway keeps: the agent's tasks, or nothing, so that it only translates. */
  keep: oneOf('tasks', 'none').default('tasks'),
  /** Whether the agent may be called over HTTP/2, where it has TLS and prefers HTTP/2. gRPC always is. */
  http2: flag.default(false),
  /** Whether a request is refused when a conversion would lose something of it. */
  strict: flag.default(false),
  /** Deviations of the agent's software from its dialect. Undefined: the gateway detects the software. */
  quirks: section('deviations of the agent from its dialect', {
    base64Bytes: flag.optional().describe('whether it puts base64 text where the bytes of a file belong'),
    laterFields: flag.optional().describe('whether it reads fields that came after the schema of 0.3.0'),
  }).optional(),
  auth: outboundAuth.optional(),
  trust: trust.optional(),
};

type UpstreamInput = z.output<z.ZodObject<typeof upstream>>;

/** An A2A agent at a URL, of any dialect, over any binding. Without `trust`, its card needs no signature. */
export type UpstreamConfig = Readonly<ReturnType<typeof resolveUpstream>>;

export const resolveUpstream = ({ url, auth, trust, ...rest }: UpstreamInput, cx: ResolveContext) => ({
  ...rest,
  ...resolveTarget({ url, auth }, cx),
  trust: trust && resolveTrust(trust, cx),
});
