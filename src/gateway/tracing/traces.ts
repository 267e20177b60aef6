import type { Config } from '../../config/types.ts';
import type { Invoke } from '../../core/model/call.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { observeStore } from '../../core/telemetry/observed-store.ts';
import { TaskTraces } from '../../core/telemetry/task-traces.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { Send } from '../../push/sender.ts';
import { traceDirectory } from './agents.ts';
import { traceCalls } from './calls.ts';
import { openTracing } from './open.ts';
import { traceSending } from './sending.ts';
import { traceAccesses } from './stores.ts';

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
