import type { Config } from '../../config/types.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Append } from '../../core/ports/task-store.ts';
import type { AccessObserver, StoreAccess } from '../../core/telemetry/observed-store.ts';
import { observeStore } from '../../core/telemetry/observed-store.ts';
import { TaskTraces } from '../../core/telemetry/trace-context.ts';
import { ambientTrace, type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { SendNotification } from '../../push/sender.ts';
import { traceDirectory } from './agents.ts';
import { traceCalls } from './calls.ts';
import { openTracing } from './otel.ts';

export interface TracesOptions {
  readonly config: Pick<Config, 'tracing' | 'store'>;
  readonly logger: Logger;
  readonly store: Store;
  /** Whether the SDK of the configuration is registered for the whole process, so that agents' code finds it. */
  readonly global: boolean;
}

/** The parts of a gateway that are traced. Without tracing each of them is passed through as it is. */
export interface Traces {
  /** Undefined: no spans are created, and callers' trace contexts are passed on as they are. */
  readonly tracing: Tracing | undefined;
  /** The place of each task's latest turn in a trace. */
  readonly turns: TaskTraces;
  /** The store, with a span for each access that a call waits for. */
  readonly store: Store;
  agents(directory: AgentDirectory): AgentDirectory;
  /** Middleware: a span for each call. */
  calls(operations: readonly Operation[]): (next: Invoke) => Invoke;
  /** The same sender of webhooks, whose requests belong to the trace of the turn that they report. */
  sending(send: SendNotification): SendNotification;
  /** Sends the remaining spans, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

/** Starts tracing, where the configuration, the environment or the program asks for it. */
export async function openTraces({ config, logger, store, global }: TracesOptions): Promise<Traces> {
  const turns = new TaskTraces();
  const tracing = await openTracing({ config: config.tracing, logger, global });
  const system = /^postgres(ql)?:/.test(config.store) ? 'postgresql' : 'sqlite';
  return {
    tracing,
    turns,
    store: tracing ? observeStore(store, traceAccesses(tracing, system)) : store,
    agents: (directory) => (tracing ? traceDirectory(directory, tracing, turns) : directory),
    calls: (operations) => (tracing ? traceCalls(tracing, operations) : (next) => next),
    sending: (send) => traceSending(send, turns, tracing),
    close: async (graceMs) => tracing?.close(graceMs),
  };
}

/** Sends webhooks in the trace of the turn that they report; with tracing, each request is a span. */
export function traceSending(
  send: SendNotification,
  traces: TaskTraces,
  tracing: Tracing | undefined,
): SendNotification {
  return (delivery, shape, body, signal) => {
    const turn = traces.of(delivery.key);
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

/** Accesses that a call waits for. All others run in the background. */
const waitedFor: ReadonlySet<StoreAccess> = new Set([
  'append',
  'events',
  'find',
  'idempotency',
  'list',
  'load',
  'push_config',
  'upstream_ids',
]);

/** Whether spans of this trace are kept; no others are created here. */
const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;

/** Whether an append holds only chunks of artifacts: there may be thousands, and no call waits for one. */
const isChunk = ({ create, events, binding }: Append): boolean =>
  !create && !binding && events.every(({ event }) => event.artifactUpdate !== undefined);

/** Creates a span around each access to a store that a call waits for. */
export function traceAccesses(tracing: Tracing, system: string): AccessObserver {
  return (access, run, args) => {
    const parent = ambientTrace();
    if (parent.traceparent === undefined || !waitedFor.has(access) || !isSampled(parent.traceparent)) return run();
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
