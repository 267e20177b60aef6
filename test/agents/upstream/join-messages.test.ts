import { expect, test } from 'vitest';
import { joinMessages } from '../../../src/agents/upstream/join-messages.ts';
import type { Message, Part } from '../../../src/core/model/a2a.ts';

const message = (messageId: string, parts: Part[], more: Partial<Message> = {}): Message => ({
  messageId,
  role: 'ROLE_AGENT',
  parts,
  ...more,
});

test('texts of one message that came in pieces become one text', () => {
  const joined = joinMessages([
    message('m', [{ text: 'Hel' }]),
    message('m', [{ text: 'lo' }, { data: { a: 1 } }]),
    message('m', [{ text: 'you' }]),
  ]);
  expect(joined).toEqual(message('m', [{ text: 'Hello' }, { data: { a: 1 } }, { text: 'you' }]));
});

test('several messages are one message with the parts and metadata of all', () => {
  const joined = joinMessages([
    message('1', [{ text: 'ha' }], { metadata: { a: 1 }, extensions: ['urn:x'] }),
    message('2', [{ text: 'ha', metadata: { b: 1 } }], { metadata: { b: 2 }, extensions: ['urn:x', 'urn:y'] }),
  ]);
  const parts = [{ text: 'ha' }, { text: 'ha', metadata: { b: 1 } }];
  expect(joined).toEqual(message('1', parts, { metadata: { a: 1, b: 2 }, extensions: ['urn:x', 'urn:y'] }));
});
