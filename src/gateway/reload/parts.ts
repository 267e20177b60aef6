import type { OpenStream } from '../../auth/stream-expiry.ts';
import type { Config } from '../../config/types.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type {
  ConfigureDeps,
  ConfiguredPart,
  Configures,
  ModuleInterceptor,
  PipelinePoint,
  ReplacedThing,
} from '../../extensions/part.ts';

type RefusalFor = NonNullable<ConfiguredPart['refusalFor']>;

/** The parts of all modules in one configuration, with their combined decisions: the first refusal counts. */
export class ConfiguredParts {
  readonly #byModule: ReadonlyMap<Configures, ConfiguredPart>;
  readonly #reviewing: readonly ConfiguredPart[];
  readonly #refusing: readonly ConfiguredPart[];
  readonly #ofWebhooks: readonly ConfiguredPart[];
  /** Whether answers of agents are withheld until they are judged. */
  readonly withholdsAnswers: boolean;

  constructor(byModule: ReadonlyMap<Configures, ConfiguredPart> = new Map()) {
    this.#byModule = byModule;
    const all = [...byModule.values()];
    this.#reviewing = all.filter(({ review }) => review);
    this.#refusing = all.filter(({ refusalFor }) => refusalFor);
    this.#ofWebhooks = all.filter(({ webhookRefusal }) => webhookRefusal);
    this.withholdsAnswers = all.some((part) => part.withholdsAnswers);
  }

  /** Creates the parts one after the other. If one fails, the others are closed again. */
  static async create(
    config: Config,
    deps: ConfigureDeps,
    modules: readonly Configures[],
    former = new ConfiguredParts(),
  ): Promise<ConfiguredParts> {
    const parts = new Map<Configures, ConfiguredPart>();
    try {
      for (const module of modules) {
        const part = await module.configure?.(config, deps, former.of(module));
        if (part) parts.set(module, part);
      }
      return new ConfiguredParts(parts);
    } catch (thrown) {
      await new ConfiguredParts(parts).close(former);
      throw thrown;
    }
  }

  /** The part that a module has created itself. */
  of<Part extends ConfiguredPart>(module: Configures<Part>): Part | undefined {
    return this.#byModule.get(module as Configures) as Part | undefined;
  }

  interceptorsOf(module: Configures, point: PipelinePoint): readonly ModuleInterceptor[] {
    return (this.of(module)?.interceptors ?? []).filter(({ at }) => at === point);
  }

  /** Returns the reason why an open stream may not continue with this configuration; undefined if it may. */
  review(stream: OpenStream): A2AError | undefined {
    return firstOf(this.#reviewing, (part) => part.review?.(stream));
  }

  /** Returns the reason why the webhooks of a caller's tasks get no more events; undefined if they do. */
  webhookRefusal(owner: TaskOwner): A2AError | undefined {
    return firstOf(this.#ofWebhooks, (part) => part.webhookRefusal?.(owner));
  }

  /** Returns the reason why an offer of an agent is hidden from a caller; undefined if it is shown. */
  refusalFor(...asked: Parameters<RefusalFor>): A2AError | undefined {
    return firstOf(this.#refusing, (part) => part.refusalFor?.(...asked));
  }

  /** The things in these parts that other parts do not share. */
  replacedBy(other = new ConfiguredParts()): ReplacedThing[] {
    return [...this.#byModule].flatMap(([module, part]) => part.replacedBy?.(other.of(module)) ?? []);
  }

  /** Closes the parts, except those that other parts share. */
  async close(other?: ConfiguredParts): Promise<void> {
    await Promise.all(this.replacedBy(other).map(({ close }) => close()));
  }

  /** Deletes expired data of the parts, about `limit` things of each. Resolves with whether there may be more. */
  async expire(limit: number): Promise<boolean> {
    let isMore = false;
    for (const part of this.#byModule.values()) if (await part.expire?.(limit)) isMore = true;
    return isMore;
  }
}

function firstOf<T>(parts: readonly ConfiguredPart[], ask: (part: ConfiguredPart) => T | undefined): T | undefined {
  for (const part of parts) {
    const answer = ask(part);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
