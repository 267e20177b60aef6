import { expect, test } from 'vitest';
import { requestToUpstream } from '../../../src/agents/upstream/ids.ts';
import type { SendMessageRequest } from '../../../src/core/model/a2a.ts';

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
const unknown = { id: '', contextId: '' };

test('the agent gets every field but those that the gateway handles itself, and its own ids', () => {
  const request = {
    tenant: 'acme',
    message: { ...message, taskId: 'ours', contextId: 'ours', referenceTaskIds: ['a', 'b'], metadata: { a: 1 } },
    configuration: {
      acceptedOutputModes: ['text/plain'],
      taskPushNotificationConfig: { url: 'https://example.com', taskId: '' },
      historyLength: 3,
      returnImmediately: true,
    },
    metadata: { b: 2 },
  } as unknown as SendMessageRequest;
  expect(requestToUpstream(request, { id: 'theirs', contextId: '' }, new Map([['b', 'their b']]))).toEqual({
    message: { ...message, taskId: 'theirs', referenceTaskIds: ['their b'], metadata: { a: 1 } },
    configuration: { acceptedOutputModes: ['text/plain'] },
    metadata: { b: 2 },
  });
});

test('a field that A2A gets later is passed on, wherever it is', () => {
  const request = {
    message: { ...message, parts: [{ text: 'hi', language: 'en' }], mood: 'calm' },
    configuration: { historyLength: 3, urgency: 7 },
    budget: { tokens: 1 },
  } as unknown as SendMessageRequest;
  expect(requestToUpstream(request, unknown, new Map())).toEqual({ ...request, configuration: { urgency: 7 } });
});

test('a configuration that only concerns the gateway is left out', () => {
  const request = { message: { ...message, parts: [{ text: 'hi' }] }, configuration: { returnImmediately: true } };
  expect(requestToUpstream(request as SendMessageRequest, unknown, new Map())).toEqual({ message });
});
