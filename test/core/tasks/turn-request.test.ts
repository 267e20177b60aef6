import { expect, it } from 'vitest';
import { readTurnRequest, turnRequestOf, writeTurnRequest } from '../../../src/core/tasks/turn-request.ts';

const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };

it('an agent gets nothing besides a message if the caller sent nothing for it', () => {
  const configuration = {
    returnImmediately: true,
    historyLength: 1,
    taskPushNotificationConfig: { url: 'https://a.b' },
  };
  expect(turnRequestOf({ message }, { extensions: [] })).toBeUndefined();
  expect(turnRequestOf({ message, tenant: 't', configuration }, { extensions: [] })).toBeUndefined();
});

it('the fields that an agent gets besides a message are read as they were written, also ones that later versions of A2A add', () => {
  const configuration = { acceptedOutputModes: ['text/plain'], returnImmediately: true, later: [1] };
  const request = { tenant: 't', message, configuration, metadata: {}, added: { a: 1 } };
  const kept = turnRequestOf(request, { extensions: ['urn:e'] });
  expect(kept && readTurnRequest(writeTurnRequest(kept, 3), 3)).toMatchObject({
    parts: { configuration: { acceptedOutputModes: ['text/plain'], later: [1] }, metadata: {}, added: { a: 1 } },
    extensions: ['urn:e'],
  });
  expect(JSON.stringify(kept)).not.toMatch(/returnImmediately|tenant|"message"/);
});

it('an agent does not get the fields of an earlier message, which a replica of an earlier version has left', () => {
  const text = writeTurnRequest({ parts: { metadata: { a: 1 } }, extensions: [] }, 1);
  expect(readTurnRequest(text, 1)).toBeDefined();
  expect(readTurnRequest(text, 5)).toBeUndefined();
});

it('the fields that an agent gets besides a message are refused in the form of a newer version', () => {
  expect(() => readTurnRequest('{"form":2,"turn":1}', 1)).toThrow(/form 2, which a newer version of the gateway wrote/);
});
