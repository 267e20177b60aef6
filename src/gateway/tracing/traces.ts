import type { Config } from '../../config/types.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Append } from '../../core/ports/task-store.ts';
import type { AccessObserver, StoreAccess } from '../../core/telemetry/observed-store.ts';
import { observeStore } from '../../core/telemetry/observed-store.ts';
import { TaskTraces } from '../../core/telemetry/task-traces.ts';
import { ambientTrace, type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { Send } from '../../push/sender.ts';
import { traceDirectory } from './agents.ts';
import { traceCalls } from './calls.ts';
import { openTracing } from './open.ts';

export interface TracesOptions {
  readonly config: Pick<Config, 'tracing' | 'store'>;
  readonly logger: Logger;
  readonly store: Store;
  /** Whether code of agents finds the SDK that the configuration asks for as the one of its process. */
  readonly global: boolean;
}

/** What of a gateway is traced. Where nobody wants traces, everything is what it was. */
export interface Traces {
  /** Undefined: no spans are made, and what callers say of their traces is passed on as it is. */
  readonly tracing: Tracing | undefined;
  /** Where the latest turn of each task is in a trace. */
  readonly turns: TaskTraces;
  /** The store, seen by spans. */
  readonly store: Store;
  agents(directory: AgentDirectory): AgentDirectory;
  /** Middleware: a span for each call. */
  calls(operations: readonly Operation[]): (next: Invoke) => Invoke;
  /** What sends to webhooks, with the trace of the turn that it tells of. */
  sending(send: Send): Send;
  /** Sends what is left, for up to `graceMs` milliseconds. Never rejects. */
  close(graceMs: number): Promise<void>;
}

const asIs = (next: Invoke): Invoke => next;

/** Begins to trace, where the configuration, the environment or the program wants it. */
export async function openTraces({ config, logger, store, global }: TracesOptions): Promise<Traces> {
  const turns = new TaskTraces();
  const tracing = await openTracing({ config: config.tracing, logger, global });
  if (!tracing) {
    return {
      tracing,
      turns,
      store,
      agents: (directory) => directory,
      calls: () => asIs,
      sending: (send) => traceSending(send, turns, undefined),
      close: async () => undefined,
    };
  }
  const system = /^postgres(ql)?:/.test(config.store) ? 'postgresql' : 'sqlite';
  return {
    tracing,
    turns,
    store: observeStore(store, traceAccesses(tracing, system)),
    agents: (directory) => traceDirectory(directory, tracing, turns),
    calls: (operations) => traceCalls(tracing, operations),
    sending: (send) => traceSending(send, turns, tracing),
    close: (graceMs) => tracing.close(graceMs),
  };
}

/** Gives what is sent to webhooks its place in the trace of the turn that brought it; while the gateway traces, as a span. */
export function traceSending(send: Send, traces: TaskTraces, tracing: Tracing | undefined): Send {
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

/** Accesses that a call waits for; all others happen beside it, or on nobody's behalf. */
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

/** Whether spans of this trace are kept: of those that are not, none is made here. */
const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;

/** Whether an append brings nothing but pieces of artifacts: there may be thousands of them, and nobody waits for one. */
const isPiece = ({ create, events, binding: bound }: Append): boolean =>
  !create && !bound && events.every(({ event }) => event.artifactUpdate !== undefined);

/** What runs inside each access to a store: a span, where it is on behalf of a call. */
export function traceAccesses(tracing: Tracing, system: string): AccessObserver {
  return (access, run, args) => {
    const parent = ambientTrace();
    if (parent.traceparent === undefined || !waitedFor.has(access) || !isSampled(parent.traceparent)) return run();
    if (access === 'append' && isPiece(args[0] as Append)) return run();
    return withSpan(
      tracing,
      { name: `store ${access}`, kind: 'client', parent },
      () => ({ 'db.system.name': system, 'db.operation.name': access }),
      run,
      (thrown) => A2AError.from(thrown).kind,
    );
  };
}
