import type { AgentSkill, Message, SendMessageRequest, Task } from '../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription } from '../core/model/agent.ts';
import { withSignal } from '../core/model/timing.ts';
import { type AgentReturn, eventsOf, howToAnswer } from './answer.ts';
import { textOf } from './events.ts';

/** One message to the agent, with its context. */
export interface AgentRequest extends AgentContext {
  /** The whole request, in v1 ProtoJSON. */
  readonly request: SendMessageRequest;
  readonly message: Message;
  /** Text of the message's first text part; '' if it has none. */
  readonly text: string;
}

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
   * Answers one message. Yield either one `say(…)` and nothing else, or `progress(…)`, `artifact(…)`, `ask(…)` and other
   * events, which make a task: it begins as submitted and is completed when the run ends, unless a status says otherwise.
   * A function that is no generator returns the same at its end: a text, an event or several. Throwing fails the task. Callers see the text of an A2AError; that of any other error is in the log, and only shown to callers
   * without credentials on the gateway's own machine.
   */
  execute(request: AgentRequest): AgentReturn;
  /** Called before a task is canceled; throw an A2AError of kind `taskNotCancelable` to refuse. */
  cancel?(task: Task, context: AgentContext): ReturnType<NonNullable<Agent['cancel']>>;
  /** Resumes a task of a gateway that died. Without it, and without `restart`, such a task fails. */
  resume?(task: Task, context: AgentContext): AgentReturn;
  /**
   * Whether `execute` may get the same message again if the gateway died during the run: doing the work twice does no
   * harm. Earlier events stay in the task. Default false.
   */
  readonly restart?: boolean;
}

const textOnly = ['text/plain'];

/**
 * Makes an agent that the gateway can serve: the default export of a `kind: module` file.
 *
 * Defaults of the card: version `1.0.0`, one skill, text in and out, streaming and push configurations on. Throws
 * TypeError when the name or the description is missing.
 */
export function defineAgent(definition: AgentDefinition): Agent {
  const { name, description, version = '1.0.0', skills, card, extendedCard, cancel, resume, restart } = definition;
  if (!name || !description) throw new TypeError('An agent needs a name and a description.');
  if (typeof definition.execute !== 'function') {
    throw new TypeError(`An agent needs a function execute. ${howToAnswer('execute')}`);
  }
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
    execute: (request, context) => eventsOf(definition.execute(requestOf(request, context)), 'execute'),
    ...(extendedCard && { extendedCard: { ...described, ...extendedCard } }),
    ...(cancel && { cancel: (task, context) => cancel.call(definition, task, context) }),
    ...(restart && { restart }),
    ...(resume && { resume: (task, context) => eventsOf(resume.call(definition, task, context), 'resume') }),
  };
}

/** The signal is only created when it is read. */
function requestOf(request: SendMessageRequest, context: AgentContext): AgentRequest {
  const facts = { ...context, request, message: request.message, text: textOf(request.message) };
  return withSignal<AgentRequest>(facts, () => context.signal);
}

export { artifact, say, status, textOf } from './events.ts';
