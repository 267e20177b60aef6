import { principalIds } from '../../auth/principals.ts';
import { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import { Decisions } from '../asks/decide.ts';
import type { Host } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import { questionLinks } from './answer-links.ts';
import { QuestionDeadlines } from './deadlines.ts';

/** Handles questions of tasks that wait for an answer. */
export const questions: Module = {
  name: 'questions',
  restricted: { ListQuestions: 'questions', AnswerQuestion: 'questions' },
  open: openQuestions,
};

function openQuestions(): OpenModule {
  let created: ReturnType<typeof create> | undefined;
  const of = (host: Host): ReturnType<typeof create> => {
    created ??= create(host);
    return created;
  };
  return {
    hooks: (host) => [of(host).deadlines],
    webhook: (delivery, host) => of(host).links.webhook(delivery),
    askedListener: (host) => of(host).links.listener,
    linkTo: (agent, question, host) => of(host).links.linkTo(agent, question),
    http: (server) => ({ page: of(server).links.page }),
    handlers: async (host) => {
      const { questionHandlers } = await import('./handlers.ts');
      const { active } = host;
      const handlers = questionHandlers({
        ...host,
        answer: of(host).answer,
        limits: active.select('limits'),
        isNamed: of(host).decisions.isNamed,
      });
      return { handlers, confidential: ['ListQuestions'], polled: ['ListQuestions'] };
    },
    start: (host) => of(host).deadlines.start(),
    close: () => created?.deadlines.close(),
  };
}

function create(host: Host) {
  const { active, audit, logger, service, store } = host;
  const configOf = (agent: string) => active.snapshot.config.agents.get(agent);
  const deps = { store, agents: active.agents, anonymous: principalIds.anonymous };
  // The holder of a link answers on behalf of the owner, with the owner's present rights.
  const asOwner = onBehalfOfOwners({ ...deps, invoke: host.invoke });
  const decisions = Decisions.of(host);
  // The default answer at the deadline does not depend on the owner's present rights.
  const answer = decisions.or();
  const links = questionLinks(host, decisions, decisions.or(asOwner.answer));
  const deadlines = new QuestionDeadlines({
    store,
    logger,
    audit,
    answer,
    settleWaiting: service.settleWaiting,
    // An agent that a program has added may have no settings.
    settingsOf: (agent) => configOf(agent)?.questions ?? active.snapshot.config.questions,
    isUpstream: (agent) => configOf(agent)?.kind === 'upstream',
    listeners: host.asked.listeners,
  });
  return { answer, deadlines, decisions, links };
}
