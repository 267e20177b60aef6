import type { AgentSkill, Message, SendMessageRequest, StreamResponse, Task } from '../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { isResting } from '../core/model/lifecycle.ts';
import { type Answer, answerOf, questionOf } from '../core/model/question.ts';
import { type Mutable, withSignal } from '../core/model/timing.ts';
import { progress, say, textOf } from './events.ts';

/** One message to the agent, with its context. */
export interface AgentRequest extends AgentContext {
  /** The whole request, in v1 ProtoJSON. */
  readonly request: SendMessageRequest;
  readonly message: Message;
  /** Text of the message's first text part; '' if it has none. */
  readonly text: string;
  /**
   * The answer to the question that the task asked, read from the message and checked by its schema. Absent: the task asked no
   * question.
   */
  readonly answer?: Answer;
}

/** A whole answer: a text or `say(…)` for a direct message, otherwise the event or the events of a task. */
export type AgentAnswer = string | StreamResponse | readonly StreamResponse[];

/** The return value of an agent's method: events while it works, or its whole answer. */
export type AgentReturn =
  | AsyncIterable<StreamResponse>
  | AgentAnswer
  | Promise<AsyncIterable<StreamResponse> | AgentAnswer>;

/** An agent as its author writes it. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  /** Default: one skill with the agent's own name and description. */
  readonly skills?: readonly AgentSkill[];
  /** Other parts of the card, which override the defaults. The gateway adds the interfaces. */
  readonly card?: Partial<AgentDescription>;
  /** A card with more in it, for authenticated callers. */
  readonly extendedCard?: Partial<AgentDescription>;
  /**
   * Answers one message. Yield either one `say(…)` and nothing else, or `progress(…)`, `artifact(…)`, `ask(…)` and other events,
   * which make a task: it begins as submitted and is completed when the run ends, unless a status says otherwise. A function that
   * is not a generator returns its whole answer: a text, an event or several events. Throwing fails the task. Callers see the
   * text of an A2AError; the text of any other error is in the log, and only shown to callers without credentials on the
   * gateway's own machine.
   */
  execute(request: AgentRequest): AgentReturn;
  /** Called before a task is canceled; throw an A2AError of kind `taskNotCancelable` to refuse. */
  cancel?(task: Task, context: AgentContext): ReturnType<NonNullable<Agent['cancel']>>;
  /** Resumes a task of a gateway that died. Without it, and without `restart`, such a task fails. */
  resume?(task: Task, context: AgentContext): AgentReturn;
  /**
   * Whether `execute` may get the same message again if the gateway died during the run, because doing the work twice does no
   * harm. Earlier events stay in the task. Default false.
   */
  readonly restart?: boolean;
  /** Called when the gateway stops, or a reload has replaced the agent, after its last run has ended. */
  close?(): Promise<void> | void;
}

const textOnly = ['text/plain'];

/** An agent without its `execute`. */
export type AgentFacts = Omit<AgentDefinition, 'execute'>;

/**
 * Makes an agent that the gateway can serve from a definition, or from an instance of a class with the same properties and
 * methods. The default export of a module may be any of these, or a class or function that makes one.
 *
 * ```ts
 * import { artifact, defineAgent, progress } from 'a2a-gateway';
 *
 * export default defineAgent({ name: 'Greeter', description: 'Greets' }, async function* (context) {
 *   yield progress('thinking of a greeting');
 *   yield artifact({ name: 'greeting', content: `Hello, ${context.text}` });
 * });
 * ```
 *
 * Defaults of the card: version `1.0.0`, one skill, text in and out, streaming and push configurations on. Throws a TypeError
 * that names the missing member.
 */
export function defineAgent(facts: AgentFacts, execute: AgentDefinition['execute']): Agent;
export function defineAgent(definition: AgentDefinition): Agent;
export function defineAgent(facts: AgentDefinition | AgentFacts, execute?: AgentDefinition['execute']): Agent {
  return agentOf(execute === undefined ? facts : { ...facts, execute });
}

/** Agents by their definitions. A definition makes one agent, also after a reload. */
const made = new WeakMap<object, Agent>();

/** Returns an agent as it is, and makes one from a definition. Throws TypeError for anything else. */
export function agentOf(value: unknown): Agent {
  if (isAgent(value)) return value;
  requireDefinition(value);
  const agent = made.get(value) ?? makeAgent(value);
  made.set(value, agent);
  return agent;
}

/** Whether a value is an agent: a definition may have a card of its own, but only an agent has its name in its card. */
const isAgent = (value: unknown): value is Agent =>
  isObject(value) && isObject(value.card) && typeof value.execute === 'function' && value.name === undefined;

