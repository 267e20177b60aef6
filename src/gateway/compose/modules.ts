import type { ScopedOperations } from '../../auth/authorize.ts';
import type { Config } from '../../config/types.ts';
import type { AnswerReplica } from '../../core/cluster/replica-requests.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import type { CallContext, Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Ancestor } from '../../core/model/lineage.ts';
import { shared } from '../../core/model/timing.ts';
import type { ExchangeObserver } from '../../core/ports/exchange-observer.ts';
import type { Judge } from '../../core/ports/judge.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import type { AddedHandlers, TaskFacts } from '../../extensions/handlers.ts';
import type { AdminParts, Erased, ErasedCaller, Host, OpeningHost, OtherGateways } from '../../extensions/host.ts';
import type {
  AgentKinds,
  Module,
  ModuleHttp,
  ModuleServer,
  ModuleService,
  OpenModule,
} from '../../extensions/module.ts';
import type { ModuleInterceptor, PipelinePoint } from '../../extensions/part.ts';
import type { AskedListener, AskedParts } from '../../extensions/question-listener.ts';
import type { Operation } from '../../gen/operations.ts';
import type { Family } from '../../metrics/family.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { ConfiguredParts } from '../reload/parts.ts';

/** Operations of the services of modules, with their scopes. */
export const scopedOperations = (
  modules: readonly Module[],
): readonly (ScopedOperations & { readonly operations: readonly Operation[] })[] =>
  modules.flatMap(({ service, restricted }) => [
    ...(service ? [service] : []),
    ...(restricted ? [{ scope: 'admin', operations: [], restricted }] : []),
  ]);

/** All kinds of agents that modules create. */
export const agentKinds = (modules: readonly Module[]): AgentKinds =>
  Object.assign({}, ...modules.map(({ agents }) => agents));

/** A service behind the pipeline. */
export interface PipelineService {
  readonly operations: readonly Operation[];
  readonly invoke: Invoke;
  readonly answer?: AnswerReplica;
}

interface Opened {
  readonly module: Module;
  readonly own: OpenModule;
}

/** The modules of one gateway, and their combined capabilities. None is addressed by its name. */
export class OpenModules {
  /** The modules, in the order of the list. */
  readonly all: readonly OpenModule[];
  readonly #opened: readonly Opened[];
  readonly #services = new Map<Module, ModuleService>();
  readonly #composed: (() => void)[] = [];

  private constructor(opened: readonly Opened[]) {
    this.#opened = opened;
    this.all = opened.map(({ own }) => own);
  }

  /** Opens the modules of a list. Rejects with the reason of the first module that cannot be opened. */
  static async open(modules: readonly Module[], host: Omit<OpeningHost, 'recompose'>): Promise<OpenModules> {
    let recompose = (): void => {};
    const opening = { ...host, recompose: () => recompose() };
    const opened = modules.map(
      async (module): Promise<Opened> => ({ module, own: (await module.open?.(opening)) ?? {} }),
    );
    const all = new OpenModules(await Promise.all(opened));
    recompose = () => all.recompose();
    return all;
  }

  /** Calls `compose` when the interceptors or hooks of a module have changed. */
  onRecompose(compose: () => void): void {
    this.#composed.push(compose);
  }

