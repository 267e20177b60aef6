import { missingPackages } from '../../config/packages.ts';
import type { Config } from '../../config/types.ts';
import type { Agent } from '../../core/model/agent.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Append } from '../../core/ports/task-store.ts';
import { type AccessObserver, observeStore, type StoreAccess } from '../../core/telemetry/observed-store.ts';
import { TaskTraces } from '../../core/telemetry/trace-context.ts';
import { ambientTrace, type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { SendNotification } from '../../push/sender.ts';
import type { ConfiguredLogger } from '../process/logger.ts';
import { traceAgent } from './agents.ts';
import { traceCalls } from './calls.ts';

/**
 * Starts sending traces, metrics and log lines if the configuration, the environment or the program enables it. Returns the
 * traced parts of a gateway; without tracing, the parts themselves.
 *
 * @param wholeProcess whether the SDK of the configuration is registered for the process, so that agents' code finds it
 */
export async function openTraces(
  config: Pick<Config, 'tracing'>,
  { logger, wholeProcess }: { logger: Logger | ConfiguredLogger; wholeProcess: boolean },
) {
  /** The trace context of each task's latest turn. */
  const turns = new TaskTraces();
  const telemetry = await telemetryOf(config, logger, wholeProcess);
  const { tracing, metrics } = telemetry ?? {};
  // A program with a logger of its own sends its lines itself.
  if (telemetry?.log && 'copyTo' in logger) logger.copyTo(telemetry.log);
  return {
    /** Undefined: no spans are created, and callers' trace contexts are passed on unchanged. */
    tracing,
    turns,
    observe(store: Store, url: string): Store {
      const system = url.startsWith('postgres') ? 'postgresql' : 'sqlite';
      return tracing ? observeStore(store, (access) => traceAccesses(access, tracing, system)) : store;
    },
    agent: (name: string, agent: Agent, kind: 'internal' | 'client') =>
      tracing ? traceAgent(name, agent, kind, { tracing, turns }) : agent,
    /** Middleware: a span for each call. */
    calls: (operations: readonly Operation[]) => (tracing ? traceCalls(tracing, operations) : (next: Invoke) => next),
    sending: (send: SendNotification) => traceSending(send, turns, tracing),
    /** Starts sending metrics. Undefined: they are not sent. */
    metrics,
    /** Sends the remaining spans and lines, for up to `graceMs` milliseconds. Never rejects. */
    close: async (graceMs: number) => telemetry?.close(graceMs),
  };
}

/** Loads OpenTelemetry's API only if the configuration or the environment enables it, or the program uses it. */
async function telemetryOf({ tracing }: Pick<Config, 'tracing'>, logger: Logger, wholeProcess: boolean) {
  if (!tracing && !Object.hasOwn(globalThis, registry)) return undefined;
  const missing = missingPackages(tracing ? 'tracing' : 'spans');
  if (missing !== undefined) {
    logger.warn({}, `no telemetry is sent: tracing ${missing}`);
    return undefined;
  }
  const { openTelemetry } = await import('./otel.ts');
  return openTelemetry(tracing, logger, wholeProcess);
}

/** Key under which OpenTelemetry's API stores the SDK that a program has registered. */
const registry = Symbol.for('opentelemetry.js.api.1');

/**
 * Sends webhooks in the trace of the turn that they report, or of the call that opened the task. With tracing, each request has a
 * span.
 */
function traceSending(send: SendNotification, traces: TaskTraces, tracing: Tracing | undefined): SendNotification {
  return (delivery, shape, body, signal) => {
    const known = traces.of(delivery.key);
    // Another gateway ran the turn, or this one before it was restarted.
    const turn = known.traceparent === undefined && delivery.trace ? { traceparent: delivery.trace } : known;
    if (!tracing) return send(delivery, shape, body, signal, turn);
    return withSpan(
      tracing,
      { name: 'A2A push', kind: 'client', parent: turn },
      () => ({
        'gen_ai.agent.name': delivery.owner.agent,
        'a2a.dialect': delivery.dialect,
        'a2a.push.receiver': delivery.receiver,
        'a2a.push.attempt': delivery.attempts + 1,
      }),
      async (span) => {
        const outcome = await send(delivery, shape, body, signal, span.trace);
        if (outcome.kind !== 'delivered' && outcome.kind !== 'canceled') span.fail(outcome.kind);
        return outcome;
      },
      () => 'internal',
    );
  };
}

/** Kinds of accesses for which a call waits. All others run in the background. */
const waitedFor: ReadonlySet<StoreAccess> = new Set([
  ...(['append', 'events', 'find', 'idempotency', 'list', 'load', 'push_config', 'upstream_ids'] as const),
  ...(['agent_state'] as const),
]);

/** Whether spans of this trace are kept. No others are created. */
const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;

/** Whether an append contains only chunks of artifacts. There may be thousands of them, and no call waits for one. */
const isChunk = ({ create, events, upstream }: Append): boolean =>
  !create && !upstream && events.every(({ event }) => event.artifactUpdate !== undefined);

/** Creates a span around each access of a kind that calls wait for. */
function traceAccesses(access: StoreAccess, tracing: Tracing, system: string): AccessObserver {
  if (!waitedFor.has(access)) return (run) => run();
  return (run, args) => {
    const parent = ambientTrace();
    if (parent.traceparent === undefined || !isSampled(parent.traceparent)) return run();
    if (access === 'append' && isChunk(args[0] as Append)) return run();
    return withSpan(
      tracing,
      { name: `store ${access}`, kind: 'client', parent },
      () => ({ 'db.system.name': system, 'db.operation.name': access }),
      run,
      (thrown) => A2AError.from(thrown).kind,
    );
  };
}
