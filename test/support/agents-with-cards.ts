import { expect, vi } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import { afterTest, bodyOf, sendJson, serve } from './peer.ts';

/** A card of A2A 0.3 with these members. */
export const card03 = (url: string, more: object = {}): object => ({
  name: 'Fake',
  description: 'A fake',
  version: '1',
  protocolVersion: '0.3.0',
  url,
  preferredTransport: 'JSONRPC',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'Does S', tags: ['t'] }],
  ...more,
});

/** Requests for a method, with the path at which it came. */
export interface Received {
  readonly agent: string;
  readonly path: string;
  readonly method: string;
  readonly version: string | undefined;
}

/**
 * A server with agents below `/NAME` that know nothing but `message/send` of A2A 0.3, or `SendMessage` of 1.x, and serve the card
 * of their name. A card may be a text, or a status.
 */
export async function agentsWithCards(
  cards: (origin: string) => Readonly<Record<string, unknown>>,
  knows: (received: Received) => boolean = () => true,
) {
  const received: Received[] = [];
  const origin: string = await serve(async (req, res) => {
    const path = req.url ?? '';
    const agent = path.split('/')[1] ?? '';
    if (req.method === 'GET') {
      const card = cards(origin)[agent];
      if (!path.endsWith('/.well-known/agent-card.json') || card === undefined) return sendJson(res, {}, 404);
      if (typeof card === 'number') return sendJson(res, {}, card);
      return typeof card === 'string' ? res.end(card) : sendJson(res, card);
    }
    const { id, method } = JSON.parse(await bodyOf(req)) as { id: unknown; method: string };
    const version = req.headers['a2a-version'];
    const one: Received = { agent, path, method, version: typeof version === 'string' ? version : undefined };
    received.push(one);
    if (!knows(one)) return sendJson(res, { error: 'no such path' }, 404);
    const answer = { jsonrpc: '2.0', id };
    if (method === 'message/send') {
      const task = { kind: 'task', id: `t-${received.length}`, contextId: 'c', status: { state: 'completed' } };
      return sendJson(res, { ...answer, result: task });
    }
    if (method === 'SendMessage') {
      const message = { messageId: `m-${received.length}`, role: 'ROLE_AGENT', parts: [{ text: 'hi' }] };
      return sendJson(res, { ...answer, result: { message } });
    }
    return sendJson(res, { ...answer, error: { code: -32601, message: 'Method not found' } });
  });
  return { origin, received };
}

/** A log line with its fields. */
export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A gateway before agents, with what it logs. @param agents the section of the configuration, in JSON */
export async function gatewayBefore(agents: Readonly<Record<string, object>>, more = '') {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields: fields as LogLine['fields'], message });
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const section = Object.fromEntries(Object.entries(agents).map(([name, one]) => [name, { kind: 'upstream', ...one }]));
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\n${more}\nagents: ${JSON.stringify(section)}\n`;
  const gateway = createGateway(parseConfig(text, { file: 'gateway.yaml' }), { logger });
  const { url } = await gateway.listen();
  afterTest(() => gateway.close({ drainMs: 0 }));
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const card = async (agent: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/${agent}/.well-known/agent-card.json`, { headers });
    return (await response.json()) as Record<string, unknown>;
  };
  return {
    url,
    lines,
    card,
    /** Resolves when the card of an agent has been read. */
    read: (agent: string) => vi.waitFor(async () => expect((await card(agent)).name).toBe('Fake')),
    /** The problems that were logged of an agent's card. */
    problems: (agent: string): string[] =>
      lines.filter(({ fields }) => fields.agent === agent).flatMap(({ fields }) => (fields.problems as string[]) ?? []),
    async send(agent: string, more: Record<string, string> = {}) {
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] };
      const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify({ message }) };
      const response = await fetch(`${url}/${agent}/message:send`, init);
      return { status: response.status, body: await response.json() };
    },
  };
}
