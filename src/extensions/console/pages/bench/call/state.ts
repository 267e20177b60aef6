import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { A2AError } from '../../../../../core/model/errors.ts';
import { newId } from '../../../../../core/model/ids.ts';
import { isObject } from '../../../../../core/model/json.ts';
import type { Dialects } from '../../../../../dialects/kernel/detect.ts';
import { createDialects } from '../../../../../dialects/kernel/registry.ts';
import type { WireProtocol } from '../../../../../dialects/kernel/wire.ts';
import { gatewayUrl, ownHeaders } from '../../../gateway/raw.ts';
import { settings } from '../../../gateway/settings.ts';
import { route, setQuery } from '../../../shell/router.ts';
import { onCallerLeft } from '../../../shell/session.ts';
import { bindingsOf, type Callable, callableOf, callablesOf, servedProtocols } from '../../../wire/callables.ts';
import { after, type Conversation, newRequest, nextIds, withIds, withoutIds } from '../../../wire/conversation.ts';
import { type Answer, exchange } from '../../../wire/exchange.ts';
import {
  contextOf,
  formatHttp,
  headerOf,
  parseHttp,
  type WrittenRequest,
  withHeader,
  writeRequest,
} from '../../../wire/request.ts';

/** The state of the calls. It outlives the page, so that one can look at another page and come back. */

export const dialects: Dialects = createDialects();

/** One call. */
export interface CallRecord {
  readonly id: number;
  /** When it was sent, in milliseconds. */
  readonly at: number;
  readonly agent: string;
  readonly callable: Callable;
  /** The request as it was sent, without the credential. */
  readonly text: string;
  readonly answer: Signal<Answer>;
  /** What the dialect could not say of the request. */
  readonly lost: readonly string[];
  readonly stop: () => void;
}

