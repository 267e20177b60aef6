import type { Config } from '../../config/types.ts';
import type { CallContext } from '../../core/model/call.ts';
import type { Ancestor } from '../../core/model/lineage.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import { by, counter, type Family } from '../../metrics/family.ts';
import type { TaskFacts } from '../handlers.ts';
import type { Erased, ErasedCaller, ErasedCounts, Host, OpeningHost, Order, OtherGateways } from '../host.ts';
import type { Module, ModuleHttp, ModuleServer, OpenModule } from '../module.ts';
import { gatewayPage, treePath } from './page.ts';
import type { GatewayTrees } from './trees.ts';
import type { TreeHost } from './whole-tree.ts';

/** Limits trees of calls over agents and gateways. */
export const trees: Module = { name: 'trees', open: (host) => new TreesModule(host) };

/** Whether a configuration limits trees of calls, or has keys for their paths. */
const wantsTrees = ({ limits: { root } }: Pick<Config, 'limits'>): boolean =>
  [root.keys, root.calls, root.depth, root.time, root.bytes, root.cost].some((setting) => setting !== undefined);

class TreesModule implements OpenModule {
  readonly #host: OpeningHost;
  /** Number of paths that were refused, by fault. */
  readonly #refused = new Map<string, number>();
  /** Undefined until a configuration limits trees or has keys. */
  #trees: GatewayTrees | undefined;
  /** Undefined: the active configuration neither limits trees nor has keys. */
  #active: GatewayTrees | undefined;

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async configure(config: Config): Promise<undefined> {
    if (this.#trees || !wantsTrees(config)) return;
    const { store, logger } = this.#host;
    const { GatewayTrees } = await import('./trees.ts');
    this.#trees ??= new GatewayTrees({ store, logger, refused: this.#refused }, config.limits.root);
  }

  hooks({ active }: Host): RunHook[] {
    const { config } = active.snapshot;
    this.#active = wantsTrees(config) ? this.#trees?.configure(config.limits.root) : undefined;
    return this.#active ? [this.#active] : [];
  }

  pathOf(context: CallContext): readonly Ancestor[] | undefined {
    return this.#active?.stepsTo(context);
  }

  async taskFacts(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>> {
    const costs = (await this.#trees?.costs(keys)) ?? new Map<string, number>();
    return new Map(Array.from(costs, ([key, cost]) => [key, { cost }]));
  }

  /** Deletes the usage of tasks here. Other gateways keep the tree's usage at them. */
  async erase({ tasks }: ErasedCaller, _: number, { store }: Host): Promise<Erased> {
    if (tasks.length === 0) return {};
    const { openTreeUsage } = await import('./budgets.ts');
    return { erased: { treeUsage: await (await store.extend(openTreeUsage)).erase(tasks) } };
  }

  async forget({ principal, before }: Omit<ErasedCaller, 'tasks'>): Promise<ErasedCounts> {
    await this.#trees?.members.forget(principal, before);
    return {};
  }

  otherGateways(host: Host): OtherGateways {
    const own = this.#withCosts(host);
    return {
      find: async (root) => (await import('./whole-tree.ts')).findTree(own, root),
      order: async (root, order: Order) => (await import('./whole-tree.ts')).orderTree(own, root, order),
    };
  }

  families(): Family[] {
    const help = 'Paths of calls (A2A-Gateway-Path) that were not taken, by what was wrong.';
    return [counter('tree_paths_refused', help, by('reason', [...this.#refused]))];
  }

  http(server: ModuleServer): ModuleHttp {
    const own = this.#withCosts(server);
    return {
      page: gatewayPage(treePath, async (signed) => (await import('./whole-tree.ts')).answerQuestion(own, signed)),
    };
  }

  async closed(): Promise<void> {
    await this.#trees?.close();
  }

  #withCosts(host: Host): TreeHost {
    return { ...host, costs: async (keys) => (await this.#trees?.costs(keys)) ?? new Map() };
  }
}
