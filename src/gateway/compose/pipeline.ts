import { endStreamsOnExpiry, type OpenStreams } from '../../auth/stream-expiry.ts';
import { refuseLimitedAgents } from '../../core/middleware/agent-modes.ts';
import { idempotent } from '../../core/middleware/idempotency.ts';
import { logFailures, logRequests } from '../../core/middleware/logging.ts';
import { routeByService } from '../../core/middleware/routing.ts';
import { yieldToEventLoop } from '../../core/middleware/yield-to-event-loop.ts';
import type { Invoke } from '../../core/model/call.ts';
import { operations as adminOperations } from '../../gen/admin-v1/operations.ts';
import { operations as knowledgeOperations } from '../../gen/knowledge-v1/operations.ts';
import type { Opened } from './open.ts';

/** The dependencies of the interceptors. */
interface PipelineDeps extends Opened {
  readonly ongoing: OpenStreams;
  /** Names of the operations that store their idempotency key themselves. */
  readonly keyed: ReadonlySet<string>;
  /** The knowledge service. */
  readonly knowledge: Invoke;
  /** The admin service. */
  readonly admin: Invoke;
}

/** One step of the pipeline; `next` is all that comes after it. */
interface Interceptor {
  readonly name: string;
  create(deps: PipelineDeps): (next: Invoke) => Invoke;
}

/**
 * Everything that a call passes between a transport and the core service, outermost first. A reply passes it in reverse.
 *
 * What comes before is no part of a call yet: the transports authenticate the caller and apply the request rate to the
 * headers (`Access.admit`), check the scope before they read the body (`checkOperation`), and decode and validate the
 * message. The services themselves bound the number of open streams, since only they know which calls open one.
 */
export const pipeline: readonly Interceptor[] = [
  // Outermost: while a call waits for its turn of the event loop, it is not measured, traced or logged.
  { name: 'event loop turns', create: () => yieldToEventLoop },
  // Outside of traces and logs: counts every call, and its duration includes what they cost.
  {
    name: 'metrics',
    create: ({ metrics, active, operations, dialects }) =>
      metrics.calls({
        isAgent: (name) => active.agents.get(name) !== undefined,
        operations: new Set(operations.map(({ name }) => name)),
        dialects: new Set(dialects.protocols.map(({ name }) => name)),
      }),
  },
  // Before the logs, whose lines carry the ids of the span.
  { name: 'trace', create: ({ traces, operations }) => traces.calls(operations) },
  // Outside of what refuses calls: a refused call gets its line too.
  {
    name: 'request log',
    create: ({ logger, active, meters }) => logRequests({ logger, settings: active.select('log'), meters }),
  },
  // Inside the span and the request log, which then see the A2AError that this makes of anything thrown.
  { name: 'failure log', create: ({ logger }) => logFailures(logger) },
  // Around authorization: it watches the streams of authorized callers, and ends them when their access ends.
  {
    name: 'stream expiry',
    create: ({ ongoing, operations }) => endStreamsOnExpiry(ongoing, operations),
  },
  // Before the idempotency key is looked up: an answer that is stored under a key is for authorized callers only.
  {
    name: 'authorize',
    create:
      ({ active }) =>
      (next) => {
        const authorized = active.computed(({ access }) => access.authorize(next));
        return (call) => authorized()(call);
      },
  },
  // After authorization: a caller that may not call the agent learns nothing about it.
  {
    name: 'agent modes',
    create: ({ active, modes, store, operations }) =>
      refuseLimitedAgents({ modes, store, operations, keepsNothing: keepsNothing(active) }),
  },
  // Next to the services: a call that was refused above claims no key.
  {
    name: 'idempotency',
    create: ({ active, store, operations, keyed }) =>
      idempotent(active.select('limits', { store, operations, keyed, keepsNothing: keepsNothing(active) })),
  },
  // Last, since all above applies to all services.
  {
    name: 'route to service',
    create:
      ({ knowledge, admin }) =>
      (next) =>
        routeByService(
          { operations: [], invoke: next },
          { operations: knowledgeOperations, invoke: knowledge },
          { operations: adminOperations, invoke: admin },
        ),
  },
];

/** Whether the gateway stores nothing for an agent. */
const keepsNothing =
  ({ agents }: Opened['active']) =>
  (agent: string): boolean =>
    agents.get(agent)?.invoke !== undefined;

/** The core service behind the whole pipeline. */
export const throughPipeline = (core: Invoke, deps: PipelineDeps): Invoke =>
  pipeline.reduceRight((next, interceptor) => interceptor.create(deps)(next), core);
