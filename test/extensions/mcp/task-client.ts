import { paced } from '../../support/pace.ts';
/** A client of MCP 2026-07-28 that takes tasks (SEP-2663): the official SDK has none that does. */

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** A result, whatever is in it. */
export type Result = Record<string, unknown> & { readonly taskId: string; readonly status: string };

/** An error of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface TaskClientOptions {
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
}

const both = { elicitation: {}, extensions: { [tasksExtension]: {} } };

/** The client of an endpoint. */
export function taskClient(url: string, { capabilities = both, headers = {} }: TaskClientOptions = {}) {
  let id = 0;
  const post = (method: string, params: Record<string, unknown>, signal = AbortSignal.timeout(paced(10_000))) => {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const name = params.taskId ?? params.name;
    return fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(typeof name === 'string' && { 'Mcp-Name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      signal,
    });
  };
  const request = async (method: string, params: Record<string, unknown> = {}): Promise<Result> => {
    const text = await (await post(method, params)).text();
    const data = /^data: (.*"id":.*)$/m.exec(text)?.[1] ?? text;
    const { result, error } = JSON.parse(data);
    if (error) throw new RpcError(error);
    return result;
  };
  const get = (taskId: string) => request('tasks/get', { taskId });
  return {
    post,
    request,
    get,
    call: (name: string, args: object = {}, more: object = {}) =>
      request('tools/call', { name, arguments: args, ...more }),
    update: (taskId: string, inputResponses: object) => request('tasks/update', { taskId, inputResponses }),
    cancel: (taskId: string) => request('tasks/cancel', { taskId }),
    /** Polls until the task has another status. */
    async after(taskId: string, status = 'working'): Promise<Result> {
      for (;;) {
        const task = await get(taskId);
        if (task.status !== status) return task;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
