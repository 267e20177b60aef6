import { A2AClient } from 'a2a-sdk-0.2/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { startGateway } from '../../support/gateway.ts';
import { taskOf, userMessage } from '../../support/sdk-0.3.ts';
import { resultOf } from './clients.ts';

/**
 * Behaviour of the SDK of A2A 0.2 only: it returns whole JSON-RPC responses, and prints a warning for ids of other requests.
 */

const gateway = await startGateway();

const params = (text: string) => ({ message: userMessage(text) });

it.each([
  '/.well-known/agent.json',
  '/.well-known/agent-card.json',
  '/as/a2a-0.2/.well-known/agent.json',
  '/as/a2a-0.2/.well-known/agent-card.json',
  '/demo/.well-known/agent.json',
  '/hello/.well-known/agent.json',
  '/hello/as/a2a-0.2/.well-known/agent.json',
])('@a2a-js/sdk 0.2 finds the agent by %s', async (path) => {
  const found = new A2AClient(gateway.origin, path);
  const card = await found.getAgentCard();
  expect(card).toMatchObject({
    name: path.startsWith('/hello') ? 'Hello agent' : 'Reference agent',
    version: expect.any(String),
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: expect.arrayContaining(['text/plain']),
    defaultOutputModes: expect.arrayContaining(['text/plain']),
  });
  // Clients of a pinned card stay on its path.
  const base = path.slice(0, path.indexOf('/.well-known')).replace('/demo', '');
  expect([`${gateway.origin}${base}`, `${gateway.origin}/demo`]).toContain(card.url.replace(/\/$/, ''));
  const answer = resultOf(await found.sendMessage(params('I am Ada')));
  expect(taskOf(answer).status.state).toBe('completed');
});

it('@a2a-js/sdk 0.2 gets the request id that it sent', async () => {
  const complaint = vi.spyOn(console, 'error');
  onTestFinished(() => complaint.mockRestore());
  const response = await new A2AClient(gateway.origin).sendMessage(params('say hello there'));
  expect(response.id).toBeTypeOf('number');
  expect(complaint).not.toHaveBeenCalled();
});

it('@a2a-js/sdk 0.2 gets an error for an agent that requires an extension, which A2A 0.2 cannot declare', async () => {
  const demanding = new A2AClient(`${gateway.origin}/demanding`);
  const response = await demanding.sendMessage(params('hi'));
  expect('error' in response && response.error.message).toContain(requiredExtension);
});
