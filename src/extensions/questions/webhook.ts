import { isTerminal, stateOf } from '../../core/model/lifecycle.ts';
import { answererOf, questionIn } from '../../core/model/question.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { AskedPosition } from '../question-listener.ts';
import { type AskedWebhook, type ContentOf, questionBodies } from '../question-webhook.ts';
import { shownQuestion } from './links.ts';

interface WebhookDeps extends AskedWebhook {
  readonly webhookOf: (agent: string) => Omit<OwnWebhook['config'], 'id'> | undefined;
  /** The link by which a question is answered; undefined where the gateway does not know its URL. */
  readonly linkTo: (agent: string, question: AskedPosition) => Promise<string | undefined>;
}

/** The notifications about the questions of one task. */
export function questionWebhook(deps: WebhookDeps, delivery: Delivery): OwnWebhook {
  const { webhookOf, linkTo } = deps;
  const { key, config, owner } = delivery;
  const { agent } = owner;
  const webhook = webhookOf(agent);
  const about = { task: config.taskId, key, agent };

  const contentOf: ContentOf = async ({ seq, at, event }, asks, isReminder) => {
    if (!webhook) return undefined;
    const question = questionIn(event);
    if (question) {
      const link = await linkTo(agent, { key, seq, at, until: question.until });
      return {
        event: 'question',
        ...(isReminder && { reminder: true }),
        ...about,
        question: shownQuestion(question),
        link,
      };
    }
    if (!asks || isReminder) return undefined;
    if (event.message) {
      const { by, way } = answererOf(event.message) ?? { by: owner.principal, way: 'message' };
      return { event: 'answered', ...about, by, way };
    }
    const state = stateOf(event);
    return state !== undefined && isTerminal(state) ? { event: 'ended', ...about, state } : undefined;
  };

  return { config: { ...config, ...webhook }, bodies: questionBodies(deps, delivery, contentOf) };
}
