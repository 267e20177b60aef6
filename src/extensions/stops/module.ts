import { operations } from '../../core/model/a2a.ts';
import type { TaskFilter } from '../../core/ports/admin-store.ts';
import type { Judge } from '../../core/ports/judge.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import { counter, type Family, gauge } from '../../metrics/family.ts';
import type { AddedHandlers, ReplicaFacts } from '../handlers.ts';
import type { AdminHost, Erased, ErasedCaller, Host, OpeningHost, Order } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ModuleInterceptor } from '../part.ts';
import { judgeOf, refuseStopped, refuseStoppedRoots } from './judge.ts';
import { type Stop, type StopKind, type StopTargets, stopError } from './model.ts';
import type { OperatorStops } from './stops.ts';

/** Callers, agents and trees of tasks that operators have stopped. */
export const stops: Module = { name: 'stops', open: (host) => new StopsModule(host) };

/**
 * Milliseconds after a stop in which each replica ends the tasks in its memory. Only later, tasks of dead replicas are looked
 * for.
 */
const newFor = 1_000;

/** Operations whose streams end with their tasks. */
const taskStreams: ReadonlySet<string> = new Set(operations.flatMap((one) => (one.streaming ? [one.name] : [])));

const filters: Readonly<Record<StopKind, (subject: string) => TaskFilter>> = {
  caller: (principal) => ({ principal }),
  agent: (agent) => ({ agent }),
  root: (root) => ({ root }),
};

class StopsModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Undefined until the store is open. */
  #stops: OperatorStops | undefined;
  /** Undefined: nothing is stopped. */
  #judge: Judge | undefined;
  readonly interceptors = [
    {
      name: 'stops',
      // After authorization, like the modes of agents, so that only authorized callers learn the reason of a stop.
      at: 'admitted',
      applies: () => this.#judge !== undefined,
      intercept: (next) => (this.#judge ? refuseStopped(this.#judge, this.#host.agents)(next) : next),
    },
  ] satisfies ModuleInterceptor[];

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async ready(): Promise<void> {
    const { store, logger, recompose } = this.#host;
    const [{ OperatorStops }, { openStops }] = await Promise.all([import('./stops.ts'), import('./store.ts')]);
    const stops = new OperatorStops({ store: await store.extend(openStops), peers: store.peers, logger });
    stops.onChange = () => {
      this.#judge = stops.active && judgeOf(stops.active);
      recompose();
    };
    await stops.read();
    this.#stops = stops;
  }

  judge(): Judge | undefined {
    return this.#judge;
  }

  hooks(): RunHook[] {
    return this.#judge?.needsRoot ? [refuseStoppedRoots(this.#judge)] : [];
  }

  families(): Family[] {
    const { active, endedTasks = 0 } = this.#stops ?? {};
    const count = active?.all.length ?? 0;
    return [
      gauge('stops', 'Callers, agents and trees of tasks that operators have stopped.', count, 'highest'),
      counter('tasks_stopped', 'Tasks that ended because an operator stopped their caller, agent or tree.', endedTasks),
    ];
  }

  async handlers({ store, active, otherGateways }: AdminHost): Promise<AddedHandlers> {
    const { stopHandlers } = await import('./handlers.ts');
    const stopElsewhere = (root: string, by: string, reason?: string) => otherGateways.order(root, { by, reason });
    return { handlers: stopHandlers({ store, stops: this.#opened, agents: active.agents, stopElsewhere }) };
  }

  replicaFacts(): ReplicaFacts {
    return { stops: this.#stops?.active?.all.length ?? 0 };
  }

  /** Stops trees of tasks; existing stops stay unchanged. */
  async onOrder(roots: Iterable<string>, { by, reason }: Order): Promise<void> {
    const stops = this.#opened;
    for (const subject of roots) {
      const wanted = reason && { kind: 'root' as const, subject, reason, stoppedBy: by };
      const changed = await (wanted ? stops.stop(wanted) : stops.resume('root', subject));
      if (!changed || (wanted && changed.stoppedBy !== by)) continue;
      const operation = wanted ? 'StopRoot' : 'ResumeRoot';
      this.#host.audit({ event: 'admin.action', principal: by, operation, subject, ...(reason && { reason }) });
    }
  }

  /** Stops stay in force: they are listed, unless they name the caller. */
  async erase({ principal, tasks }: ErasedCaller): Promise<Erased> {
    if (tasks.length > 0) return {};
    const all = await this.#opened.list();
    const nameOf = ({ kind, subject }: Stop): string => (subject === principal ? kind : `${kind} ${subject}`);
    return {
      remaining: {
        stops: all.filter((stop) => stop.subject === principal || stop.stoppedBy === principal).map(nameOf),
      },
    };
  }

  start(host: Host): void {
    this.#stops?.start(this.#targets(host));
  }

  #targets({ active, ongoing, service, store }: Host): StopTargets {
    const isActive = (stop: Stop): boolean => this.#stops?.active?.all.includes(stop) === true;
    return {
      endOwnStopped: (stopped) =>
        service.endTasks((task, root) => {
          const stop = stopped.of(task, root);
          return stop && stopError(stop);
        }),
      endStopped: (stop) =>
        service.endIdleTasks({
          filter: filters[stop.kind](stop.subject),
          reason: stopError(stop),
          unownedOnly: store.now() - stop.stoppedAt < newFor,
          goesOn: () => isActive(stop),
        }),
      endStreams: (stopped, isOld) =>
        ongoing.review(({ principal, agent, operation }) => {
          const stop = stopped.of({ agent, principal: principal.id });
          const isOfTask = operation !== undefined && taskStreams.has(operation) && !active.agents.get(agent)?.invoke;
          return stop && (!isOfTask || isOld(stop)) ? stopError(stop) : undefined;
        }),
    };
  }

  close(): void {
    this.#stops?.close();
  }

  get #opened(): OperatorStops {
    if (!this.#stops) throw new TypeError('stops are read before the gateway is ready');
    return this.#stops;
  }
}
