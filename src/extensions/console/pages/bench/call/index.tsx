import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { looksGenerated } from '../../../../../core/model/ids.ts';
import { isTerminal } from '../../../../../core/model/lifecycle.ts';
import { callGateway } from '../../../gateway/fetch.ts';
import { useRead } from '../../../gateway/hooks.ts';
import { hrefOf } from '../../../shell/router.ts';
import { duration } from '../../../ui/format.ts';
import { Badge, Button, Copy, Empty, Field, Select, Text, Time } from '../../../ui/index.ts';
import { bindings, bindingsOf, callablesOf } from '../../../wire/callables.ts';
import { Bench } from '../frame.tsx';
import { AnswerPane } from './answer.tsx';
import { RequestPane, Snippets } from './request.tsx';
import {
  agent,
  agents,
  availableOf,
  type CallableAgent,
  type CallRecord,
  callable,
  calls,
  choose,
  chooseOperation,
  conversation,
  forgetCalls,
  newConversation,
  protocols,
  replay,
  send,
  shown,
  shownCall,
} from './state.ts';

/** Calls any agent in any dialect over any binding that a browser can speak. */
export function Call(): JSX.Element {
  const copying = useSignal(false);
  const { error, reload } = useRead(async (signal) => {
    const response = await callGateway('/agents', { signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]) });
    const { agents: list }: { agents: readonly CallableAgent[] } = await response.json();
    agents.value = list;
  });
  return (
    <Bench
      busy={agents.value === undefined && error === undefined}
      error={error}
      onRetry={reload}
      actions={
        <>
          <Button icon="copy" onClick={() => (copying.value = true)}>
            Copy as…
          </Button>
          <Button kind="primary" onClick={send}>
            Send
          </Button>
        </>
      }
    >
      <Target />
      <ConversationBar />
      <RequestPane />
      <AnswerPane call={shownCall.value} />
      <History />
      {copying.value && <Snippets onClose={() => (copying.value = false)} />}
    </Bench>
  );
}

/** What is called, and how. */
function Target(): JSX.Element {
  const list = agents.value ?? [];
  const { protocol, binding, name } = callable.value;
  const isDialect = (one: object): boolean => 'card' in one;
  const options = protocols.value.map((one) => ({
    value: one.name,
    label: isDialect(one) ? one.name : `${one.name} (service)`,
  }));
  return (
    <div class="try-target">
      {list.length > 0 ? (
        <Select
          key="agents"
          label="Agent"
          value={agent.value}
          options={[...new Set([...list.map((one) => one.name), agent.value])]}
          onChange={(next) => {
            newConversation();
            choose({ agent: next });
          }}
        />
      ) : (
        <Field key="agent" label="Agent" value={agent.value} onInput={(next) => choose({ agent: next })} />
      )}
      <Select
        key="dialect"
        label="Dialect"
        value={protocol.name}
        options={options}
        onChange={(next) => choose({ dialect: next, operation: callable.peek().operation.name, method: undefined })}
      />
      <Select
        key="binding"
        label="Binding"
        value={binding}
        options={bindingsOf(protocol).map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(next) => choose({ binding: next, operation: callable.peek().operation.name, method: undefined })}
      />
      <Select
        key="method"
        label="Method"
        value={name}
        options={callablesOf(protocol, binding).map((one) => ({
          value: one.name,
          label: one.name === one.operation.name ? one.name : `${one.name} (${one.operation.name})`,
        }))}
        onChange={(next) => choose({ method: next, operation: undefined })}
      />
    </div>
  );
}

/** What one does next about a task. */
const followUps = ['SendMessage', 'SendStreamingMessage', 'GetTask', 'SubscribeToTask', 'CancelTask', 'ListTasks'];

/** The task that goes from one call to the next, in whatever dialect the next one is. */
function ConversationBar(): JSX.Element | null {
  const { taskId, contextId, state } = conversation.value;
  if (taskId === undefined && contextId === undefined) return null;
  const isDialect = 'card' in callable.value.protocol;
  return (
    <section class="bench-bar" aria-label="Conversation">
      <div class="row">
        {taskId !== undefined && (
          <span class="bench-id">
            Task{' '}
            {looksGenerated(taskId) ? (
              <a href={hrefOf('tasks', [taskId])}>
                <Text value={taskId} mono />
              </a>
            ) : (
              <Text value={taskId} mono />
            )}
            <Copy value={taskId} label="Copy the id of the task" />
          </span>
        )}
        {state !== undefined && <Badge state={state} />}
        {contextId !== undefined && <a href={hrefOf('tasks', [], { context: contextId })}>Context</a>}
        {state !== undefined && isTerminal(state) && <span class="muted">The next message begins another task.</span>}
      </div>
      <div class="row">
        {isDialect &&
          availableOf(followUps).map(({ operation, name }) => (
            <Button
              key={operation.name}
              kind="quiet"
              pressed={callable.value.operation.name === operation.name}
              onClick={() => chooseOperation(operation.name)}
            >
              {name}
            </Button>
          ))}
        <Button onClick={newConversation}>New conversation</Button>
      </div>
    </section>
  );
}

/** The calls of this tab. */
function History(): JSX.Element {
  const list = calls.value;
  return (
    <section aria-label="Calls of this tab">
      <div class="section-title">
        <h2>Calls</h2>
        <span class="muted">since the page was loaded</span>
        {list.length > 0 && (
          <Button kind="quiet" onClick={forgetCalls}>
            Forget all
          </Button>
        )}
      </div>
      {list.length === 0 ? (
        <Empty title="No calls yet" />
      ) : (
        <ul class="try-calls">
          {list.map((call) => (
            <Row key={call.id} call={call} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ call }: { readonly call: CallRecord }): JSX.Element {
  const { at, agent, callable } = call;
  const { protocol, binding, name } = callable;
  const { phase, status, ms, error, problem } = call.answer.value;
  const failed = error?.row.reason ?? (problem === undefined ? undefined : 'unreadable');
  const state = phase === 'waiting' || phase === 'open' ? 'running' : (failed ?? 'ok');
  const title = bindings.find(({ id }) => id === binding)?.title ?? binding;
  return (
    <li aria-current={shown.value === call.id ? 'true' : undefined}>
      <button type="button" class="try-call" onClick={() => (shown.value = call.id)}>
        <code>{name}</code>
        <span class="muted">
          {protocol.name} · {title} · {agent}
        </span>
      </button>
      <span class={`badge badge-${state === 'running' ? 'active' : failed ? 'error' : 'ok'}`}>
        {state === 'ok' && status !== undefined ? `HTTP ${status}` : state}
      </span>
      <span class="number muted">{ms === undefined ? '' : duration(ms)}</span>
      <span class="muted try-call-time">
        <Time at={at} />
      </span>
      <Button kind="quiet" icon="reload" label={`Send ${name} again`} onClick={() => replay(call)} />
    </li>
  );
}
