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

/** The number of a choice, and what it is about: the task, and the position of the call that waits, or of the question. */
export type SealedChoice = readonly [key: string, seq: number, choice: number];

interface DeliveryDeps extends AskedWebhook {
  readonly slack: SlackConfig;
  readonly tokens: SealedTokens<SealedChoice>;
  /** A name in the configuration as a mention, where Slack users stand for it. */
  readonly mention: (name: string) => string | undefined;
  readonly linkTo: AskedParts['linkTo'];
}

/** The messages to Slack about one task. */
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
    // Without its call, another gateway asks.
    if (ask && (await readHeld(store, key, ask))) {
      // People have its message already.
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
