/** `a2a-gateway/testing`: tests of agents, in a gateway in memory without a network. */
import { answered } from '../agents/agent-calls.ts';
import { type AgentDefinition, agentOf, defineAgent } from '../agents/define.ts';
import { agentOfModule } from '../agents/module.ts';
import type { UserModule } from '../agents/user-module.ts';
import { type Client, type Content, createClient, type SendOptions } from '../client/client.ts';
import type { StreamResponse, Task } from '../core/model/a2a.ts';
import type { Agent, AgentFetch, Answered } from '../core/model/agent.ts';
import type { Invoke, LoggedEvent } from '../core/model/call.ts';
import { isObject } from '../core/model/json.ts';
import type { Principal } from '../core/model/principal.ts';
import type { Logger } from '../core/ports/logger.ts';
import { createGateway, type Gateway } from '../gateway/compose/gateway.ts';
import type { CodeAgent, GatewaySettings } from '../gateway/compose/settings.ts';
import { invokeOf } from '../transports/rpc/mount.ts';
import { openKeptDatabase } from './kept-store.ts';

/** An agent that can be tested: any default export of a module, or a module that was imported. */
export type TestedAgent =
  | CodeAgent
  // A function or class takes settings of its own type.
  | ((settings: never) => unknown)
  | (new (
      settings: never,
    ) => unknown)
  | { readonly default: unknown; readonly configSchema?: unknown };

/** Options of a test. */
export interface TestOptions {
  /**
   * Settings for a function or class, as `agents.NAME.config` in a configuration file; a module's `configSchema` checks
   * them.
   */
  readonly config?: unknown;
  /** Environment for a function or class, as `agents.NAME.env` in a configuration file. */
  readonly env?: Readonly<Record<string, string>>;
  /** Name of the agent in the gateway. Default `tested`. */
  readonly name?: string;
  /** Implementation of `context.fetch`. Default: requests are refused, so that no test depends on a network. */
  readonly fetch?: AgentFetch;
  /**
   * Other agents for `context.agent(NAME)`, by name: a function that answers, as an agent's `execute` does, or an
   * agent. Default: there is no other agent.
   */
  readonly agents?: Readonly<Record<string, AgentDefinition['execute'] | CodeAgent>>;
  /** The caller. Default `tester`, on this machine. */
  readonly principal?: TestPrincipal;
  /** Further settings of the gateway, such as `limits`. */
  readonly settings?: Omit<GatewaySettings, 'agents' | 'store' | 'logger'>;
}

/** A caller: an id, or a principal with one. */
export type TestPrincipal = string | (Pick<Principal, 'id'> & Partial<Principal>);

/** Outcome of a message, or of a task. */
export interface TestAnswer extends Answered {
  /** All events that were streamed. */
  readonly events: readonly StreamResponse[];
}

/** A line that the gateway or the agent logged. */
export interface TestLogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One caller of the agent. */
export interface TestCaller {
  /**
   * Sends a message and waits until the agent has answered, asked a question, or failed. With `returnImmediately` it
   * waits only for the beginning.
   */
  send(content: Content, options?: SendOptions): Promise<TestAnswer>;
  /** Sends a message and yields the events as they arrive. */
  stream(content: Content, options?: SendOptions): AsyncIterable<StreamResponse>;
  /** Waits until a task has ended or waits for its caller. `events`: all since its beginning. */
  wait(taskId: string): Promise<TestAnswer>;
  get(taskId: string): Promise<Task>;
  cancel(taskId: string): Promise<Task>;
  /** Client with every operation of A2A. */
  readonly client: Client;
}

/** An agent in a gateway of its own. Ends with `await using`, or with `close()`. */
export interface AgentTester extends TestCaller, AsyncDisposable {
  /** Returns another caller, who must not see the first caller's tasks. */
  as(principal: TestPrincipal): TestCaller;
  /**
   * Stops the gateway while it is working and starts another one on the same store, as after a crash: agents with
   * `resume` or `restart` continue their tasks, and other agents' tasks fail. A class or function creates a new agent.
   */
  restart(): Promise<void>;
  /** Lines logged so far. */
  readonly log: readonly TestLogLine[];
  close(): Promise<void>;
}

/**
 * Starts a gateway in memory with one agent. It opens no socket, and otherwise behaves as in production: tasks, states,
 * history, limits and errors. Rejects if the agent cannot be created.
 *
 * ```ts
 * import { defineAgent } from 'a2a-gateway';
 * import { testAgent } from 'a2a-gateway/testing';
 *
 * const echo = defineAgent({ name: 'Echo', description: 'Repeats' }, ({ text }) => text);
 * await using tester = await testAgent(echo);
 * console.log((await tester.send('hello')).text);
 * ```
 */
