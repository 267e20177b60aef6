import {
  type AgentCard,
  type AgentInterface,
  type Message,
  type OperationName,
  type OperationTypes,
  operations,
  type Part,
  type RequestOf,
  type ResponseOf,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
} from '../core/model/a2a.ts';
import type { Invoke, LoggedEvent } from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { newId } from '../core/model/ids.ts';
import { defined } from '../core/model/json.ts';
import { listedNames } from '../dialects/kernel/card-flags.ts';
import type { DialectName } from '../dialects/kernel/dialect.ts';
import { knowledgeGraph } from '../dialects/kernel/extension-facts.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../gen/knowledge-v1/types.ts';
import type { BindingName } from './bindings.ts';
import { type Caller, type CallOptions, createCaller, operationMethods } from './caller.ts';

/** Operations that answer with one value. */
export type UnaryOperation = {
  [K in OperationName]: OperationTypes[K]['streaming'] extends true ? never : K;
}[OperationName];

/** Operations that answer with a stream. */
export type StreamingOperation = Exclude<OperationName, UnaryOperation>;

/** Content of a message: a text, parts, or a message whose role and id are filled in. */
export type Content = string | readonly Part[] | (Omit<Message, 'role' | 'messageId'> & Partial<Message>);

/** Options of a send. */
export interface SendOptions extends CallOptions {
  /** Id of the task to which the message belongs. */
  readonly taskId?: string;
  readonly contextId?: string;
  /** Whether to return without waiting until the task ends. Default false. */
  readonly returnImmediately?: boolean;
}

/**
 * One method per operation, with the operation's name in camel case: `getTask`, `listTasks`, `subscribeToTask` and so
 * on.
 */
export type OperationMethods = {
  [K in OperationName as Uncapitalize<K>]: (
    request: RequestOf<K>,
    options?: CallOptions,
  ) => K extends StreamingOperation ? AsyncIterable<StreamResponse> : Promise<ResponseOf<K>>;
};

/**
 * An agent's knowledge graph (the knowledge graph extension). A call that the agent's card rules out is refused without
 * being sent, with `knowledgeNotSupported` or a similar error.
 */
export interface KnowledgeClient {
  /** The query languages on the card; undefined if the card has no knowledge graph. */
  readonly languages: readonly string[] | undefined;
  /** Queries in GraphQL or another language of the agent. Rejects with an A2AError. */
  query(request: KnowledgeQueryParams, options?: CallOptions): Promise<KnowledgeQueryResponseResult>;
  /** Proposes changes. The response reports which of them were made. Rejects with an A2AError. */
  update(request: KnowledgeUpdateParams, options?: CallOptions): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Subscribes to changes. Leaving the loop closes the connection. To resume a broken subscription at this gateway,
   * pass as `after` the position in the metadata of the last event. Throws an A2AError.
   */
  subscribe(request: KnowledgeSubscribeParams, options?: CallOptions): AsyncIterable<KnowledgeGraphChangeEvent>;
}

