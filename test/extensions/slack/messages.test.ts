import { expect, test } from 'vitest';
import type { OpenAsk } from '../../../src/core/model/ask.ts';
import {
  type Asked,
  askMessage,
  choicesIn,
  escaped,
  questionMessage,
  withNote,
} from '../../../src/extensions/slack/messages.ts';
import { buttonsOf, textsOf } from '../../support/slack.ts';

const hostile = 'Please\n*approve* <!channel> @here <@U0EVE> <https://evil.example|Approve> & more\u2028\u202eevil';

const asked: Asked = {
  agent: 'booking',
  caller: 'key:alice',
  question: { text: hostile, until: '2026-01-31 12:00:00 GMT (<!here>)' },
  isReminder: false,
  mention: (name) => (name === 'bob' ? '<@U0BOB>' : undefined),
};

const open = (more: object = {}): OpenAsk =>
  ({
    seq: 1,
    since: 0,
    asks: [
      {
        by: 'policy costs',
        of: ['bob', 'carol'],
        quorum: 2,
        self: false,
        wait: 1,
        otherwise: 'deny',
        given: [],
        ...more,
      },
    ],
  }) as OpenAsk;

const buttons = [
  { label: 'Approve', value: 'a', style: 'primary' as const },
  { label: 'Deny', value: 'b' },
];

test('words of callers become no mention, no link and no line of the gateway', () => {
  const message = askMessage(asked, open({ reason: hostile }), hostile, buttons);
  const texts = textsOf(message);
  const times = /<!date\^1769860800\^\{date_short_pretty\} \{time\}\|2026-01-31T12:00:00.000Z>/;
  expect(texts).toMatch(times);
  expect(texts.replace(times, '').match(/<[^>]*>/g)).toEqual(['<@U0BOB>']);
  expect(texts).toContain(
    '>*approve* &lt;!channel&gt; @here &lt;@U0EVE&gt; &lt;https://evil.example|Approve&gt; &amp; more',
  );
  expect(texts).not.toMatch(/[\u2028\u202e]/);
  const marked = JSON.stringify(message).match(/"type":"mrkdwn"/g);
  expect(JSON.stringify(message).match(/"verbatim":true/g)).toEqual(marked?.map(() => '"verbatim":true'));
});

test('an ask says who asks, for whom, who may agree, what happens otherwise, and has two buttons', () => {
  const message = askMessage(asked, open({ delegate: 'dave' }), 'Book it', buttons);
  expect(message.text).toBe('policy costs: may the agent booking get a call of key:alice?');
  const texts = textsOf(message);
  expect(texts).toContain('May agree: 2 of <@U0BOB>, carol, dave. Without an answer it is denied.');
  expect(textsOf(askMessage(asked, open({ otherwise: 'allow' }), '', buttons))).toContain(
    'Without an answer it is allowed',
  );
  expect(buttonsOf(message)).toEqual({ Approve: 'a', Deny: 'b' });
});

test('no text of a message is longer than Slack takes, whatever names and words it has', () => {
  const long = '&'.repeat(10_000);
  const lines = '\n<'.repeat(10_000);
  const mention = (): undefined => undefined;
  for (const words of [long, lines]) {
    const about = { ...asked, agent: words, caller: words, question: { text: words, by: words, for: words }, mention };
    const asks = open({ by: words, of: Array(20).fill(words), reason: words });
    for (const message of [
      askMessage(about, asks, words, buttons),
      questionMessage(about, [{ label: long, value: '' }], ''),
    ]) {
      for (const { type, text, elements = [] } of message.blocks as {
        type: string;
        text?: { text: string };
        elements?: { text: { text: string } }[];
      }[]) {
        if (type === 'section') expect(text?.text.length).toBeLessThanOrEqual(3_000);
        for (const button of elements) expect(button.text.text.length).toBeLessThanOrEqual(75);
      }
    }
  }
});

test('a question with up to five choices has a button for each, and other questions have none', () => {
  const pairsIn = (schema: object) => choicesIn({ ...schema }).map(({ label, answer }) => ({ label, answer }));
  const colours = ['red', 'green', 'blue', 'pink', 'grey'];
  expect(choicesIn({ type: 'string', enum: colours }).map(({ answer }) => answer)).toEqual(colours);
  expect(choicesIn({ type: 'string', enum: [...colours, 'black'] })).toEqual([]);
  expect(pairsIn({ type: 'boolean' })).toEqual([
    { label: 'yes', answer: true },
    { label: 'no', answer: false },
  ]);
  const property = { type: 'object', properties: { go: { type: 'boolean' } }, required: ['go'] };
  expect(choicesIn(property).map(({ answer }) => answer)).toEqual([{ go: true }, { go: false }]);
  const titled = {
    oneOf: [
      { const: 1, title: 'One' },
      { const: 2, title: 'Two' },
    ],
  };
  expect(pairsIn({ type: 'integer', ...titled })).toEqual([
    { label: 'One', answer: 1 },
    { label: 'Two', answer: 2 },
  ]);
  for (const other of [undefined, { type: 'string' }, { type: 'array', items: { enum: ['a'] } }]) {
    expect(choicesIn(other)).toEqual([]);
  }
  const two = { type: 'object', properties: { go: { type: 'boolean' }, why: { type: 'string' } } };
  expect(choicesIn(two)).toEqual([]);
});

test('a note takes the place of the buttons, or of the note before it', () => {
  const message = askMessage(asked, open(), 'Book it', buttons);
  const agreed = withNote(message, 'Agreed so far: bob', true);
  expect([buttonsOf(agreed), textsOf(agreed)]).toEqual([
    { Approve: 'a', Deny: 'b' },
    expect.stringContaining('so far: bob'),
  ]);
  const over = withNote(agreed, 'Approved', false);
  expect([buttonsOf(over), over.text]).toEqual([{}, message.text]);
  expect(textsOf(over)).toContain('Approved');
  expect(textsOf(over)).not.toContain('so far');
  expect(withNote('nothing', 'Approved', false)).toMatchObject({ text: 'Approved', blocks: [{ type: 'context' }] });
});

test('text is escaped as Slack describes it', () => {
  expect(escaped('a < b && b > <!here>')).toBe('a &lt; b &amp;&amp; b &gt; &lt;!here&gt;');
});
