import { principalIds } from '../../auth/principals.ts';
import { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import { QuestionDeadlines } from '../../extensions/questions/deadlines.ts';
import type { ServiceHost } from '../compose/build.ts';
import type { Extension } from '../compose/extension.ts';
import { questionLinks } from './question-links.ts';

/** What becomes of questions that wait for an answer. */
export const questions: Extension<ServiceHost> = {
  name: 'questions',
  questions: (host) => {
    const { active, audit, logger, service, store } = host;
    const configOf = (agent: string) => active.snapshot.config.agents.get(agent);
    const deps = { store, agents: active.agents, anonymous: principalIds.anonymous };
    // What the configuration says of deadlines holds, whatever the owner may do by then.
    const onBehalf = onBehalfOfOwners({ ...deps, invoke: service.invoke });
    // The holder of a link answers as the owner, with the rights that the owner has at that time.
    const asOwner = onBehalfOfOwners({ ...deps, invoke: host.invoke });
    const links = questionLinks(host, asOwner.answer);
    const deadlines = new QuestionDeadlines({
      store,
      logger,
      audit,
      answer: onBehalf.answer,
      failWaiting: service.failWaiting,
      // An agent of the program that the gateway is part of may have no settings.
      settingsOf: (agent) => configOf(agent)?.questions ?? active.snapshot.config.questions,
      isUpstream: (agent) => configOf(agent)?.kind === 'upstream',
      listener: links.listener,
    });
    return Object.assign(deadlines, { page: links.page, webhook: links.webhook });
  },
};
