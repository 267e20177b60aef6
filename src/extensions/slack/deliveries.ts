import { questionIn } from '../../core/model/question.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import { askIn } from '../../core/tasks/open-question.ts';
import type { SlackConfig } from '../../gen/settings.ts';
import type { SealedTokens } from '../../net/credentials/sealed-tokens.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import { heldTextOf, readHeld } from '../asks/decide.ts';
import type { AskedParts } from '../question-listener.ts';
import { type AskedWebhook, type ContentOf, questionBodies } from '../question-webhook.ts';
import { type Asked, askMessage, type Button, type Choice, choicesIn, decisions, questionMessage } from './messages.ts';

/** Number of a choice, and its subject: the key of the task, and the position of the held call or of the question. */
export type SealedChoice = readonly [key: string, seq: number, choice: number];

interface DeliveryDeps extends AskedWebhook {
  readonly slack: SlackConfig;
  readonly tokens: SealedTokens<SealedChoice>;
  /** Returns the mention of the Slack user for whom a name in the configuration stands. Undefined: it stands for none. */
  readonly mention: (name: string) => string | undefined;
  readonly linkTo: AskedParts['linkTo'];
}

/** Returns the messages to Slack about one task. */
export function slackWebhook(deps: DeliveryDeps, delivery: Delivery): OwnWebhook {
  const { slack, store, tokens, mention, linkTo } = deps;
  const { key, config, owner } = delivery;
  const { agent, principal: caller } = owner;

  const buttonsOf = (choices: readonly Choice[], seq: number): Button[] =>
    choices.map(({ label, style }, i) => ({ label, value: tokens.seal([key, seq, i]), ...(style && { style }) }));

  const contentOf: ContentOf = async ({ seq, at, event }, _, isReminder) => {
    const question = questionIn(event);
    if (!question) return undefined;
    const asked: Asked = { agent, caller, question, isReminder, mention };
    const ask = askIn(event);
    // If the call is not here, another gateway holds it and asks.
    if (ask && (await readHeld(store, key, ask))) {
      // The people have the message already.
      if (!isReminder && ask.asks.some(({ given }) => given.length > 0)) return undefined;
      return askMessage(asked, ask, await heldTextOf(store, key, ask), buttonsOf(decisions, ask.seq));
    }
    const link = await linkTo(agent, { key, seq, at, until: question.until });
    const command = `Answer it with \`a2a-gateway task answer TARGET ${config.taskId} TEXT\`.`;
    const otherwise = link === undefined ? command : `<${link}|Answer it>`;
    return questionMessage(asked, buttonsOf(choicesIn(question.schema), seq), otherwise);
  };

  const url = slack.webhook.reveal();
  return { config: { ...config, url }, bodies: questionBodies(deps, delivery, contentOf) };
}
