import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from '../../../src/client/index.ts';
import type { AgentCard, Part } from '../../../src/core/model/a2a.ts';
import { type DescribedTool, type ToolsParams, toolsExtension } from '../../../src/core/model/agent.ts';
import { isInterrupted } from '../../../src/core/model/lifecycle.ts';
import { propertiesOf, questionOf } from '../../../src/core/model/question.ts';
import { startTools } from '../../support/tools/gateway.ts';

/** Arguments that the kit passes to the command that runs a scenario. */
export interface ClientRun {
  /** The kit's server. */
  readonly url: string;
  readonly scenario: string;
  /** Further data of the scenario: tools to call, and credentials. */
  readonly context?: {
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly private_key_pem?: string;
  };
}

/** Milliseconds until the tools are listed; of some scenarios the server lists none. */
const timeoutMs = 5_000;

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

/** The authorization server that a server names: what its operator would have said. */
async function issuerOf(url: string): Promise<string> {
  const refused = await fetch(url, { method: 'POST' });
  const [, named] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const wellKnown = ['/mcp', ''].map((path) => new URL(`/.well-known/oauth-protected-resource${path}`, url).href);
  for (const place of named === undefined ? wellKnown : [named]) {
    const answer = await fetch(place);
    if (answer.ok) return ((await answer.json()) as { authorization_servers: [string] }).authorization_servers[0];
  }
  throw new Error('The server names no authorization server');
}

/** The credentials of a scenario, as an operator configures them: at the issuer that the server names. */
async function authOf({ url, scenario, context }: ClientRun, folder: string): Promise<object | undefined> {
  if (!scenario.startsWith('auth/')) return undefined;
  const issuer = await issuerOf(url);
  const {
    client_id: clientId = 'gateway',
    client_secret: clientSecret = 'secret',
    private_key_pem: pem,
  } = context ?? {};
  const common = { type: 'oauth2Discovery', issuer, clientId };
  if (pem === undefined) return { ...common, clientSecret };
  const privateKey = join(folder, 'key.pem');
  await writeFile(privateKey, pem);
  return { ...common, privateKey };
}

/** Calls each tool of a server through a gateway whose agent it is. Returns what came of it. */
async function callTools(run: ClientRun): Promise<string[]> {
  const { url, context } = run;
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  const auth = await authOf(run, folder);
  const gateway = await startTools({ servers: { kit: { url, timeout: '10s', ...(auth && { auth }) } } });
  try {
    await Promise.race([gateway.ready(), new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())]);
    const agent = await connect(gateway.origin);
    const tools = toolsIn(agent.card as AgentCard);
    const argumentsOf = (schema: object | undefined) => {
      const values = valuesFor(schema);
      // A tool that takes a schema gets that of another tool, as the gateway has it.
      return 'schema' in values ? { ...values, schema: tools[0]?.inputSchema } : values;
    };
    const calls = tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsOf(inputSchema) }));
    const outcomes: string[] = [];
    for (const { name, arguments: given } of context?.toolCalls ?? calls) {
      const data = { target_mcp_server_id: 'kit', tool_name: name, arguments: given };
      const outcome = await callTool(agent, { data } as Part).catch((error: Error) => error.message);
      outcomes.push(`${name}: ${outcome}`);
    }
    return outcomes;
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true });
  }
}

/** Calls a tool, and answers its questions. */
async function callTool(agent: Client, part: Part): Promise<string> {
  let { task } = await agent.send([part]);
  while (task && isInterrupted(task.status.state)) {
    const answer = valuesFor(questionOf(task)?.schema);
    ({ task } = await agent.send([{ data: answer } as Part], { taskId: task.id }));
  }
  return task ? `${task.status.state} ${JSON.stringify(task.status.message?.parts ?? [])}` : 'no task';
}

/**
 * Starts what carries out the client scenarios. The kit runs a command for each of them, which hands it over to this process:
 * a gateway in a process of its own would take a second to start.
 */
export async function startGatewayAsClient(log: (line: string) => void = () => undefined) {
  const server = createServer(async (req, res) => {
    const run = (await json(req)) as ClientRun;
    const lines = await callTools(run).catch((error: Error) => [`failed: ${error.stack}`]);
    for (const line of lines) log(`${run.scenario}: ${line}`);
    res.end();
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
