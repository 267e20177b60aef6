import { endStreamsOnExpiry, type OpenStreams } from '../../auth/stream-expiry.ts';
import { loopTurns } from '../../core/limits/loop-turns.ts';
import { refuseLimitedAgents } from '../../core/middleware/agent-modes.ts';
import { claimsKey, idempotent } from '../../core/middleware/idempotency.ts';
import { logFailures, logRequests } from '../../core/middleware/logging.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Service } from '../../core/operations/service.ts';
import type { PipelinePoint } from '../../extensions/part.ts';
import type { Operation } from '../../gen/operations.ts';
import type { PipelineService } from './modules.ts';
import type { Opened } from './open.ts';

export interface PipelineDeps extends Opened {
  readonly ongoing: OpenStreams;
  readonly core: Pick<Service, 'invoke' | 'keyed'>;
  readonly services: readonly PipelineService[];
  /** Names of the operations that only read facts for operators. */
  readonly unlisted: ReadonlySet<string>;
  /** Names of the operations that are about the gateway, not about an agent. */
  readonly ofGateway: ReadonlySet<string>;
}

/** A point in the pipeline at which modules add steps. */
interface ModulePoint {
  readonly name: string;
  readonly modules: PipelinePoint;
}

/** One step of the pipeline. `next` is the rest of the pipeline. */
interface Interceptor {
  readonly name: string;
  readonly modules?: undefined;
  /**
   * Whether calls of an operation pass the step with the current configuration. Absent: all calls do. For unknown operations, the
   * argument is undefined.
   */
  applies?(deps: PipelineDeps, operation: Operation | undefined): boolean;
  /** Called once. The returned function is called for each operation, and again after a reload. */
  create(deps: PipelineDeps): (next: Invoke) => Invoke;
}

/**
 * All interceptors that a call may pass between a transport and the core service, outermost first. A reply passes them in
 * reverse.
 *
 * Earlier steps are not part of a call yet: the transports authenticate the caller and apply the request rate to the headers
 * (`Access.admit`), check the scope before they read the body (`checkOperation`), and decode and validate the message. The
 * services themselves limit the number of open streams, because only they know which calls open one.
 */
export const pipeline: readonly (Interceptor | ModulePoint)[] = [
  // Outermost: the time for which a call waits for its turn of the event loop is not measured, traced or logged.
  { name: 'event loop turns', create: yieldToEventLoop },
  // Outside of traces and logs: counts every call, and measures their cost as part of its duration.
  {
    name: 'metrics',
    create: ({ metrics, active, operations, dialects, unlisted }) =>
      metrics.calls.middleware({
        isAgent: (name) => active.agents.get(name) !== undefined,
        operations: new Set(operations.map(({ name }) => name)),
        dialects: new Set(dialects.protocols.map(({ name }) => name)),
        unlisted,
      }),
  },
  // Before the logs, whose lines contain the ids of the span.
  {
    name: 'trace',
    applies: ({ traces }) => traces.tracing !== undefined,
    create: ({ traces, operations }) => traces.calls(operations),
  },
  // Inside of the span, and outside of all steps that refuse calls.
  { name: 'modules, traced', modules: 'traced' },
  // Outside of all steps that refuse calls: a refused call is logged, too.
  {
    name: 'request log',
    applies: ({ active }) => active.snapshot.config.log.requests,
    create: ({ logger, active, meters }) => logRequests({ logger, settings: active.select('log'), meters }),
  },
  // Inside the span and the request log, which then see the A2AError that this step makes of any exception.
  { name: 'failure log', create: ({ logger }) => logFailures(logger) },
  // Around authorization: it watches the streams of authorized callers, and ends them when their access ends.
  {
    name: 'stream expiry',
    applies: (_, operation) => operation === undefined || operation.streaming || operation.clientStreaming === true,
    create: ({ ongoing }) => endStreamsOnExpiry(ongoing),
  },
  // Before the idempotency key is looked up: only authorized callers may get an answer that is stored under a key.
  {
    name: 'authorize',
    create:
      ({ active }) =>
      (next) =>
        active.snapshot.access.authorize(next),
  },
  // After authorization, for the same reason.
  { name: 'modules, authorized', modules: 'authorized' },
  // After authorization: a caller that may not call the agent must learn nothing about it.
  {
    name: 'agent modes',
    applies: ({ modes }) => modes.limited !== undefined,
    create: ({ active, modes, store, operations }) =>
      refuseLimitedAgents({ modes, store, operations, keepsNothing: keepsNothing(active) }),
  },
  // For calls that no step of the gateway itself refuses, and outside of the step that stores their answers.
  { name: 'modules, admitted', modules: 'admitted' },
  // Last: a call that was refused before does not claim its key.
  {
    name: 'idempotency',
    applies: ({ core }, operation) => operation !== undefined && claimsKey(operation, core.keyed),
    create: ({ active, store }) => idempotent(active.select('limits', { store, keepsNothing: keepsNothing(active) })),
  },
];

/** Returns whether the gateway stores nothing for an agent. */
const keepsNothing =
  ({ agents }: Opened['active']) =>
  (agent: string): boolean =>
    agents.get(agent)?.invoke !== undefined;

/** A step for calls of one operation. */
type Step = (next: Invoke) => Invoke;

/**
 * The services behind the whole pipeline. For each operation, the pipeline consists of the steps that apply to it. It is composed
 * at the start, after a reload, when the first agent is limited or the last one no longer is, and when a module requests it.
 * Unknown operations reach the core service, which refuses them.
 */
export function createPipeline(deps: PipelineDeps): Invoke {
  const { active, modes, modules, core, services, operations, ofGateway } = deps;
  const entries = pipeline.map((entry) =>
    entry.modules ? entry : { applies: entry.applies, wrap: entry.create(deps), modules: undefined },
  );
  const stepsOf = (operation: Operation | undefined): Step[] =>
    entries.flatMap((entry): Step[] => {
      if (!entry.modules) return entry.applies?.(deps, operation) === false ? [] : [entry.wrap];
      const isOfGateway = ofGateway.has(operation?.name ?? '');
      return modules
        .interceptors(entry.modules, active.snapshot.parts)
        .filter((one) => one.applies?.(operation, isOfGateway) !== false)
        .map(
          (one): Step =>
            (next) =>
              one.intercept(next),
        );
    });
  const handlers = new Map(services.flatMap(({ operations: own, invoke }) => own.map(({ name }) => [name, invoke])));
  const compose = (operation: Operation | undefined): Invoke =>
    stepsOf(operation).reduceRight(
      (next, step) => step(next),
      (operation && handlers.get(operation.name)) ?? core.invoke,
    );
  const composeAll = () => ({
    byName: new Map(operations.map((operation) => [operation.name, compose(operation)])),
    others: compose(undefined),
  });
  let composed = active.computed(composeAll);
  const recompose = (): void => {
    composed = active.computed(composeAll);
  };
  modes.onLimited = recompose;
  modules.onRecompose(recompose);
  return (call) => {
    const { byName, others } = composed();
    return (byName.get(call.operation) ?? others)(call);
  };
}

/** Calls from outside start in turns of the event loop, which all operations share. */
function yieldToEventLoop(): (next: Invoke) => Invoke {
  return (next) => (call) => {
    const { reservation } = call.context;
    const turn = reservation && (loopTurns.takeFor(reservation.bytes) ?? loopTurns.take());
    if (!turn) return next(call);
    return turn.then(() => {
      if (reservation.isClosed) throw new A2AError('canceled');
      return next(call);
    });
  };
}
