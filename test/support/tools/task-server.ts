import { randomUUID } from 'node:crypto';
import { startScripted, type ToolRequest } from './http-server.ts';

/**
 * A tool server of MCP 2026-07-28 with the tasks extension (SEP-2663), which the official SDK has no server for. Its tools:
 * `job` works for two looks, `form` asks two questions at once, `think` sends a sampling request, `never` works for ever, `quick` is over when its task is created, and the others do what they are called.
 */

interface Job {
  readonly tool: string;
  looks: number;
  readonly answers: Record<string, unknown>;
  canceled: boolean;
}

const asks = (message: string, name: string, type: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } },
});
const questions: Record<string, object> = {
  who: asks('Who?', 'name', 'string'),
  age: asks('How old?', 'age', 'integer'),
};
const thought = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 5 },
};
const says = (words: string) => ({ content: [{ type: 'text', text: words }] });

/** The state of a job when it is looked at. */
function stateOf(job: Job): object {
  const { tool, looks, answers, canceled } = job;
  if (canceled) return { status: 'cancelled' };
  switch (tool) {
    case 'job':
      if (looks > 2) return { status: 'completed', result: says('done') };
      return { status: 'working', statusMessage: `step ${looks}` };
    case 'form': {
      if (Object.keys(answers).length < 2) return { status: 'input_required', inputRequests: questions };
      // An answered request is listed once more: the acknowledgement is eventually consistent.
      job.looks += 1;
      if (looks < 3) return { status: 'input_required', inputRequests: questions };
      return { status: 'completed', result: says(JSON.stringify(answers)) };
    }
    case 'think':
      if (Object.keys(answers).length > 0) return { status: 'completed', result: says(JSON.stringify(answers)) };
      return { status: 'input_required', inputRequests: { thought } };
    case 'error':
      return { status: 'completed', result: { ...says('It failed.'), isError: true } };
    case 'failed':
      return { status: 'failed', error: { code: -32050, message: 'No more paper' } };
    case 'cancelled':
      return { status: 'cancelled', statusMessage: 'closed for today' };
    case 'odd':
      return { status: 'sleeping' };
    case 'quick':
      return { status: 'completed', result: says('done at once') };
    case 'empty':
      return { status: 'completed' };
    default:
      return { status: 'working' };
  }
}

/**
 * @param port default: a free one
 * @param jobs those of a server before
 */
export async function startTaskServer(port = 0, jobs = new Map<string, Job>()) {
  const complete = (request: ToolRequest, result: object): void =>
    request.result({ resultType: 'complete', ...result });
  const server = await startScripted((request) => {
    const { method, params, id } = request;
    const refuse = (code: number, message: string): void =>
      request.json({ jsonrpc: '2.0', id, error: { code, message } });
    if (method === 'server/discover') {
      const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
      complete(request, { supportedVersions: ['2026-07-28'], capabilities });
      return;
    }
    if (method === 'tools/list') {
      const names = [
        'job',
        'form',
        'never',
        'forgotten',
        'think',
        'error',
        'failed',
        'cancelled',
        'odd',
        'empty',
        'nameless',
        'quick',
      ];
      const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
      complete(request, { tools, ttlMs: 0, cacheScope: 'private' });
      return;
    }
    const times = { createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString(), ttlMs: null };
    const about = { ...times, pollIntervalMs: 100 };
    if (method === 'tools/call') {
      const taskId = randomUUID();
      jobs.set(taskId, { tool: params.name, looks: 0, answers: {}, canceled: false });
      if (params.name === 'forgotten') jobs.delete(taskId);
      const named = params.name === 'nameless' ? {} : { taskId };
      const status = params.name === 'quick' ? 'completed' : 'working';
      request.result({ resultType: 'task', ...named, status, statusMessage: 'queued', ...about });
      return;
    }
    const job = jobs.get(params.taskId);
    if (!job) refuse(-32602, 'Task not found');
    else if (method === 'tasks/get') {
      job.looks += 1;
      complete(request, { taskId: params.taskId, ...stateOf(job), ...about });
    } else if (method === 'tasks/update') {
      Object.assign(job.answers, params.inputResponses);
      complete(request, {});
    } else if (method === 'tasks/cancel') {
      job.canceled = true;
      complete(request, {});
    } else refuse(-32601, 'Method not found');
  }, port);
  return {
    url: `${server.origin}/mcp`,
    jobs,
    requests: server.requests,
    /** Returns the number of jobs that were begun. */
    get begun() {
      return server.requests.filter(({ method }) => method === 'tools/call').length;
    },
    close: server.close,
  };
}
