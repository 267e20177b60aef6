import { createAgentCalls } from '../../agents/agent-calls.ts';
import { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { shared } from '../../core/model/timing.ts';
import type { CheckAnswer } from '../../core/operations/handler.ts';
import { createService, type Service } from '../../core/operations/service.ts';
import { refuseStoppedTrees } from '../../core/operations/stopped.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import { RunHooks } from '../../core/tasks/run-hooks.ts';
import { type UrlGuard, UrlRefused } from '../../net/guard.ts';
import { type CardFactory, createCardFactory, signCards } from '../cards/card-source.ts';
import type { Extension, ExtensionQuestions, ExtensionService } from './extension.ts';
import type { Opened } from './open.ts';
import { createPipeline, type PipelineService } from './pipeline.ts';

export type Built = ReturnType<typeof build>;

export interface ServiceHost extends Opened {
  readonly service: Service;
  /** The whole pipeline: a call is authorized, judged by policies, counted and logged as one from outside. */
  readonly invoke: Invoke;
  readonly streams: StreamLimit;
  readonly cards: CardFactory;
  /** The service of another extension; undefined while no call has needed it. */
  readonly serviceOf: (extension: string) => ExtensionService | undefined;
}

/** Phase two: builds the services and the pipeline in front of them. Nothing is served yet. */
export function build(opened: Opened, extensions: readonly Extension<ServiceHost, never>[]) {
  const { active, audit, budget, guard, logger, signer, store, traces } = opened;
  const { agents } = active;
  const limits = active.select('limits');
  const streams = new StreamLimit(active.select('limits', { audit }));
  const unsigned = createCardFactory({
    ...opened,
    describe: (card, agent) =>
      extensions.reduce((known, { describe }) => describe?.(known, agent, host) ?? known, card),
  });
  let questions: ExtensionQuestions | undefined;
  const hooks: { active: RunHooks | undefined } = { active: undefined };
  const cards = signer ? signCards(unsigned, signer, agents, opened) : unsigned;
  const service = createService({
    store,
    agents,
    logger,
    limits,
    budget,
    streams,
    recorder: opened.recorder,
    stops: opened.stops,
    hidesWords: hidesWords(active),
    judgeWebhook: (url) => refusalOf(guard, url),
    checkAnswer,
    traces: traces.turns,
    hooks,
    fetch: opened.fetch,
    callAgents: createAgentCalls({
      // As if the caller had called: authorized, counted, traced and logged like any call, and refused like any.
      invoke: (call) => invoke(call),
      agents,
      countCall: (principal) => active.snapshot.access.countDelegated(principal),
      mayCall: (principal, agent) =>
        active.snapshot.access.review({ principal, agent, operation: undefined }) === undefined,
      reentries: () => limits.root.reentries,
      findCall: (owner, key) => store.findCall(owner, key),
    }),
    extendedCard: cards.extended,
    answerReplica: async (question, request) => {
      const asked = services.find(({ operations }) => operations.some(({ name }) => name === question));
      if (!asked?.answer) throw new A2AError('methodNotFound', `No such question: ${question}`);
      return asked.answer(question, request);
    },
  });
  const created = new Map<string, ExtensionService>();
  const host: ServiceHost = {
    ...opened,
    service,
    streams,
    cards,
    invoke: (call) => invoke(call),
    serviceOf: (name) => created.get(name),
  };
  for (const extension of extensions) questions ??= extension.questions?.(host);
  const services = extensions.flatMap((extension) => serviceOf(extension, host, created));
  const own = extensions.flatMap((extension) => (extension.service?.ofGateway ? extension.service.operations : []));
  const ofGateway = new Set(own.map(({ name }) => name));
  const unlisted = new Set(own.filter(({ reads }) => reads).map(({ name }) => name));
  const invoke = createPipeline({ ...opened, core: service, services, unlisted, ofGateway });
  composeHooks(opened, questions, hooks);
  const closeServices = (): void => {
    for (const one of created.values()) one.close();
  };
  return { service, streams, cards, invoke, questions, closeServices };
}

/** Composes the hooks around runs of agents in their order: now, after a reload, and when the first or the last stop comes or goes. */
function composeHooks(
  { active, stops }: Opened,
  questions: RunHook | undefined,
  hooks: { active: RunHooks | undefined },
): void {
  const stopped = stops && refuseStoppedTrees(stops);
  const compose = (): void => {
    hooks.active = RunHooks.of([active.trees(), stops?.active && stopped, questions]);
  };
  compose();
  active.onReplaced(compose);
  if (!stops) return;
  const { onActive } = stops;
  stops.onActive = () => {
    onActive();
    compose();
  };
}

/** Whether `console: { content: false }` keeps what messages and agents say out of lists, by the active configuration. */
export const hidesWords = (active: Opened['active']): (() => boolean) =>
  active.computed(({ config }) => typeof config.console === 'object' && !config.console.content);

/** The checker of schemas is large, and few questions have a schema. */
const checkAnswer: CheckAnswer = async (schema, value) => {
  const { checkAnswer } = await import('../../agents/schema-check.ts');
  return checkAnswer(schema, value);
};

/** The service of an extension, created by its first call. Empty where it has none. */
function serviceOf(
  { name, service }: Extension<ServiceHost, never>,
  host: ServiceHost,
  created: Map<string, ExtensionService>,
): PipelineService[] {
  if (!service) return [];
  // A service that could not be created is tried again by the next call.
  const create = shared(async () => {
    const one = await service.create(host);
    created.set(name, one);
    return one;
  });
  return [
    {
      operations: service.operations,
      invoke: async (call) => (created.get(name) ?? (await create())).invoke(call),
      answer: async (question, request) => (created.get(name) ?? (await create())).answer?.(question, request),
    },
  ];
}

/** Why the guard refuses a webhook that is being registered; undefined when it does not. */
function refusalOf(guard: UrlGuard, url: string): string | undefined {
  try {
    guard.check(url);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UrlRefused) return thrown.message;
    throw thrown;
  }
}
