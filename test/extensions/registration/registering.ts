import { createServer } from 'node:http';
import { defineAgent } from '../../../src/agents/define.ts';
import type { Message, Task } from '../../../src/core/model/a2a.ts';
import type { RegisterAgentRequest } from '../../../src/gen/admin-v1/types.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { listenOn } from '../../support/peer.ts';

/** An agent whose card can change, and which leads to a gateway whose answers tell which one it is. */
export async function startAgent(answers: readonly string[], at?: number) {
  const gateways = await Promise.all(
    answers.map(async (answer) => {
      const agent = { name: answer, description: 'Says its name', execute: () => answer };
      return openGateway('agents: { other: { kind: reference } }', { agents: { own: defineAgent(agent) } });
    }),
  );
  const interfaceOf = (to: number) => [
    { url: `${gateways[to]?.url}/own`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ];
  let card: Record<string, unknown> = {
    name: 'Changing',
    description: 'An agent',
    version: '1',
    capabilities: { streaming: true },
    supportedInterfaces: interfaceOf(0),
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: ['first', 'second'].map((id) => ({ id, name: id, description: id, tags: [] })),
  };
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(card));
  });
  const { origin, port, close } = await listenOn(server, at);
  return {
    url: `${origin}/card.json`,
    port,
    close,
    change(to: Record<string, unknown>): void {
      card = { ...card, ...to };
    },
    leadsTo: (to: number) => ({ supportedInterfaces: interfaceOf(to) }),
  };
}

/** Registers an agent. */
export const register = ({ url }: { readonly url: string }, request: RegisterAgentRequest, headers = {}) =>
  askAdmin(url, 'RegisterAgent', request, headers);

/** A registration. Undefined: there is none. */
export const found = async ({ url }: { readonly url: string }, agent: string) =>
  (await askAdmin(url, 'ListRegistrations', { agent })).registrations?.[0];

/** The agent's answer; the HTTP status if it is refused. */
export async function said({ url }: { readonly url: string }, agent: string, taskId?: string): Promise<unknown> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }], taskId };
  const answer = await callsOf(`${url}/${agent}`).request('/message:send', {
    method: 'POST',
    body: JSON.stringify({ message }),
  });
  const { task, message: direct } = (await answer.json()) as { task?: Task; message?: Message };
  return (direct?.parts ?? task?.artifacts?.[0]?.parts)?.[0]?.text ?? answer.status;
}

/** The card of an agent, as the gateway serves it. */
export const cardOf = async ({ url }: { readonly url: string }, agent: string) =>
  (await fetch(`${url}/${agent}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })).json();
