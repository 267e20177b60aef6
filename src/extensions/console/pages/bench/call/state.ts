import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { A2AError } from '../../../../../core/model/errors.ts';
import { newId } from '../../../../../core/model/ids.ts';
import { isObject } from '../../../../../core/model/json.ts';
import type { WireProtocol } from '../../../../../dialects/kernel/wire.ts';
import { createDialects } from '../../../../../dialects/registry.ts';
import { callGateway } from '../../../gateway/fetch.ts';
import { gatewayUrl, ownHeaders } from '../../../gateway/raw.ts';
import { settings } from '../../../gateway/settings.ts';
import { route, setQuery } from '../../../shell/router.ts';
import { onCallerLeft } from '../../../shell/session.ts';
import { bindingsOf, type Callable, callableOf, callablesOf, servedProtocols } from '../../../wire/callables.ts';
import { after, type Conversation, newRequest, nextIds, withIds } from '../../../wire/conversation.ts';
import { type Answer, exchange, waiting } from '../../../wire/exchange.ts';
import { contextOf, formatHttp, headerOf, parseHttp, writeRequest } from '../../../wire/request.ts';

/** The state of the calls. It outlives the page, so that users can visit another page and come back. */

const dialects = createDialects();

/** One call. */
export interface CallRecord {
  readonly id: string;
  readonly agent: string;
  readonly callable: Callable;
  /** The request as sent, without the credential. */
  readonly text: string;
  readonly answer: Signal<Answer>;
  /** Fields of the request that the dialect could not express. */
  readonly lost: readonly string[];
  readonly stop: () => void;
}

/** A request as text, or the reason why there is none. */
export interface Frame {
  readonly text: string;
  readonly losses: readonly string[];
  readonly error?: A2AError;
}

/** Dialects, and the services that all of them share. */
export const protocols: ReadonlySignal<readonly WireProtocol[]> = computed(() =>
  servedProtocols(dialects, settings.value?.previews),
);

/** The agents that the caller may call. */
export const agents = signal<readonly { readonly name: string }[] | undefined>(undefined);

/** Reads these agents. */
export async function readAgents(signal: AbortSignal): Promise<void> {
  const response = await callGateway('/agents', { signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]) });
  agents.value = (await response.json()).agents;
}

const queried = (name: string): string => (route.value.page === 'bench' ? (route.value.query.get(name) ?? '') : '');

/** Name of the agent; '' if there is none. */
export const agent = computed(() => queried('agent') || (agents.value?.[0]?.name ?? ''));

/** The chosen method; the nearest to it if the protocol or the binding does not have it. */
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

export const conversation = signal<Conversation>({});

/** Values that users have entered, by operation. */
const entered = signal<ReadonlyMap<string, Record<string, unknown>>>(new Map());

/** Ids for the next message, and for the task of dialects whose clients choose it. */
const newIds = signal({ messageId: newId(), taskId: newId() });

/** Returns the name of the form of an operation; both ways of sending a message share one. */
const formOf = ({ operation }: Callable): string =>
  operation.name === 'SendStreamingMessage' ? 'SendMessage' : operation.name;

/** Entered values, or the initial ones of the form: without the ids of messages. */
export const form = computed(
  () => entered.value.get(formOf(callable.value)) ?? newRequest(callable.value, conversation.value),
);

/** The request in v1. */
export const request: ReadonlySignal<Record<string, unknown>> = computed(() => {
  const { protocol } = callable.value;
  const choosesTask = 'callersName' in protocol && protocol.callersName === true;
  return withIds(form.value, nextIds(conversation.value, newIds.value, choosesTask));
});

/** Replaces the values of the form. */
export function enter(values: Record<string, unknown>): void {
  entered.value = new Map(entered.value).set(formOf(callable.peek()), values);
}

/** The method that a frame belongs to. Another method has a frame of its own. */
const subject = computed(() => {
  const { protocol, binding, name } = callable.value;
  return JSON.stringify([agent.value, protocol.name, binding, name]);
});

/** A text that a user has changed. */
const draft = signal<{ readonly of: string; readonly text: string } | undefined>(undefined);

/** The text that a user has changed; undefined while the frame follows the form. */
export const edited = computed(() => (draft.value?.of === subject.value ? draft.value.text : undefined));

/** Changes the frame; undefined generates it from the form again. */
export function edit(text: string | undefined): void {
  draft.value = text === undefined ? undefined : { of: subject.peek(), text };
}

const nextRpcId = signal(1);

