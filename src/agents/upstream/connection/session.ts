import type { OpenOptions } from '../../../client/bindings.ts';
import type { InterfaceChoice } from '../../../client/choose.ts';
import { extensionOperations, openInterface } from '../../../client/open.ts';
import { type AgentCard, operations } from '../../../core/model/a2a.ts';
import {
  type BindingKind,
  type Call,
  type Invoke,
  isStream,
  type ObserveAttempt,
  type Quirks,
  type Reply,
  type ReplyNotes,
} from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { tapReply } from '../../../core/model/streams.ts';
import { rpcAttributes, spanNames, statusAttributes } from '../../../core/telemetry/span-names.ts';
import { type Span, type Tracing, withTrace } from '../../../core/telemetry/tracing.ts';
import type { Operation } from '../../../gen/operations.ts';
import type { OperationName } from '../../../gen/services.ts';
import type { ClientTls } from '../../../net/client-tls.ts';
import type { OutboundAuth } from '../../../net/credentials/outbound-auth.ts';
import { provesNothingRan, refusesCredentials } from '../../../net/nothing-ran.ts';

export interface UpstreamSessionOptions extends Pick<OpenOptions, 'url' | 'http' | 'timeout' | 'strict' | 'onSkipped'> {
  /** Name of the agent in this gateway. */
  readonly name: string;
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** Deviations of the agent's software from its dialect. Default: the agent is asked. */
  readonly quirks?: Quirks | undefined;
  readonly auth: OutboundAuth;
  /** The client certificate, shown to the origin of `url` only. */
  readonly tls?: ClientTls | undefined;
  /** Creates a span for each attempt. Absent: no spans. */
  readonly tracing?: Tracing | undefined;
  /** Middleware around each attempt. Default: none. */
  readonly observe?: ObserveAttempt | undefined;
  /** Called before a call is tried again. */
  readonly onRetry?: () => void;
}

/** An open session with an agent: one interface at one URL, in one dialect. */
export type UpstreamSession = Awaited<ReturnType<typeof openUpstreamSession>>;

/**
 * Opens a session. Its calls carry the gateway's credentials for the agent; a token that the agent's server rejects is
 * renewed once.
 *
 * @param card the agent's current card, read at each call
 */
export async function openUpstreamSession(
  choice: InterfaceChoice,
  url: URL,
  options: UpstreamSessionOptions,
  card: () => AgentCard | undefined,
) {
  const { http, auth, timeout, strict, onSkipped, quirks, tracing } = options;
  const { tenant } = choice.interface;
  const tls = url.origin === new URL(options.url).origin ? options.tls : undefined;
  const sentHeaders: SentHeaders | undefined = auth.isRenewable ? new WeakMap() : undefined;
  const opened = await openInterface(choice, {
    url: url.href,
    http,
    ...(tls && { tls }),
    headers: headersFor(auth, url, sentHeaders),
    timeout,
    strict,
    onSkipped,
    quirks,
    card,
  });
  const traced = tracing ? traceCalls(tracing, options.name, choice, url)(opened.invoke) : opened.invoke;
  const to = { agent: options.name, dialect: choice.dialect.name, binding: choice.binding.name, url };
  const observed = options.observe?.(traced, to) ?? traced;
  const invoke: Invoke = (call) => call.context.observer?.attempt(call, to, observed) ?? observed(call);
  return {
    async invoke(call: Call): Promise<Reply> {
      // A client copies the tenant of the interface into each request (A2A 1.0.1 section 8.3.2).
      const outgoing = tenant ? ({ ...call, request: { ...call.request, tenant } } as Call) : call;
      try {
        return await invoke(outgoing);
      } catch (thrown) {
        const headers = sentHeaders?.get(call.context.notes);
        const error = A2AError.from(thrown);
        if (error.kind !== 'unauthenticated' || headers === undefined || !auth.rejected(headers)) throw thrown;
        // The next call gets a new token. This call may have run, if a tool of the agent was refused its credentials.
        if (!mayRepeat(call, error) && !refusesCredentials(error)) throw thrown;
        options.onRetry?.();
        return invoke(outgoing);
      }
    },
    close: opened.close,
  };
}

/** Headers that calls in progress have sent, by an object that all attempts of a call share. */
type SentHeaders = WeakMap<ReplyNotes, Record<string, string>>;

const headersFor =
  (auth: OutboundAuth, url: URL, sentHeaders: SentHeaders | undefined): OpenOptions['headers'] =>
  (context) => {
    const headers = auth.headers(context.credentials?.(), url, context.signal);
    const { attempt } = context;
    if (!sentHeaders && !attempt) return headers;
    return Promise.resolve(headers).then((sent) => {
      sentHeaders?.set(context.notes, sent);
      attempt?.hide(sent);
      return sent;
    });
  };

/** Operations that change something but may be repeated (A2A 1.0.1 sections 3.1.10 and 3.3.1). */
const idempotent: readonly OperationName[] = ['CancelTask', 'DeleteTaskPushNotificationConfig'];

const all: readonly Operation[] = [...operations, ...extensionOperations];
const repeatable: ReadonlySet<string> = new Set([
  ...all.flatMap(({ name, reads }) => (reads ? [name] : [])),
  ...idempotent,
]);

/** Whether a call that failed may be sent again, because repeating it is harmless or the first attempt has provably not run. */
export const mayRepeat = ({ operation }: Pick<Call, 'operation'>, error: A2AError): boolean =>
  repeatable.has(operation) || provesNothingRan(error);

const operationSpans = spanNames(all);

/** Middleware: a span for each attempt to call an agent, until its reply ends. The agent gets the span's trace context. */
function traceCalls(tracing: Tracing, agent: string, choice: InterfaceChoice, url: URL): (next: Invoke) => Invoke {
  const { name: binding } = choice.binding;
  const attributes = {
    'gen_ai.agent.name': agent,
    'a2a.binding': binding,
    'a2a.dialect': choice.dialect.name,
    'server.address': url.hostname,
    'server.port': url.port === '' ? undefined : Number(url.port),
  };
  return (next) => async (call) => {
    const { context, operation } = call;
    const known = operationSpans.get(operation);
    const span = tracing.begin({ name: known?.title ?? 'A2A', kind: 'client', parent: context });
    if (span.recording) {
      span.set({ ...rpcAttributes(binding, known?.method), ...attributes, 'a2a.request.id': context.requestId });
    }
    try {
      const reply = await next({ ...call, context: withTrace(context, span.trace) } as Call);
      if (isStream(reply) && span.recording) return tapReply(reply, { onEnd: (thrown) => end(span, binding, thrown) });
      span.end();
      return reply;
    } catch (thrown) {
      end(span, binding, thrown);
      throw thrown;
    }
  };
}

/** Ends a span. Every error fails the span of its caller, except a cancellation by the gateway itself. */
function end(span: Span, binding: BindingKind, thrown: unknown): void {
  if (thrown !== undefined && span.recording) {
    const error = A2AError.from(thrown);
    if (error.kind === 'canceled') span.set({ 'error.type': error.kind });
    else span.fail(error.kind);
    span.set(statusAttributes(binding, { ...error.row, ...(error.rpcStatus && { grpc: error.rpcStatus }) }));
  }
  span.end();
}
