import { operations } from '../../core/model/a2a.ts';
import { refuseStopped, refuseStoppedTrees } from '../../core/operations/stopped.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import { stopError } from '../../core/ports/stops.ts';
import type { AddedHandlers, ReplicaFacts } from '../handlers.ts';
import type { AdminHost, Host, OpeningHost, TreeOrder } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ModuleInterceptor } from '../part.ts';
import type { OperatorStops } from './stops.ts';

/** Callers, agents and trees of tasks that operators have stopped. */
export const stops: Module = { name: 'stops', open: (host) => new StopsModule(host) };

/** Operations whose streams end with their tasks. */
const taskStreams: ReadonlySet<string> = new Set(operations.flatMap((one) => (one.streaming ? [one.name] : [])));

class StopsModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Absent until the store is open. */
  #stops: OperatorStops | undefined;
  readonly interceptors = [
    {
      name: 'stops',
      // Like the modes of agents, after authorization: why something is stopped is for authorized callers.
      at: 'admitted',
      applies: () => this.#stops?.active !== undefined,
      intercept: (next) => refuseStopped(this.#opened, this.#host.agents)(next),
    },
  ] satisfies ModuleInterceptor[];

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async ready(): Promise<void> {
    const { store, logger, meters, recompose, stops: known } = this.#host;
    const [{ OperatorStops }, { openStops }] = await Promise.all([import('./stops.ts'), import('./store.ts')]);
    const stops = new OperatorStops({ store: await store.extend(openStops), peers: store.peers, logger, meters });
    stops.onChange = (active) => {
      known.active = active;
    };
    stops.onActive = recompose;
    await stops.read();
    this.#stops = stops;
  }

  /** Calls of other gateways say only with their path which tree they belong to. */
  hooks(): RunHook[] {
    return this.#stops?.active ? [refuseStoppedTrees(this.#stops)] : [];
  }

  async handlers({ store, active, trees }: AdminHost): Promise<AddedHandlers> {
    const { stopHandlers } = await import('./handlers.ts');
    const stopElsewhere = (root: string, by: string, reason?: string) => trees.order(root, { by, reason });
    return { handlers: stopHandlers({ store, stops: this.#opened, agents: active.agents, stopElsewhere }) };
  }

  replicaFacts(): ReplicaFacts {
    return { stops: this.#stops?.active?.all.length ?? 0 };
  }

  /** What is stopped already stays as it is. */
  async onTreeOrder(roots: Iterable<string>, { by, reason }: TreeOrder): Promise<void> {
    const stops = this.#opened;
    for (const subject of roots) {
      const wanted = reason && { kind: 'root' as const, subject, reason, stoppedBy: by };
      const changed = await (wanted ? stops.stop(wanted) : stops.resume('root', subject));
      if (!changed || (wanted && changed.stoppedBy !== by)) continue;
      const operation = wanted ? 'StopRoot' : 'ResumeRoot';
      this.#host.audit({ event: 'admin.action', principal: by, operation, subject, ...(reason && { reason }) });
    }
  }

  start({ active, ongoing, service }: Host): void {
    this.#stops?.start({
      endOwnStopped: service.endOwnStopped,
      endStopped: service.endStopped,
      endStreams: (stopped, isOld) =>
        ongoing.review(({ principal, agent, operation }) => {
          const stop = stopped.of({ agent, principal: principal.id });
          const isOfTask = operation !== undefined && taskStreams.has(operation) && !active.agents.get(agent)?.invoke;
          return stop && (!isOfTask || isOld(stop)) ? stopError(stop) : undefined;
        }),
    });
  }

  close(): void {
    this.#stops?.close();
  }

  get #opened(): OperatorStops {
    if (!this.#stops) throw new TypeError('stops are read before the gateway is ready');
    return this.#stops;
  }
}
