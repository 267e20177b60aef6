import type { OpenAsk } from '../../core/model/ask.ts';
import { isTerminal, stateOf } from '../../core/model/lifecycle.ts';
import { answererOf, questionIn } from '../../core/model/question.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import { askIn } from '../../core/tasks/open-question.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { AskedPosition } from '../question-listener.ts';
import { type AskedWebhook, type ContentOf, questionBodies } from '../question-webhook.ts';
import { shownQuestion } from './links.ts';

/** Task whose call waits for people. */
export interface AskedCall extends Pick<AskedPosition, 'key' | 'until'> {
  readonly owner: string;
}

interface WebhookDeps extends AskedWebhook {
  readonly webhookOf: (agent: string) => Omit<OwnWebhook['config'], 'id'> | undefined;
  /** Returns the link at which a question can be answered. Undefined: the gateway does not know its URL. */
  readonly linkTo: (agent: string, question: AskedPosition) => Promise<string | undefined>;
  /** Returns the links with which people decide about a call, by the ids of their principals. */
  readonly linksTo: (agent: string, ask: OpenAsk, task: AskedCall) => Promise<object | undefined>;
}

/** Returns the notifications about the questions of one task. */
export function questionWebhook(deps: WebhookDeps, delivery: Delivery): OwnWebhook {
  const { webhookOf, linkTo, linksTo } = deps;
  const { key, config, owner } = delivery;
  const { agent } = owner;
  const webhook = webhookOf(agent);
  const about = { task: config.taskId, key, agent };

  const contentOf: ContentOf = async ({ seq, at, event }, asks, isReminder) => {
    if (!webhook) return undefined;
    const question = questionIn(event);
    const ask = askIn(event);
    if (question) {
      const { until } = question;
      const link = ask ? undefined : await linkTo(agent, { key, seq, at, until });
      const links = ask && (await linksTo(agent, ask, { key, until, owner: owner.principal }));
      return {
        event: 'question',
        ...(isReminder && { reminder: true }),
        ...about,
        question: shownQuestion({ ...question, ...(ask && { ask }) }),
        link,
        links,
      };
    }
    if (!asks || isReminder) return undefined;
    if (event.message) {
      const { by, way } = answererOf(event.message) ?? { by: owner.principal, way: 'message' };
      return { event: 'answered', ...about, by, way };
    }
    const state = stateOf(event);
    const { by, way } = answererOf(event.statusUpdate?.status.message) ?? {};
    return state !== undefined && isTerminal(state) ? { event: 'ended', ...about, state, by, way } : undefined;
  };

  return { config: { ...config, ...webhook }, bodies: questionBodies(deps, delivery, contentOf) };
}
