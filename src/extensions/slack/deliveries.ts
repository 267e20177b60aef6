import { questionIn } from '../../core/model/question.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import { askIn } from '../../core/tasks/open-question.ts';
import type { SlackConfig } from '../../gen/settings.ts';
import type { SealedTokens } from '../../net/credentials/sealed-tokens.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import { heldTextOf, readHeld } from '../asks/decide.ts';
import type { AskedParts } from '../question-listener.ts';
import { type AskedWebhook, type ContentOf, questionBodies } from '../question-webhook.ts';
import { type Asked, askMessage, type Button, choicesIn, questionMessage } from './messages.ts';

/** A button's choice: of an ask, whose position is that of the call that waits, or of a question. */
export type SealedChoice = readonly [kind: 'ask' | 'question', key: string, seq: number, choice: number];

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

  const contentOf: ContentOf = async ({ seq, at, event }, _, isReminder) => {
    const question = questionIn(event);
    if (!question) return undefined;
    const asked: Asked = { agent, caller, question, isReminder, mention };
    const ask = askIn(event);
    // Without its call, another gateway asks.
    if (ask && (await readHeld(store, key, ask))) {
      // People have its message already.
      if (!isReminder && ask.asks.some(({ given }) => given.length > 0)) return undefined;
      const sealed = (choice: number): string => tokens.seal(['ask', key, ask.seq, choice]);
      const buttons: Button[] = [
        { label: 'Approve', value: sealed(0), style: 'primary' },
        { label: 'Deny', value: sealed(1), style: 'danger' },
      ];
      return askMessage(asked, ask, await heldTextOf(store, key, ask), buttons);
    }
    const choices = choicesIn(question.schema);
    const buttons = choices.map(({ label }, i) => ({ label, value: tokens.seal(['question', key, seq, i]) }));
    const link = await linkTo(agent, { key, seq, at, until: question.until });
    const command = `Answer it with \`a2a-gateway task answer TARGET ${config.taskId} TEXT\`.`;
    return questionMessage(asked, buttons, link === undefined ? command : `<${link}|Answer it>`);
  };

  const url = slack.webhook.reveal();
  return { config: { ...config, url }, bodies: questionBodies(deps, delivery, contentOf) };
}