/** Whether a function has to be called with `new`. */
export const isClass = (value: unknown): value is new (settings: unknown) => unknown =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

function requireDefinition(value: unknown): asserts value is AgentDefinition {
  if (isClass(value)) {
    throw new TypeError(`${value.name} is a class. Make an instance: defineAgent(new ${value.name}()).`);
  }
  if (typeof value === 'function') {
    throw new TypeError('A function needs a name and a description: defineAgent({ name, description }, execute).');
  }
  if (!isObject(value)) {
    const given = value === undefined ? 'nothing' : value === null ? 'null' : `a ${typeof value}`;
    throw new TypeError(`An agent is what defineAgent({ name, description, execute }) returns, not ${given}.`);
  }
  const own = Object.getPrototypeOf(value)?.constructor as { readonly name?: string } | undefined;
  const what = !own?.name || own.name === 'Object' ? 'An agent' : `The class ${own.name}`;
  for (const property of ['name', 'description']) {
    if (typeof value[property] === 'string' && value[property] !== '') continue;
    throw new TypeError(`${what} needs a ${property}, a text: every agent has a name and a description in its card.`);
  }
  if (typeof value.execute === 'function') return;
  throw new TypeError(
    `${what} needs a ${what === 'An agent' ? 'function' : 'method'} execute. ${howToAnswer('execute')}`,
  );
}

function makeAgent(definition: AgentDefinition): Agent {
  const { name, description, version = '1.0.0', skills, card, extendedCard } = definition;
  const { cancel, resume, restart, close } = definition;
  const described: AgentDescription = {
    name,
    description,
    version,
    defaultInputModes: textOnly,
    defaultOutputModes: textOnly,
    skills: [...(skills ?? [{ id: 'default', name, description, tags: ['general'] }])],
    ...card,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      ...(extendedCard && { extendedAgentCard: true }),
      ...card?.capabilities,
    },
  };
  return {
    card: described,
    execute: (request, context) => eventsOf(definition.execute(requestOf(request, context)), 'execute', context.task),
    ...(extendedCard && { extendedCard: { ...described, ...extendedCard } }),
    ...(cancel && { cancel: (task, context) => cancel.call(definition, task, context) }),
    ...(restart && { restart }),
    ...(close && { close: async () => close.call(definition) }),
    ...(resume && { resume: (task, context) => eventsOf(resume.call(definition, task, context), 'resume') }),
  };
}

/**
 * Turns the context of the run into the request itself, which costs less than a copy. A calling agent's context is a request
 * already.
 */
function requestOf(request: SendMessageRequest, context: AgentContext): AgentRequest {
  const { message } = request;
  const question = context.task && questionOf(context.task);
  const answer = question && answerOf(message, question.schema);
  const isRequest = 'message' in context;
  const own = (
    isRequest ? withSignal<AgentContext>({ ...context }, () => context.signal) : context
  ) as Mutable<AgentRequest>;
  own.request = request;
  own.message = message;
  own.text = textOf(message);
  if (answer) own.answer = answer;
  return own;
}

/**
 * The events in the return value of an agent's method. Iterating throws `invalidAgentResponse` if the value is not an answer.
 *
 * @param task the task that the message continues
 */
function eventsOf(returned: AgentReturn, method: 'execute' | 'resume', task?: Task): AsyncIterable<StreamResponse> {
  if (isIterable(returned)) return returned;
  const hasWaited = task !== undefined && isResting(task.status.state);
  return answered(returned, method, hasWaited);
}

async function* answered(
  returned: AgentReturn,
  method: string,
  hasWaited: boolean,
): AsyncGenerator<StreamResponse, void> {
  if (hasWaited && returned instanceof Promise) {
    // The promise is awaited below, perhaps after its rejection: without a handler that would end the process.
    returned.catch(() => undefined);
    // Callers who poll must not take the task for one that still waits for an answer.
    yield progress();
  }
  const answer: unknown = await returned;
  if (isIterable(answer)) yield* answer;
  else if (typeof answer === 'string') yield say(answer);
  else if (Array.isArray(answer)) yield* answer;
  else if (typeof answer === 'object' && answer !== null) yield answer as StreamResponse;
  else throw new A2AError('invalidAgentResponse', notAnAnswer(answer, method));
}

const isIterable = (value: unknown): value is AsyncIterable<StreamResponse> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const notAnAnswer = (value: unknown, method: string): string =>
  `The agent's ${method} returned ${value === undefined ? 'nothing' : `a ${typeof value}`}. ${howToAnswer(method)}`;

/** Advice for a method that returns no answer. */
const howToAnswer = (method: string): string =>
  `Return a text or events, or write \`async *${method}(…)\`, with the asterisk, and yield events.`;

export { artifact, say, status, textOf } from './events.ts';