/** The frame generated from the form. */
export const frame: ReadonlySignal<Frame> = computed(() => {
  try {
    const { losses, ...http } = writeRequest(callable.value, request.value, agent.value, nextRpcId.value);
    return { text: formatHttp(http), losses };
  } catch (thrown) {
    return { text: '', losses: [], error: A2AError.from(thrown) };
  }
});

/** The latest call, and those before it that were running when it was sent. */
export const calls = signal<readonly CallRecord[]>([]);

/** Number of calls in progress at once. A further one stops the oldest. */
const maxCalls = 8;

export const isRunning = ({ phase }: Answer): boolean => phase === 'waiting' || phase === 'open';

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

/** Returns the method that carries out an operation in the chosen dialect over the chosen binding. */
export const methodOf = (operation: string): Callable | undefined => callableOf(dialects, callable.value, operation);

/** Number of conversations: calls of earlier ones change nothing in the current one. */
let conversations = 0;

/** Clears the task and the context. */
export function newConversation(): void {
  conversations += 1;
  batch(() => {
    conversation.value = {};
    entered.value = new Map();
    draft.value = undefined;
  });
}

/** Sends the current frame. */
export function send(): void {
  const { text, losses: lost } = frame.peek();
  const changed = edited.peek();
  start({ callable: callable.peek(), agent: agent.peek(), text: changed ?? text, lost }, changed ?? request.peek());
}

/** Copies the text of a call into the frame, to change it or to send it again. */
export function reuse({ agent, callable: { protocol, binding, name: method }, text }: CallRecord): void {
  batch(() => {
    choose({ agent, dialect: protocol.name, binding, method, operation: undefined });
    edit(text);
  });
}

onCallerLeft(() => {
  for (const { stop } of calls.peek()) stop();
  calls.value = [];
  agents.value = undefined;
  newConversation();
});

/** Milliseconds between two updates from a stream with many events. */
const pause = 60;

/** Makes a call. `from`: its request in v1, or the text that a user has changed. */
function start(of: Pick<CallRecord, 'callable' | 'agent' | 'text' | 'lost'>, from: object | string): void {
  const controller = new AbortController();
  const call: CallRecord = { ...of, id: newId(), answer: signal(waiting), stop: () => controller.abort() };
  const running = calls.peek().filter(({ answer }) => isRunning(answer.peek()));
  for (const { stop } of running.slice(maxCalls - 1)) stop();
  batch(() => {
    calls.value = [call, ...running.slice(0, maxCalls - 1)];
    nextRpcId.value += 1;
  });
  let latest = waiting;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (): void => {
    timer = undefined;
    call.answer.value = latest;
  };
  try {
    const sent = parseHttp(of.text);
    const keyHeader = settings.peek()?.apiKeyHeader ?? '';
    const done = exchange({
      request: sent,
      callable: of.callable,
      cx: contextOf(typeof from === 'string' ? paramsOf(sent.body) : from),
      url: gatewayUrl,
      // A key in the frame replaces the session.
      headers: ['x-api-key', keyHeader].some((name) => headerOf(sent, name) !== '') ? {} : ownHeaders,
      signal: controller.signal,
      onChange(answer) {
        latest = answer;
        timer ??= setTimeout(show, pause);
      },
      onValue: follow(of),
    });
    void done.then((answer) => {
      clearTimeout(timer);
      batch(() => {
        call.answer.value = answer;
        newIds.value = { messageId: newId(), taskId: newId() };
      });
    });
  } catch (thrown) {
    call.answer.value = { ...waiting, phase: 'done', problem: `Not sent: ${A2AError.from(thrown).message}` };
  }
}

/** Returns the parameters in a body, if it has any: they name the task. */
function paramsOf(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    const params = isObject(body) && isObject(body.params) ? body.params : body;
    return isObject(params) ? params : {};
  } catch {
    return {};
  }
}

/** Returns a function that follows a call's facts about its task, as long as the conversation is about that task. */
function follow({ callable, agent: name }: Pick<CallRecord, 'callable' | 'agent'>): (answerValue: unknown) => void {
  const isAboutTasks = 'card' in callable.protocol && callable.operation.name !== 'ListTasks';
  const begun = conversations;
  let taskId: string | undefined;
  return (answerValue) => {
    if (!isAboutTasks || begun !== conversations || agent.peek() !== name) return;
    const before = conversation.peek();
    if (taskId !== undefined && taskId !== before.taskId) return;
    const next = after(before, answerValue);
    taskId ??= next.taskId;
    if (next.taskId === before.taskId && next.contextId === before.contextId && next.state === before.state) return;
    conversation.value = next;
  };
}
