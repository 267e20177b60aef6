import { createAgentCalls } from '../../agents/agent-calls.ts';
import { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CheckAnswer } from '../../core/operations/handler.ts';
import { createService } from '../../core/operations/service.ts';
import type { ExchangeObserver } from '../../core/ports/exchange-observer.ts';
import type { Judge } from '../../core/ports/judge.ts';
import { RunHooks } from '../../core/tasks/run-hooks.ts';
import type { Host } from '../../extensions/host.ts';
import type { Module } from '../../extensions/module.ts';
import { type UrlGuard, UrlRefused } from '../../net/guard.ts';
import { createCardFactory, signCards } from '../cards/card-source.ts';
import type { ReloadReport } from '../process/state.ts';
import { hidesWords } from '../reload/active-config.ts';
import type { Opened } from './open.ts';
import { createPipeline } from './pipeline.ts';

export type Built = ReturnType<typeof build>;

/** Phase two: builds the services and the pipeline in front of them. Nothing is served yet. */
export function build(opened: Opened, list: readonly Module[]) {
  const { active, audit, modules, signer } = opened;
  const streams = new StreamLimit(active.select('limits', { audit }));
  const unsigned = createCardFactory({ ...opened, describe: (card, agent) => modules.describe(card, agent, host) });
  const cards = signer ? signCards(unsigned, signer, active.agents, opened) : unsigned;
  const composed: Composed = {
    hooks: { active: undefined },
    judge: { active: undefined },
    forwarded: { active: undefined },
    observer: { active: undefined },
  };
  // The pipeline, for parts that are built before it.
  const invoke: Invoke = (call) => pipeline(call);
  const services = modules.services(() => host);
  const service = createService({
    ...coreDeps(opened, invoke),
    streams,
    ...composed,
    extendedCard: cards.extended,
    answerReplica: async (question, request) => {
      const asked = services.find(({ operations }) => operations.some(({ name }) => name === question));
      if (!asked?.answer) throw new A2AError('methodNotFound', `No such question: ${question}`);
      return asked.answer(question, request);
    },
  });
  const host: Host = {
    ...opened,
    service,
    streams,
    cards,
    invoke,
    hidesWords: hidesWords(active),
    hasOwnStore: opened.deps.store !== undefined,
    reload: opened.deps.rereadConfig && (() => reload(opened)),
    operators: modules.forOperators(() => host),
    asked: modules.forAsked(() => host),
    otherGateways: modules.otherGateways(() => host),
  };
  composeWith(host, opened, composed);
  const pipeline = createPipeline({ ...opened, core: service, services, ...ownOperations(list) });
  return { host, service, streams, cards, invoke: pipeline, observer: composed.observer };
}

/** Parts of modules that are composed again after a reload, and when a module requests it. */
interface Composed {
  readonly hooks: { active: RunHooks | undefined };
  readonly judge: { active: Judge | undefined };
  /** Wraps calls that other replicas forward. */
  readonly forwarded: { active: ((next: Invoke) => Invoke) | undefined };
  readonly observer: { active: ExchangeObserver | undefined };
}

/** Composes the functions of modules around runs of agents, calls of other replicas and requests, in their order. */
function composeWith(host: Host, { active, modules }: Opened, { hooks, judge, forwarded, observer }: Composed): void {
  const compose = (): void => {
    hooks.active = RunHooks.of(modules.hooks(host));
    judge.active = modules.judge();
    observer.active = modules.observer();
    const traced = modules
      .interceptors('traced', active.snapshot.parts)
      .filter((one) => one.applies?.(undefined, false) !== false);
    forwarded.active =
      traced.length > 0 ? (next) => traced.reduceRight((inner, one) => one.intercept(inner), next) : undefined;
  };
  compose();
  active.onReplaced(compose);
  modules.onRecompose(compose);
}

/** Parts of the gateway that the core service is created from. */
function coreDeps(opened: Opened, invoke: Invoke) {
  const { active, budget, guard, logger, store, traces } = opened;
  const { agents } = active;
  const limits = active.select('limits');
  return {
    store,
    agents,
    logger,
    limits,
    budget,
    hidesWords: hidesWords(active),
    judgeWebhook: (url: string) => refusalOf(guard, url),
    checkAnswer,
    traces: traces.turns,
    fetch: opened.fetch,
    callAgents: createAgentCalls({
      // Treated as a call of the caller: authorized, counted, traced, logged and refused like any other.
      invoke,
      agents,
      countCall: (principal) => active.snapshot.access.countDelegated(principal),
      mayCall: (principal, agent) =>
        active.snapshot.access.review({ principal, agent, operation: undefined }) === undefined,
      reentries: () => limits.root.reentries,
      findCall: (owner, key) => store.findCall(owner, key),
    }),
  };
}

/** Names of the operations about the gateway itself, and of those that only read facts for operators. */
function ownOperations(list: readonly Module[]) {
  const own = list.flatMap(({ service }) => (service?.ofGateway ? service.operations : []));
  return {
    ofGateway: new Set(own.map(({ name }) => name)),
    unlisted: new Set(own.filter(({ reads }) => reads).map(({ name }) => name)),
  };
}

/** Reads the configuration again and applies it, at all workers. */
async function reload({ deps, state }: Opened): Promise<ReloadReport> {
  const { rereadConfig, workers } = deps;
  if (!rereadConfig || !state.reload) throw new A2AError('unavailable', 'The gateway is starting');
  return workers ? workers.reload() : state.reload(rereadConfig);
}

/** The checker of schemas is large, and few questions have a schema. */
const checkAnswer: CheckAnswer = async (schema, value) => {
  const { checkAnswer } = await import('../../agents/schema-check.ts');
  return checkAnswer(schema, value);
};

/** The reason why the guard refuses a webhook that is being registered; undefined if it does not. */
function refusalOf(guard: UrlGuard, url: string): string | undefined {
  try {
    guard.check(url);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UrlRefused) return thrown.message;
    throw thrown;
  }
}
