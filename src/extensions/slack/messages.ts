import { fieldsOf, readForm, written } from '../../core/model/answer-form.ts';
import type { OpenAsk } from '../../core/model/ask.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { type Question, timeOf, timeText } from '../../core/model/question.ts';
import { shortened, withoutControls } from '../../core/model/text.ts';

// Messages of Slack's Block Kit. What callers, agents and judges say is escaped, and `verbatim`: it becomes no mention and no link.

/**
 * Most characters of a quoted text, of a name and of a button, and most names. A block may have 3,000 characters once they are
 * escaped.
 */
const most = { quote: 500, name: 100, button: 74, names: 5 } as const;

/** Most buttons of a question. */
const mostChoices = 5;

/** Id of the block with the note about the outcome. */
const noteId = 'a2a-gateway-note';

export type Block = JsonObject;

/** Message for incoming webhooks and response URLs. */
export interface SlackMessage {
  /** Text for notifications, and for clients that show no blocks. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface Button {
  readonly label: string;
  /** The sealed choice. */
  readonly value: string;
  readonly style?: 'primary' | 'danger';
}

/** Escapes text from outside, so that Slack formats nothing in it as a mention, a link or a time. */
export const escaped = (text: string): string =>
  withoutControls(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const named = (text: string): string => escaped(shortened(text, most.name).replaceAll('\n', ' '));

const quoted = (text: string): string => text && escaped(shortened(text.trim(), most.quote)).replace(/^/gm, '>');

const markdown = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });

const section = (text: string): Block[] => (text === '' ? [] : [{ type: 'section', text: markdown(text) }]);

const buttonsOf = (buttons: readonly Button[]): Block[] => {
  const elements = buttons.map(({ label, ...rest }, i) => ({
    type: 'button',
    action_id: `choice-${i}`,
    text: { type: 'plain_text', text: shortened(withoutControls(label), most.button) || '—', emoji: false },
    ...rest,
  }));
  return elements.length > 0 ? [{ type: 'actions', elements }] : [];
};

/** Returns a time that Slack shows in the reader's time zone. */
function until(text: string | undefined): string {
  const time = timeOf(text);
  if (!Number.isFinite(time)) return '';
  return `\nUntil <!date^${Math.floor(time / 1_000)}^{date_short_pretty} {time}|${timeText(time)}>`;
}

export interface Asked {
  readonly agent: string;
  /** Id of the principal that owns the task. */
  readonly caller: string;
  readonly question: Question;
  readonly isReminder: boolean;
  /** Returns a name of the configuration, as a mention if it stands for a Slack user. */
  readonly mention: (name: string) => string | undefined;
}

const begun = ({ isReminder }: Asked, text: string): string => (isReminder ? `Reminder: ${text}` : text);

/**
 * Returns a message that asks whether an agent may get a call.
 *
 * @param words text of the caller
 */
export function askMessage(asked: Asked, { asks }: OpenAsk, words: string, buttons: readonly Button[]): SlackMessage {
  const { agent, caller, question } = asked;
  const by = asks.map((ask) => named(ask.by)).join(', ');
  const text = begun(asked, `${by}: may the agent ${named(agent)} get a call of ${named(caller)}?`);
  const people = asks.slice(0, 10).flatMap(({ of, delegate, quorum, reason = '', otherwise }) => {
    const all = [...of, ...(delegate === undefined ? [] : [delegate])].map((name) => mentioned(asked, name));
    const others = all.length > most.names ? ` and ${all.length - most.names} more` : '';
    const who = `${quorum > 1 ? `${quorum} of ` : ''}${all.slice(0, most.names).join(', ')}${others}`;
    const end = `Without an answer it is ${otherwise === 'deny' ? 'denied' : 'allowed'}.`;
    return [...section(`May agree: ${who}. ${end}`), ...section(quoted(reason))];
  });
  const blocks = [
    ...section(`*${text}*`),
    ...section(quoted(words)),
    ...people,
    ...section(until(question.until).trim()),
    ...buttonsOf(buttons),
  ];
  return { text, blocks };
}

/**
 * Returns a message with the question of an agent.
 *
 * @param otherwise how to answer if there are no buttons, in Slack's format
 */
export function questionMessage(asked: Asked, buttons: readonly Button[], otherwise: string): SlackMessage {
  const { agent, caller, question } = asked;
  const by = question.by === undefined ? '' : ` (${named(question.by)})`;
  const text = begun(asked, `The agent ${named(agent)}${by} asks ${named(caller)} a question.`);
  const whom = question.for === undefined ? '' : `May answer, too: ${mentioned(asked, question.for)}`;
  const blocks = [
    ...section(`*${text}*`),
    ...section(quoted(question.text)),
    ...section(`${whom}${until(question.until)}`.trim()),
    ...(buttons.length > 0 ? buttonsOf(buttons) : section(otherwise)),
  ];
  return { text, blocks };
}

const mentioned = ({ mention }: Asked, name: string): string => mention(name) ?? named(name);

/** Meaning of a button. */
export interface Choice extends Pick<Button, 'label' | 'style'> {
  readonly answer: unknown;
  /** Text about the effect of a click. */
  readonly done: string;
}

/** Choices about a held call. */
export const decisions: readonly Choice[] = [
  { label: 'Approve', style: 'primary', answer: { decision: 'approve' }, done: 'Approved' },
  { label: 'Deny', style: 'danger', answer: { decision: 'deny' }, done: 'Denied' },
];

/** Returns the possible answers to a question that takes one of a few choices. Empty: it takes other answers. */
export function choicesIn(schema: JsonObject | undefined): readonly Choice[] {
  const [field, ...others] = fieldsOf(schema);
  if (!field || others.length > 0 || field.kind !== 'one' || field.choices.length > mostChoices) return [];
  return field.choices.map(({ label, value }) => ({
    label,
    answer: readForm(schema, new URLSearchParams({ [field.name]: written(value) })),
    done: `Answered ${named(label)}`,
  }));
}

/** Returns a message of Slack with a note about the outcome. @param keepsButtons whether the message still asks */
export function withNote(message: unknown, note: string, keepsButtons: boolean): SlackMessage {
  const { text, blocks } = isObject(message) ? message : {};
  const former = Array.isArray(blocks) ? blocks.filter(isObject) : [];
  const kept = former.filter(({ type, block_id: id }) => id !== noteId && (keepsButtons || type !== 'actions'));
  const noted = { type: 'context', block_id: noteId, elements: [markdown(note)] };
  return { text: typeof text === 'string' ? text : note, blocks: [...kept, noted] };
}
