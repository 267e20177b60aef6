import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import { toolsExtension } from '../../../src/core/model/agent.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { type AgentRequest, artifact, ask, defineAgent, progress, status } from '../../../src/index.ts';

/**
 * An agent whose skills are the tools of the scenarios of the tasks extension: it describes them in its card as an agent of
 * tools does, so that they are called by their names and with their arguments.
 */

type Tool = (args: JsonObject, request: AgentRequest) => AsyncIterable<StreamResponse>;

const output = (data: JsonObject) => artifact({ content: [{ data: data as never, mediaType: 'application/json' }] });
const result = (text: string) => output({ success: true, mcp_result: { content: [{ type: 'text', text }] } });

/** Longer than a call waits for its result before it becomes a task. */
const aWhile = 700;

async function* fail(source: string, code: string | number) {
  yield progress('working');
  await sleep(aWhile);
  const message = 'It fails, as it should.';
  const details = source === 'MCP_TOOL' ? { mcp_tool_error_content: [{ type: 'text', text: message }] } : undefined;
  yield output({ success: false, error: { source, code, message, ...(details && { details }) } });
  yield status('TASK_STATE_FAILED');
}

const form = (properties: JsonObject) => ({ type: 'object', properties, required: Object.keys(properties) });
const confirmation = form({ confirm: { type: 'boolean' } });

/** Asks after a while, and shows the answer. */
const asking = (question: string, schema: JsonObject): Tool =>
  async function* (_, { answer }) {
    if (answer) {
      yield result(JSON.stringify(answer));
      return;
    }
    yield progress('working');
    await sleep(aWhile);
    yield ask(question, { schema });
  };

const both = { type: 'object', properties: { first: confirmation, second: confirmation }, minProperties: 1 };

/** Asks two questions at once, and goes on asking the one that is not answered. */
async function* twoQuestions(_: JsonObject, { answer }: AgentRequest): AsyncGenerator<StreamResponse, void> {
  const given = answer?.action === 'accept' ? (answer.value as JsonObject) : {};
  const open = ['first', 'second'].filter((name) => !(name in given));
  if (!answer) {
    yield progress('working');
    await sleep(aWhile);
    yield ask('Two questions', { schema: both, round: 1 });
  } else if (open.length === 1) {
    yield ask('The other question', { schema: confirmation, name: `${open}`, round: 1 });
  } else yield result(JSON.stringify(answer));
}

const tools: Readonly<Record<string, Tool>> = {
  async *greet({ name }) {
    yield result(`Hello, ${name}!`);
  },
  async *slow_compute({ seconds, label }, { signal }) {
    yield progress('working');
    await sleep(Number(seconds) * 1_000, undefined, { signal });
    yield result(`${label} is done.`);
  },
  failing_job: () => fail('MCP_TOOL', 'TOOL_ERROR'),
  protocol_error_job: () => fail('MCP_PROTOCOL', -32603),
  confirm_delete: asking('Delete it?', confirmation),
  multi_input: twoQuestions,
  async *test_tool_with_task(_, { answer }) {
    if (!answer) {
      yield ask('What is your name?', { schema: form({ name: { type: 'string' } }) });
      return;
    }
    yield progress('working');
    await sleep(aWhile);
    yield result(JSON.stringify(answer));
  },
};

/** Tools whose clients must take tasks. */
const taskOnly: ReadonlySet<string> = new Set(['failing_job']);

const names = Object.keys(tools);
const params = {
  tools: names.map((name) => ({ skill: name, server: 'work', name, taskOnly: taskOnly.has(name) })),
};

export default defineAgent({
  name: 'Work',
  description: 'Works for a while.',
  skills: names.map((name) => ({ id: name, name, description: `The tool ${name} of the scenarios`, tags: ['tool'] })),
  card: {
    capabilities: { streaming: true, pushNotifications: true, extensions: [{ uri: toolsExtension, params }] },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
  },
  async *execute(request) {
    const [part] = (request.task?.history?.[0] ?? request.message).parts;
    const call = part?.data as { tool_name: string; arguments: JsonObject } | undefined;
    yield* tools[call?.tool_name ?? '']?.(call?.arguments ?? {}, request) ?? [];
  },
});
