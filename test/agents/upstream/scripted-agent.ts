import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCapabilities, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { v1Card } from '../../support/cards.ts';
import { bodyOf, listenOn, sendJson } from '../../support/peer.ts';

/** The answer of a scripted agent to one method of A2A 1.0 over JSON-RPC. */
export type Script = (call: ScriptedCall) => void | Promise<void>;

export interface ScriptedCall {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway sends
  readonly params: any;
  readonly headers: IncomingHttpHeaders;
  readonly res: ServerResponse;
  /** The number of earlier calls of the method. */
  readonly before: number;
  /** Answers with a value. */
  result(value: unknown): void;
  error(code: number, message: string, data?: unknown): void;
  /** Answers with events, and leaves the stream open. */
  events(...events: readonly StreamResponse[]): void;
  /** Sends an error as an event of the stream. */
  errorEvent(code: number, message: string): void;
  /** Ends the stream. */
  end(): void;
}

/** An agent that does exactly what a test wants, also what no agent should. */
export interface ScriptedAgent {
  readonly url: string;
  /** Names of the methods that were called. */
  readonly calls: string[];
  close(): Promise<void>;
}

export const ids = { taskId: 'their-task', contextId: 'their-context' };

/** The scripted agent's task. */
export const taskOf = (state: string, more: Partial<Task> = {}): Task => ({
  id: ids.taskId,
  contextId: ids.contextId,
  status: { state: `TASK_STATE_${state}` as Task['status']['state'], timestamp: '2027-01-01T00:00:00.000Z' },
  ...more,
});

export const statusOf = (state: string, text?: string, messageId = 'said'): StreamResponse => ({
  statusUpdate: {
    ...ids,
    status: {
      state: `TASK_STATE_${state}` as Task['status']['state'],
      timestamp: '2027-01-01T00:00:01.000Z',
      ...(text !== undefined && { message: { messageId, role: 'ROLE_AGENT' as const, parts: [{ text }], ...ids } }),
    },
  },
});

export const chunkOf = (text: string, append = true): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append },
});

/** Starts an agent that answers as the scripts say; methods without one are not found. */
export async function startScripted(
  scripts: Readonly<Record<string, Script>>,
  capabilities: AgentCapabilities = { streaming: true },
): Promise<ScriptedAgent> {
  const calls: string[] = [];
  const server = createServer(async (req, res) => {
    if (req.method === 'GET') {
      const { port } = server.address() as AddressInfo;
      const skills = [{ id: 's', name: 's', description: 's', tags: ['s'] }];
      const card = v1Card(`http://127.0.0.1:${port}/`, { name: 'Scripted', capabilities, skills });
      return sendJson(res, card, req.url === '/.well-known/agent-card.json' ? 200 : 404);
    }
    const { id, method, params } = JSON.parse(await bodyOf(req));
    const before = calls.filter((name) => name === method).length;
    calls.push(method);
    const answer = (body: object): void => sendJson(res, { jsonrpc: '2.0', id, ...body });
    const script = scripts[method];
    if (!script) {
      answer({ error: { code: -32601, message: `no ${method}` } });
      return;
    }
    await script({
      params,
      headers: req.headers,
      res,
      before,
      result: (result) => answer({ result }),
      error: (code, message, data) => answer({ error: { code, message, data } }),
      events(...events) {
        if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const result of events) res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      },
      errorEvent(code, message) {
        res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n\n`);
      },
      end: () => res.end(),
    });
  });
  const { origin, close } = await listenOn(server);
  return { url: `${origin}/`, calls, close };
}