export async function testAgent(agent: TestedAgent, options: TestOptions = {}): Promise<AgentTester> {
  const { config, env = {}, name = 'tested', principal = 'tester', settings } = options;
  const module: UserModule = isObject(agent) && 'default' in agent ? agent : { default: agent };
  const log: TestLogLine[] = [];
  const database = await openKeptDatabase();
  const callers = new Map<string, Principal>();
  const deps = {
    logger: recorderOf(log),
    fetch: options.fetch ?? refuse,
    principalById: (id: string) => callers.get(id),
  };
  const others = Object.entries(options.agents ?? {}).map(([other, given]) => [other, otherAgent(other, given)]);
  const start = async (): Promise<Gateway> => {
    const testedAgent: Agent = await agentOfModule(`The agent ${name}`, module, { name, config, env });
    const gateway = createGateway(
      { ...settings, agents: { ...Object.fromEntries(others), [name]: { kind: 'code', agent: testedAgent } } },
      { ...deps, store: database.store() },
    );
    await gateway.start();
    return gateway;
  };
  let gateway = await start().catch(async (thrown: unknown) => {
    await database.close();
    throw thrown;
  });
  let closing: Promise<void> | undefined;
  const invoke: Invoke = (call) => invokeOf(gateway)(call);
  const as = (caller: TestPrincipal): TestCaller => {
    const one = principalOf(caller);
    callers.set(one.id, one);
    return createTestCaller(invoke, name, one);
  };
  const close = (): Promise<void> => {
    closing ??= gateway.close({ drainMs: 0 }).then(database.close);
    return closing;
  };
  return {
    ...as(principal),
    as,
    log,
    async restart() {
      await gateway.close({ drainMs: 0 });
      gateway = await start();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const principalOf = (caller: TestPrincipal): Principal =>
  // Callers on this machine see the exceptions of agents.
  ({ anonymous: false, local: true, ...(typeof caller === 'string' ? { id: caller } : caller) });

/** Returns an agent of a test: a function is its `execute`. */
function otherAgent(name: string, given: AgentDefinition['execute'] | CodeAgent): { kind: 'code'; agent: Agent } {
  const agent = typeof given === 'function' ? defineAgent({ name, description: name }, given) : agentOf(given);
  return { kind: 'code', agent };
}

const refuse: AgentFetch = async (input) => {
  const url = input instanceof Request ? input.url : String(input);
  throw new TypeError(`The agent fetched ${url}: give testAgent a \`fetch\` that answers instead.`);
};

function recorderOf(lines: TestLogLine[]): Logger {
  const at = (level: keyof Logger) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function createTestCaller(invoke: Invoke, name: string, principal: Principal): TestCaller {
  const client = createClient({
    invoke: (call) => invoke({ ...call, context: { ...call.context, agent: name, principal } }),
    card: { name, capabilities: { streaming: true } } as Client['card'],
    document: undefined,
    binding: 'jsonrpc',
    dialect: 'a2a-1.0',
    interface: { url: '', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    notes: [],
    close: async () => undefined,
  });
  const answerOf = async (events: readonly StreamResponse[]): Promise<TestAnswer> => {
    const message = events.find((event) => event.message)?.message;
    const id = events.map(taskIdOf).find((each) => each !== undefined);
    const task = id === undefined ? undefined : await client.getTask({ id });
    return { events, ...answered({ ...(message && { message }), ...(task && { task }) }) };
  };
  return {
    client,
    async send(content, options = {}) {
      const events: StreamResponse[] = [];
      for await (const event of client.sendStream(content, options)) {
        events.push(event);
        if (options.returnImmediately) break;
      }
      return answerOf(events);
    },
    stream: (content, options) => client.sendStream(content, options),
    async wait(id) {
      const events = await collect(client.events('SubscribeToTask', { id }, { after: 0 }));
      return answerOf(events);
    },
    get: (id) => client.getTask({ id }),
    cancel: (id) => client.cancelTask({ id }),
  };
}

async function collect(logged: AsyncIterable<LoggedEvent>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const { event } of logged) events.push(event);
  return events;
}

const taskIdOf = ({ task, statusUpdate, artifactUpdate }: StreamResponse): string | undefined =>
  task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
