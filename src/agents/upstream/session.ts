import { besides } from '../../client/besides.ts';
import type { Binding, OpenOptions } from '../../client/bindings.ts';
import type { Choice } from '../../client/choose.ts';
import { withOutputModes } from '../../client/output-modes.ts';
import { createRecognizer } from '../../client/software.ts';
import { routeByService } from '../../core/middleware/routing.ts';
import { type AgentCard, operations } from '../../core/model/a2a.ts';
import type { Call, Invoke, ReplyNotes } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { LinkOptions } from './connection.ts';
import { traceUpstream } from './trace.ts';

/** One way to an agent, opened. */
export interface Wire {
  readonly choice: Choice;
  readonly invoke: Invoke;
  /** Whether this is the way to there. */
  isFor(choice: Choice, url: URL): boolean;
  close(): void | Promise<void>;
}

const addressFor = ({ binding, dialect, interface: { tenant } }: Choice, { href }: URL): string =>
  [binding.name, dialect.name, href, tenant].join(' ');

/**
 * Opens a way. Its calls show what the agent knows the gateway by; a token that is refused is renewed once.
 *
 * @param cardOf the agent's card, as it is when a call is made
 */
export async function openWire(
  choice: Choice,
  url: URL,
  options: Pick<
    LinkOptions,
    'http' | 'auth' | 'tls' | 'timeout' | 'strict' | 'quirks' | 'url' | 'tracing' | 'observe' | 'onRetry' | 'name'
  >,
  cardOf: () => AgentCard | undefined,
): Promise<Wire> {
  const { http, auth, timeout, strict } = options;
  const tls = url.origin === new URL(options.url).origin ? options.tls : undefined;
  /** What the calls that are under way have shown, by what is one object for all attempts of a call. */
  const shown = new WeakMap<ReplyNotes, Record<string, string>>();
  const recognizer = createRecognizer(choice.dialect, choice.binding.face, options.quirks);
  const { quirks } = recognizer;
  const open = (dialect: OpenOptions['dialect']): ReturnType<Binding['open']> =>
    choice.binding.open({
      url: url.href,
      dialect,
      http,
      ...(tls && { tls }),
      headers: async (context) => {
        const headers = await auth.headers(context.credentials?.(), url, context.signal);
        shown.set(context.notes, headers);
        return headers;
      },
      timeout,
      strict,
      ...(quirks && { quirks }),
    });
  const transport = await open(choice.dialect);
  const beside = besides(open);
  const asked = withOutputModes(choice.dialect, cardOf)(recognizer.wrap(transport.invoke));
  const routed = routeByService({ operations, invoke: asked }, ...beside);
  const { tracing, name: agent } = options;
  const followed = tracing ? traceUpstream(tracing, { agent, choice, url })(routed) : routed;
  const invoke = options.observe?.(followed) ?? followed;
  const address = addressFor(choice, url);
  return {
    choice,
    async invoke(call) {
      const outgoing = withTenant(call, choice);
      try {
        return await invoke(outgoing);
      } catch (thrown) {
        const headers = shown.get(call.context.notes);
        const refused = A2AError.from(thrown).kind === 'unauthenticated' && headers !== undefined;
        if (!refused || !auth.rejected(headers)) throw thrown;
        options.onRetry?.();
        return invoke(outgoing);
      }
    },
    isFor: (other, at) => addressFor(other, at) === address,
    close: async () => {
      await Promise.all([transport.close(), ...beside.map((each) => each.close())]);
    },
  };
}

/** A client copies the tenant of the interface into each request (A2A 1.0.1 section 8.3.2). */
function withTenant(call: Call, { interface: { tenant } }: Choice): Call {
  return tenant ? ({ ...call, request: { ...call.request, tenant } } as Call) : call;
}