/** An agent that the caller may call. */
export interface CallableAgent {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

/** A request as text, or why there is none. */
export type Frame =
  | { readonly text: string; readonly written: WrittenRequest; readonly error?: undefined }
  | { readonly text: ''; readonly error: A2AError; readonly written?: undefined };

/** Calls that are kept. */
const maxCalls = 50;

let lastId = 0;

/** Dialects, and the services that all of them share. */
export const protocols: ReadonlySignal<readonly WireProtocol[]> = computed(() =>
  servedProtocols(dialects, settings.value?.previews),
);

export const agents = signal<readonly CallableAgent[] | undefined>(undefined);

const queried = (name: string): string => (route.value.page === 'bench' ? (route.value.query.get(name) ?? '') : '');

/** Name of the agent; '' where there is none. */
export const agent = computed(() => {
  const wanted = queried('agent');
  return wanted || (agents.value?.[0]?.name ?? '');
});

/** The method that is chosen; the nearest to it where the protocol or the binding does not have it. */
export const callable: ReadonlySignal<Callable> = computed(() => {
  const all = protocols.value;
  const protocol = all.find(({ name }) => name === queried('dialect')) ?? (all[0] as WireProtocol);
  const bindings = bindingsOf(protocol);
  const binding = bindings.find(({ id }) => id === queried('binding')) ?? bindings[0];
  const methods = callablesOf(protocol, binding?.id ?? 'jsonrpc');
  const wanted = queried('operation');
  const of = (operation: string) => methods.find((one) => one.method.operation === operation);
  return (methods.find(({ name }) => name === queried('method')) ??
    of(wanted) ??
    of('SendMessage') ??
    methods[0]) as Callable;
});

/** Whether clients of the dialect choose the ids of tasks. */
const choosesIds = ({ protocol }: Callable): boolean => 'callersName' in protocol && protocol.callersName === true;

export const conversation = signal<Conversation>({});

/** What users have entered, by operation. */
const entered = signal<ReadonlyMap<string, Record<string, unknown>>>(new Map());

/** Ids for the next message, and for the task of dialects whose clients choose it. */
const made = signal({ messageId: newId(), taskId: newId() });

const messageIds = computed(() => nextIds(conversation.value, made.value, choosesIds(callable.value)));

/** Operations that share what was entered: a message is sent in either way. */
const formOf = ({ operation }: Callable): string =>
  operation.name === 'SendStreamingMessage' ? 'SendMessage' : operation.name;

/** The request in v1. */
export const request: ReadonlySignal<Record<string, unknown>> = computed(() => {
  const chosen = callable.value;
  const before = entered.value.get(formOf(chosen)) ?? newRequest(chosen, conversation.value);
  return withIds(before, messageIds.value);
});

/** Changes the request in the form. */
export function setRequest(next: Record<string, unknown>): void {
  entered.value = new Map(entered.value).set(formOf(callable.peek()), withoutIds(next, messageIds.peek()));
}

/** A text that a user has changed, and what it is a frame of. */
const draft = signal<{ readonly of: string; readonly text: string } | undefined>(undefined);

const identityOf = (name: string, { protocol, binding, name: method }: Callable): string =>
  JSON.stringify([name, protocol.name, binding, method]);

/** The text that a user has changed; undefined while the frame follows the form. Another method has a frame of its own. */
export const edited = computed(() => {
  const { of, text } = draft.value ?? {};
  return of === identityOf(agent.value, callable.value) ? text : undefined;
});

/** Changes the frame; undefined makes it from the form again. */
export function edit(text: string | undefined): void {
  draft.value = text === undefined ? undefined : { of: identityOf(agent.peek(), callable.peek()), text };
}

const nextRpcId = signal(1);

/** The frame that the form makes. */
export const frame: ReadonlySignal<Frame> = computed(() => {
  try {
    const written = writeRequest(callable.value, request.value, agent.value, nextRpcId.value);
    return { text: formatHttp(written), written };
  } catch (thrown) {
    return { text: '', error: A2AError.from(thrown) };
  }
});

/** All calls since the page was loaded, the latest first. */
export const calls = signal<readonly CallRecord[]>([]);

/** Id of the call whose answer is shown. */
export const shown = signal<number | undefined>(undefined);

export const shownCall = computed(() => calls.value.find(({ id }) => id === shown.value));

/** Chooses a method, dialect, binding or agent. */
export const choose = (query: Readonly<Record<string, string | undefined>>): void => setQuery(query, { replace: true });

/** Chooses the method of an operation, for the task of the conversation. */
export function chooseOperation(operation: string): void {
  const others = new Map(entered.peek());
  if (!operation.startsWith('Send')) others.delete(operation);
  batch(() => {
    entered.value = others;
    choose({ operation, method: undefined });
  });
}

/** The operations that the dialect has over the binding, of these. */
export const availableOf = (operations: readonly string[]): readonly Callable[] =>
  operations.flatMap((operation) => callableOf(dialects, callable.value, operation) ?? []);

/** How many conversations there were: calls of earlier ones change nothing in the current one. */
let conversations = 0;

/** Forgets the task and the context. */
export function newConversation(): void {
  conversations += 1;
  batch(() => {
    conversation.value = {};
    entered.value = new Map();
    draft.value = undefined;
  });
}

/** Sends the frame as it stands. */
export function send(): void {
  const { text, written } = frame.peek();
  const body = edited.peek() ?? text;
  start(
    callable.peek(),
    agent.peek(),
    body,
    edited.peek() === undefined ? request.peek() : undefined,
    written?.losses ?? [],
  );
  nextRpcId.value += 1;
}

/** Sends the text of an earlier call again. */
export function replay(call: CallRecord): void {
  start(call.callable, call.agent, call.text, undefined, call.lost);
}

/** Opens a stream again after the last event that arrived. */
export function resume(call: CallRecord): void {
  const { lastEventId } = call.answer.peek();
  const { taskId } = conversation.peek();
  const subscribe = callableOf(dialects, call.callable, 'SubscribeToTask');
  if (!subscribe || taskId === undefined || lastEventId === undefined) return;
  const again = { id: taskId };
  const written = writeRequest(subscribe, again, call.agent, nextRpcId.peek());
  nextRpcId.value += 1;
  start(subscribe, call.agent, formatHttp(withHeader(written, 'Last-Event-ID', lastEventId)), again, written.losses);
}

/** Puts the text of an earlier call into the frame, to change it. */
export function reuse({ agent, callable: { protocol, binding, name: method }, text }: CallRecord): void {
  batch(() => {
    setQuery({ agent, dialect: protocol.name, binding, method, operation: undefined }, { replace: true });
    edit(text);
  });
}

export function forgetCalls(): void {
  for (const call of calls.peek()) call.stop();
  calls.value = [];
  shown.value = undefined;
}

onCallerLeft(() => {
  agents.value = undefined;
  newConversation();
  forgetCalls();
});

/** Milliseconds between two looks at a stream that brings much. */
const pause = 60;

function start(
  of: Callable,
  name: string,
  text: string,
  from: Record<string, unknown> | undefined,
  lost: readonly string[],
): void {
  const controller = new AbortController();
  lastId += 1;
  const call: CallRecord = {
    ...{ id: lastId, at: Date.now(), agent: name, callable: of, text, lost },
    answer: signal({ phase: 'waiting', headers: [], dropped: 0, losses: [] }),
    stop: () => controller.abort(),
  };
  batch(() => {
    calls.value = [call, ...calls.peek()].slice(0, maxCalls);
    shown.value = call.id;
  });
  const follows = follow(of, name);
  let latest = call.answer.peek();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (): void => {
    timer = undefined;
    call.answer.value = latest;
  };
  const onChange = (answer: Answer): void => {
    latest = answer;
    timer ??= setTimeout(show, pause);
  };
  const keyHeader = settings.peek()?.apiKeyHeader?.toLowerCase() ?? 'x-api-key';
  try {
    const sent = parseHttp(text);
    const done = exchange({
      request: sent,
      callable: of,
      cx: contextOf(from ?? bodyOf(text)),
      url: gatewayUrl,
      // A key in the frame takes the place of the session.
      headers: ['x-api-key', keyHeader].some((name) => headerOf(sent, name) !== '') ? {} : ownHeaders,
      signal: controller.signal,
      onChange,
      onEvent: follows,
    });
    void done.then((answer) => {
      clearTimeout(timer);
      batch(() => {
        call.answer.value = answer;
        if (answer.value !== undefined) follows(answer.value);
        made.value = { messageId: newId(), taskId: newId() };
      });
    });
  } catch (thrown) {
    const { message } = A2AError.from(thrown);
    call.answer.value = { phase: 'done', headers: [], dropped: 0, losses: [], problem: `Not sent: ${message}` };
  }
}

/** The parameters in the body of an edited frame, where it has any: they name the task. */
function bodyOf(text: string): object {
  try {
    const body: unknown = JSON.parse(parseHttp(text).body);
    const params = isObject(body) && isObject(body.params) ? body.params : body;
    return isObject(params) ? params : {};
  } catch {
    return {};
  }
}

/** Follows what a call says about its task, as long as the conversation is about that. */
function follow(of: Callable, name: string): (said: unknown) => void {
  const isAboutTasks = 'card' in of.protocol && of.operation.name !== 'ListTasks';
  const begun = conversations;
  let taskId: string | undefined;
  return (said) => {
    if (!isAboutTasks || begun !== conversations || agent.peek() !== name) return;
    const before = conversation.peek();
    if (taskId !== undefined && taskId !== before.taskId) return;
    const next = after(before, said);
    taskId ??= next.taskId;
    if (next.taskId === before.taskId && next.contextId === before.contextId && next.state === before.state) return;
    conversation.value = next;
  };
}