  recompose(): void {
    for (const compose of this.#composed) compose();
  }

  /** Whether modules may add agents to those of a configuration. */
  get addAgents(): boolean {
    return this.all.some(({ addTo }) => addTo);
  }

  /** The configuration with the agents that modules add. */
  addTo(config: Config): Config {
    return this.all.reduce((known, module) => module.addTo?.(known) ?? known, config);
  }

  async ready(): Promise<void> {
    await Promise.all(this.all.map((module) => module.ready?.()));
  }

  interceptors(point: PipelinePoint, parts: ConfiguredParts): readonly ModuleInterceptor[] {
    return this.all.flatMap((module) => [
      ...(module.interceptors ?? []).filter(({ at }) => at === point),
      ...parts.interceptorsOf(module, point),
    ]);
  }

  describe(card: AgentDescription, agent: string, host: Host): AgentDescription {
    return this.all.reduce((known, module) => module.describe?.(known, agent, host) ?? known, card);
  }

  /** The current hooks around runs of agents. */
  hooks(host: Host): RunHook[] {
    return this.all.flatMap((module) => module.hooks?.(host) ?? []);
  }

  /** The current judges of all modules, of which the first refusal counts. Undefined: there are none. */
  judge(): Judge | undefined {
    const judges = this.all.flatMap((module) => module.judge?.() ?? []);
    if (judges.length < 2) return judges[0];
    return {
      needsRoot: judges.some(({ needsRoot }) => needsRoot),
      call: (call, agent) => judges.map((judge) => judge.call(call, agent)).find((reason) => reason),
      task: (task, root) => judges.map((judge) => judge.task(task, root)).find((reason) => reason),
    };
  }

  /** The current observers of all modules. Undefined: there are none. */
  observer(): ExchangeObserver | undefined {
    const observers = this.all.flatMap((module) => module.observer?.() ?? []);
    if (observers.length < 2) return observers[0];
    return {
      http: (exchange) => observers.forEach((observer) => void observer.http(exchange)),
      grpc: (rpc) => observers.forEach((observer) => void observer.grpc(rpc)),
    };
  }

  families(): Family[] {
    return this.all.flatMap((module) => module.families?.() ?? []);
  }

  /** The gateway's own webhook that a delivery belongs to. */
  async webhook(delivery: Delivery, host: Host): Promise<OwnWebhook | undefined> {
    for (const module of this.all) {
      const found = await module.webhook?.(delivery, host);
      if (found) return found;
    }
    return undefined;
  }

  /** The services of modules, each created by its first call. If creating one fails, the next call tries again. */
  services(host: () => Host): PipelineService[] {
    return this.#opened.flatMap(({ module, own }) => {
      const { service } = module;
      if (!service || !own.createService) return [];
      const create = shared(async () => {
        const created = await own.createService?.(host());
        if (!created) throw new TypeError(`${module.name} has no service`);
        this.#services.set(module, created);
        return created;
      });
      const opened = async (): Promise<ModuleService> => this.#services.get(module) ?? (await create());
      return [
        {
          operations: service.operations,
          invoke: async (call) => (await opened()).invoke(call),
          answer: async (question, request) => (await opened()).answer?.(question, request),
        },
      ];
    });
  }

  closeServices(): void {
    for (const service of this.#services.values()) service.close();
  }

  /** The facts that all modules show to operators, and the actions that they offer. */
  forOperators(host: () => Host): AdminParts {
    return {
      handlers: async (tools) => {
        const admin = { ...host(), ...tools };
        const all = await Promise.all(this.all.map((module) => module.handlers?.(admin)));
        return all.filter((one): one is AddedHandlers => one !== undefined);
      },
      agentFacts: (agent) => Object.assign({}, ...this.all.map((module) => module.agentFacts?.(agent, host()))),
      replicaFacts: () => Object.assign({}, ...this.all.map((module) => module.replicaFacts?.(host()))),
      activity: async (since, by) => {
        const all = await Promise.all(this.all.map((module) => module.activity?.(since, by)));
        return all.find((one) => one !== undefined);
      },
      lastEnd: async () => {
        const all = await Promise.all(this.all.map((module) => module.lastEnd?.()));
        return all.find((one) => one !== undefined);
      },
      taskFacts: (keys) => this.#taskFacts(keys),
      order: async (roots, order) => {
        for (const module of this.all) await module.onOrder?.(roots, order);
      },
      erase: (caller, limit) => this.#erase(caller, limit, host()),
      forget: async (caller) =>
        Object.assign({}, ...(await Promise.all(this.all.map((module) => module.forget?.(caller))))),
    };
  }

  /** The functions of all modules for questions. */
  forAsked(host: () => Host): AskedParts {
    let listeners: readonly AskedListener[] | undefined;
    return {
      listeners: () => {
        listeners ??= this.all.flatMap((module) => module.askedListener?.(host()) ?? []);
        return listeners;
      },
      linkTo: async (agent, question) => this.all.find((module) => module.linkTo)?.linkTo?.(agent, question, host()),
    };
  }

  async #taskFacts(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>> {
    const all = await Promise.all(this.all.map((module) => module.taskFacts?.(keys)));
    return new Map(keys.map((key) => [key, Object.assign({}, ...all.map((facts) => facts?.get(key)))]));
  }

  async #erase(caller: ErasedCaller, limit: number, host: Host): Promise<Erased> {
    const all: Erased[] = [];
    for (const module of this.all) all.push((await module.erase?.(caller, limit, host)) ?? {});
    return {
      erased: Object.assign({}, ...all.map(({ erased }) => erased)),
      remaining: Object.assign({}, ...all.map(({ remaining }) => remaining)),
      more: all.some(({ more }) => more),
    };
  }

  /** The tasks that led to a call of another gateway, from the path that it has signed. */
  pathOf(context: CallContext): readonly Ancestor[] {
    for (const module of this.all) {
      const path = module.pathOf?.(context);
      if (path) return path;
    }
    return [];
  }

  otherGateways(host: () => Host): OtherGateways {
    const known = (): OtherGateways => {
      const own = host();
      const found = this.all.find((module) => module.otherGateways)?.otherGateways?.(own);
      if (!found) throw new A2AError('unsupportedOperation', 'This gateway does not know other gateways of the tree');
      return found;
    };
    return { find: async (root) => known().find(root), order: async (root, order) => known().order(root, order) };
  }

  http(server: ModuleServer): ModuleHttp[] {
    return this.all.flatMap((module) => module.http?.(server) ?? []);
  }

  start(host: Host): void {
    for (const module of this.all) module.start?.(host);
  }

  close(): void {
    for (const module of this.all) module.close?.();
  }

  /** Called when all work has ended, while the store is open. */
  async closed(): Promise<void> {
    await Promise.all(this.all.map((module) => module.closed?.()));
  }
}
