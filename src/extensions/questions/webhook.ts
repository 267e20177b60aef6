import type { LoggedEvent } from '../../core/model/call.ts';
import { isInterrupted, isTerminal, stateOf } from '../../core/model/lifecycle.ts';
import { answererOf, questionIn } from '../../core/model/question.ts';
import { type Delivery, ownWebhookPrefix, ownWebhooks } from '../../core/ports/push-store.ts';
import type { TaskStore } from '../../core/ports/task-store.ts';
import { readQuestion } from '../../core/tasks/open-question.ts';
import type { LogPosition, PushBody } from '../../push/bodies.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { AskedQuestion, QuestionListener } from './deadlines.ts';
import { type LinkedQuestion, shownQuestion } from './links.ts';

/** Events of one read. */
const page = 32;

/** Id of the questions' webhook among the task's push configurations. */
const webhookId = `${ownWebhookPrefix}questions`;

interface WebhookListenerDeps extends Pick<QuestionWebhookDeps, 'webhookOf'> {
  readonly store: Pick<TaskStore, 'getPushConfig' | 'putPushConfig'>;
}

interface QuestionWebhookDeps {
  readonly store: Pick<TaskStore, 'events'>;
  readonly webhookOf: (agent: string) => Omit<OwnWebhook['config'], 'id'> | undefined;
  /** The link by which a question is answered; undefined where the gateway does not know its URL. */
  readonly linkTo: (agent: string, question: LinkedQuestion) => string | undefined;
}

/** The notifications about the questions of one task. */
export function questionWebhook({ store, webhookOf, linkTo }: QuestionWebhookDeps, delivery: Delivery): OwnWebhook {
  const { key, config, owner } = delivery;
  const { agent } = owner;
  const webhook = webhookOf(agent);
  const about = { task: config.taskId, key, agent };
  const [, remindsOf] = config.id.split(`${webhookId}/`);

  function contentOf({ seq, at, event }: LoggedEvent, asks: boolean): object | undefined {
    const question = questionIn(event);
    if (question && (remindsOf === undefined || remindsOf === String(seq))) {
      const link = linkTo(agent, { key, seq, at, until: question.until });
      const reminder = remindsOf !== undefined && { reminder: true };
      return { event: 'question', ...reminder, ...about, question: shownQuestion(question), link };
    }
    if (!asks || remindsOf !== undefined) return undefined;
    if (event.message) {
      const { by, way } = answererOf(event.message) ?? { by: owner.principal, way: 'message' };
      return { event: 'answered', ...about, by, way };
    }
    const state = stateOf(event);
    return state !== undefined && isTerminal(state) ? { event: 'ended', ...about, state } : undefined;
  }

  async function* bodies(reading: LogPosition): AsyncGenerator<PushBody, void> {
    let asks = (await readQuestion(store, { key, seq: reading.position })) !== undefined;
    for (;;) {
      const logged = await store.events(key, reading.position, page);
      for (const one of logged) {
        const { seq, at, event } = one;
        const content = webhook && contentOf(one, asks);
        const state = stateOf(event);
        const ends = state !== undefined && isTerminal(state);
        if (content)
          yield {
            text: () => JSON.stringify(content),
            first: seq,
            last: seq,
            at,
            ends: ends || remindsOf !== undefined,
          };
        asks = state === undefined ? asks && !event.message : isInterrupted(state);
        reading.position = seq;
        // A reminder is given once.
        reading.over = ends || seq >= Number(remindsOf);
      }
      if (logged.length < page && !logged.isCut) return;
    }
  }

  return { config: { ...config, ...webhook }, bodies };
}

/** Has the questions of agents delivered to their webhook, by the deliveries of push notifications: they outlive the gateway. */
export function webhookListener({ store, webhookOf }: WebhookListenerDeps): QuestionListener {
  async function tell(
    { task: { key, id: taskId, agent }, question: { seq } }: AskedQuestion,
    id: string,
  ): Promise<void> {
    const webhook = webhookOf(agent);
    if (!webhook || (await store.getPushConfig(key, id))) return;
    await store.putPushConfig(key, { id, taskId, url: webhook.url }, ownWebhooks, { after: seq - 1 });
  }
  return {
    wants: (agent) => webhookOf(agent) !== undefined,
    asked: (asked) => tell(asked, webhookId),
    reminded: (asked) => tell(asked, `${webhookId}/${asked.question.seq}`),
  };
}
