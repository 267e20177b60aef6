import type { LoggedEvent } from '../core/model/call.ts';
import { isInterrupted, isTerminal, stateOf } from '../core/model/lifecycle.ts';
import { type Delivery, ownWebhookPrefix, ownWebhooks } from '../core/ports/push-store.ts';
import type { TaskStore } from '../core/ports/task-store.ts';
import { readQuestion } from '../core/tasks/open-question.ts';
import type { LogPosition, PushBody } from '../push/bodies.ts';
import type { OwnWebhook } from '../push/delivery-run.ts';
import type { AskedListener, AskedQuestion } from './question-listener.ts';

/** Number of events in one reading. */
const page = 32;

/**
 * Webhook of the gateway itself that gets questions of tasks. Push deliveries call it, since they survive a restart of the
 * gateway.
 */
export interface AskedWebhook {
  /** Name among the gateway's own webhooks of a task. */
  readonly name: string;
  readonly store: Pick<TaskStore, 'events' | 'getPushConfig' | 'putPushConfig'>;
  /** Returns the URL of an agent's webhook as it is stored and shown to operators. Undefined: there is no webhook. */
  readonly urlOf: (agent: string) => string | undefined;
}

/**
 * The body about an event of a task; undefined: none.
 *
 * @param asks whether a question was open before the event
 * @param isReminder whether the delivery reminds of this one question
 */
export type ContentOf = (logged: LoggedEvent, asks: boolean, isReminder: boolean) => Promise<object | undefined>;

const idOf = (name: string): string => `${ownWebhookPrefix}${name}`;

/** Whether a delivery belongs to the webhook of this name. */
export const isDeliveryOf = (name: string, { config: { id } }: Delivery): boolean =>
  id === idOf(name) || id.startsWith(`${idOf(name)}/`);

/** Yields the bodies of a delivery. The delivery of a reminder has the body about its question alone. */
export function questionBodies(
  { name, store }: AskedWebhook,
  { key, config }: Delivery,
  contentOf: ContentOf,
): OwnWebhook['bodies'] {
  const [, remindsOf] = config.id.split(`${idOf(name)}/`);
  const isReminder = remindsOf !== undefined;
  return async function* bodies(reading: LogPosition): AsyncGenerator<PushBody, void> {
    let asks = (await readQuestion(store, { key, seq: reading.position })) !== undefined;
    for (;;) {
      const logged = await store.events(key, reading.position, page);
      for (const one of logged) {
        const { seq, at, event } = one;
        const isMeant = !isReminder || remindsOf === String(seq);
        const content = isMeant ? await contentOf(one, asks, isReminder) : undefined;
        const state = stateOf(event);
        const ends = state !== undefined && isTerminal(state);
        if (content) {
          const text = (): string => JSON.stringify(content);
          yield { text, first: seq, last: seq, at, ends: ends || isReminder };
        }
        asks = state === undefined ? asks && !event.message : isInterrupted(state);
        reading.position = seq;
        // A reminder has a single body.
        reading.over = ends || seq >= Number(remindsOf);
      }
      if (logged.length < page && !logged.isCut) return;
    }
  };
}

/** Returns the listener that creates deliveries of questions to a webhook. */
export function webhookListener({ name, store, urlOf }: AskedWebhook): AskedListener {
  async function tell(
    { task: { key, id: taskId, agent }, question: { seq } }: AskedQuestion,
    id: string,
  ): Promise<void> {
    const url = urlOf(agent);
    if (url === undefined || (await store.getPushConfig(key, id))) return;
    await store.putPushConfig(key, { id, taskId, url }, ownWebhooks, { after: seq - 1 });
  }
  return {
    wants: (agent) => urlOf(agent) !== undefined,
    asked: (asked) => tell(asked, idOf(name)),
    reminded: (asked) => tell(asked, `${idOf(name)}/${asked.question.seq}`),
  };
}