/** An agent, ready to be called. */
export interface Client extends OperationMethods {
  /** The agent's card, converted to v1. */
  readonly card: AgentCard;
  /** The card as it was received; undefined if the agent has none. */
  readonly document: unknown;
  /** Binding of the current interface. */
  readonly binding: BindingName;
  /** Dialect of the current interface. */
  readonly dialect: DialectName;
  /** The current interface: the first usable one of the card, or another one after a failover. */
  readonly interface: AgentInterface;
  /** Notes on the connection, such as credentials that were not sent. */
  readonly notes: readonly string[];
  /** The agent's knowledge graph, if it has one. */
  readonly knowledge: KnowledgeClient;
  /** Makes a call with a context of your own. */
  readonly invoke: Invoke;
  /** Calls an operation that answers with one value. Rejects with an A2AError. */
  call<K extends UnaryOperation>(operation: K, request: RequestOf<K>, options?: CallOptions): Promise<ResponseOf<K>>;
  /** Calls an operation that streams. Leaving the loop closes the connection. Throws an A2AError. */
  stream<K extends StreamingOperation>(
    operation: K,
    request: RequestOf<K>,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse>;
  /** Calls an operation that streams, and yields each event with its position, for resuming with `after`. */
  events<K extends StreamingOperation>(
    operation: K,
    request: RequestOf<K>,
    options?: CallOptions,
  ): AsyncIterable<LoggedEvent>;
  /** Sends a message and waits for the response: a Message, or the task once it has ended or waits for input. */
  send(content: Content, options?: SendOptions): Promise<SendMessageResponse>;
  /** Sends a message and streams the events. */
  sendStream(content: Content, options?: SendOptions): AsyncIterable<StreamResponse>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The parts of a client. The interface and its properties are read each time, because a failover changes them. */
type ClientParts = Pick<
  Client,
  'card' | 'document' | 'binding' | 'dialect' | 'interface' | 'notes' | 'invoke' | 'close'
>;

/** Creates a SendMessageRequest with the content. */
export function sendRequest(content: Content, options: SendOptions = {}): SendMessageRequest {
  const { taskId, contextId, returnImmediately } = options;
  const parts = typeof content === 'string' ? [{ text: content }] : content;
  return {
    message: {
      messageId: newId(),
      role: 'ROLE_USER',
      ...defined({ taskId, contextId }),
      ...('parts' in parts ? parts : { parts: [...parts] }),
    },
    ...(returnImmediately !== undefined && { configuration: { returnImmediately } }),
  };
}

/**
 * Creates a client that makes its calls with `invoke`: a method for each operation of the table, and a few shortcuts.
 */
export function createClient(parts: ClientParts): Client {
  const { invoke, card, document, close } = parts;
  const { tenant = '' } = parts.interface;
  const caller = createCaller(invoke, card.name, tenant);
  const { value: call, events, stream } = caller;

  return {
    card,
    document,
    get binding() {
      return parts.binding;
    },
    get dialect() {
      return parts.dialect;
    },
    get interface() {
      return parts.interface;
    },
    get notes() {
      return parts.notes;
    },
    invoke,
    close,
    ...operationMethods<OperationMethods>(caller, operations),
    knowledge: createKnowledgeClient(caller, card),
    call,
    events,
    stream,
    send: (content, options) => call('SendMessage', sendRequest(content, options), options),
    sendStream: (content, options) => stream('SendStreamingMessage', sendRequest(content, options), options),
  };
}

function createKnowledgeClient(caller: Caller, { capabilities, name }: AgentCard): KnowledgeClient {
  const languages = listedNames(knowledgeGraph, capabilities.extensions);

  const check = (language?: string, refusal: ErrorKind = 'queryLanguageNotSupported'): void => {
    if (!languages) throw new A2AError('knowledgeNotSupported', `The card of ${name} lists no knowledge graph`);
    if (language === undefined || languages.length === 0) return;
    if (languages.some((known) => known.toLowerCase() === language.toLowerCase())) return;
    throw new A2AError(refusal, `${name} does not support ${language}; its card lists ${languages.join(', ')}`);
  };

  return {
    languages,
    async query(request, options) {
      check(request.queryLanguage);
      return caller.value('Query', request, options);
    },
    async update(request, options) {
      check();
      return caller.value('Update', request, options);
    },
    async *subscribe(request, options) {
      check(request.queryLanguage, 'subscriptionLanguageNotSupported');
      if (capabilities.streaming === false) {
        throw new A2AError('unsupportedOperation', `The card of ${name} says that it does not stream`);
      }
      // The type of a stream's events depends on the operation.
      yield* caller.stream(
        'Subscribe',
        request,
        options,
      ) as AsyncIterable<unknown> as AsyncIterable<KnowledgeGraphChangeEvent>;
    },
  };
}
