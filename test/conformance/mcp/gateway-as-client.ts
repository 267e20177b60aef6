import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connect } from '../../../src/client/index.ts';
import type { AgentCard, Part, Task } from '../../../src/core/model/a2a.ts';
import { type DescribedTool, type ToolsParams, toolsExtension } from '../../../src/core/model/agent.ts';
import { isInterrupted } from '../../../src/core/model/lifecycle.ts';
import { propertiesOf, questionOf } from '../../../src/core/model/question.ts';
import { startTools } from '../../support/tools/gateway.ts';

/** What the kit says of a scenario to the command that it runs. */
export interface ClientRun {
  /** The kit's server. */
  readonly url: string;
  readonly scenario: string;
  /** What the scenario says besides, such as tools to call. */
  readonly context?: { readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[] };
}

/** Milliseconds until the tools are listed; of some scenarios the server lists none. */
const patience = 5_000;

/** A value of the type that a schema wants. */
function valueFor(schema: unknown): unknown {
  const { type, default: given, enum: choices } = schema as { type?: string; default?: unknown; enum?: unknown[] };
  return given ?? choices?.[0] ?? { number: 1, integer: 1, boolean: true, array: [], object: {} }[type ?? ''] ?? 'text';
}

const valuesFor = (schema: object | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(propertiesOf(schema as never)).map(([name, of]) => [name, valueFor(of)]));

const toolsIn = (card: AgentCard): readonly DescribedTool[] => {
  const { params } = card.capabilities.extensions?.find(({ uri }) => uri === toolsExtension) ?? {};
  return (params as ToolsParams | undefined)?.tools ?? [];
};

/** Calls each tool of a server through a gateway whose agent it is, and answers its questions. Returns what came of it. */
async function callTools({ url, context }: ClientRun): Promise<string[]> {
  const gateway = await startTools({ servers: { kit: { url, timeout: '10s' } } });
  try {
    await Promise.race([gateway.ready(), new Promise((resolve) => setTimeout(resolve, patience).unref())]);
    const agent = await connect(gateway.origin);
    const tools = toolsIn(agent.card as AgentCard);
    const calls =
      context?.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: valuesFor(inputSchema) }));
    const outcomes: string[] = [];
    for (const call of calls) {
      const data = { target_mcp_server_id: 'kit', tool_name: call.name, arguments: call.arguments };
      let { task } = await agent.send([{ data } as Part]);
      while (task && isInterrupted(task.status.state)) {
        const answer = valuesFor(questionOf(task)?.schema);
        ({ task } = await agent.send([{ data: answer } as Part], { taskId: task.id }));
      }
      outcomes.push(`${call.name}: ${describe(task)}`);
    }
    return outcomes;
  } finally {
    await gateway.close();
  }
}

const describe = (task: Task | undefined): string =>
  task ? `${task.status.state} ${JSON.stringify(task.status.message?.parts ?? [])}` : 'no task';

/**
 * Starts what carries out the client scenarios. The kit runs a command for each of them, which hands it over to this process:
 * a gateway in a process of its own would take a second to start.
 */
export async function startGatewayAsClient() {
  const server = createServer(async (req, res) => {
    const answer = await callTools((await json(req)) as ClientRun).catch((error: Error) => [`failed: ${error.stack}`]);
    res.end(answer.join('\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const command = fileURLToPath(new URL('client-command.ts', import.meta.url));
  return {
    /** The command for the kit, which adds its server's URL. */
    command: `${process.execPath} ${command} http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
