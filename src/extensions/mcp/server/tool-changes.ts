import type { OpenStreams } from '../../../auth/stream-expiry.ts';
import type { StreamLimit } from '../../../core/limits/stream-limit.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { defaultSemantics } from '../../../core/model/call.ts';
import { newNotes } from '../../../transports/http/call-head.ts';
import type { HttpContext } from '../../../transports/http/context.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import { contextOf } from '../../../transports/http/headers.ts';
import { type AgentToolsOptions, offerOf } from './tool-agents.ts';

export interface ToolChangesOptions {
  readonly http: Pick<HttpContext, 'meters'>;
  readonly tools: AgentToolsOptions;
  /** Limits open streams. Absent: no limit. */
  readonly streams: StreamLimit | undefined;
  /** Registers the streams, which end when their callers lose access. */
  readonly ongoing: OpenStreams;
}

/** A stream that reports changes of tools. */
export interface ToolChanges {
  /** Checks immediately whether the tools have changed. */
  check(): void;
  release(): void;
}

/** Opens a stream that reports changes of tools. It counts towards the caller's limit on streams. */
export function openToolChanges(
  exchange: Exchange,
  changed: () => void,
  { http, tools, streams, ongoing }: ToolChangesOptions,
): ToolChanges {
  const { principal, base, res } = exchange;
  const slot = streams?.take(
    contextOf(exchange, {
      binding: 'mcp',
      dialect: tools.dialect,
      semantics: defaultSemantics,
      streaming: true,
      notes: newNotes(),
    }),
  );
  const watch = watchCards(() => offerOf(exchange, tools).agents.map(({ card }) => card), changed);
  const meter = http.meters.streamsOf('mcp');
  meter.open += 1;
  meter.begun += 1;
  // Without an agent in its path, the stream concerns all agents that the caller may call.
  const agent = base === '' ? '' : exchange.agent;
  const unregister = ongoing.add({ principal, agent, operation: undefined, end: () => void res.end() });
  const release = (): void => {
    meter.open -= 1;
    unregister();
    watch.stop();
    slot?.release();
  };
  return { check: watch.check, release };
}

/** Milliseconds between two checks of the cards for a stream that reports changes of tools. */
const watchPace = 1_000;

function watchCards(read: () => readonly AgentDescription[], onChange: () => void) {
  let former = read();
  const check = (): void => {
    const now = read();
    if (now.length === former.length && now.every((card, index) => card === former[index])) return;
    former = now;
    onChange();
  };
  const timer = setInterval(check, watchPace).unref();
  return { check, stop: () => clearInterval(timer) };
}
