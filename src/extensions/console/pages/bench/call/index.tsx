import type { JSX } from 'preact';
import { looksGenerated } from '../../../../../core/model/ids.ts';
import { isTerminal } from '../../../../../core/model/lifecycle.ts';
import { hrefOf } from '../../../shell/router.ts';
import { Badge, Button, Copy, Field, Select, Text } from '../../../ui/index.ts';
import { bindingsOf, callablesOf } from '../../../wire/callables.ts';
import { Answers } from './answer.tsx';
import { CopyCommand, RequestPane } from './request.tsx';
import {
  agent,
  agents,
  callable,
  choose,
  chooseOperation,
  conversation,
  methodOf,
  newConversation,
  protocols,
  send,
} from './state.ts';

/** Calls any agent in any dialect over any binding that a browser supports. */
export const Call = (): JSX.Element => (
  <>
    <Target />
    <ConversationBar />
    <RequestPane />
    <Answers />
  </>
);

/** Buttons for the current frame. */
export const CallActions = (): JSX.Element => (
  <>
    <CopyCommand />
    <Button kind="primary" onClick={send}>
      Send
    </Button>
  </>
);

/** The called agent and method, and the dialect and binding. */
function Target(): JSX.Element {
  const list = agents.value ?? [];
  const { protocol, binding, name, operation } = callable.value;
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
        label="Dialect"
        value={protocol.name}
        options={protocols.value.map((one) => ({
          value: one.name,
          label: 'card' in one ? one.name : `${one.name} (service)`,
        }))}
        onChange={(dialect) => choose({ dialect, operation: operation.name, method: undefined })}
      />
      <Select
        label="Binding"
        value={binding}
        options={bindingsOf(protocol).map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(next) => choose({ binding: next, operation: operation.name, method: undefined })}
      />
      <Select
        label="Method"
        value={name}
        options={callablesOf(protocol, binding).map((one) => ({
          value: one.name,
          label: one.name === one.operation.name ? one.name : `${one.name} (${one.operation.name})`,
        }))}
        onChange={(method) => choose({ method, operation: undefined })}
      />
    </div>
  );
}

/** Usual next operations for a task. */
const followUps = ['SendMessage', 'SendStreamingMessage', 'GetTask', 'SubscribeToTask', 'CancelTask', 'ListTasks'];

/** The task that one call passes to the next, whatever the next one's dialect. */
function ConversationBar(): JSX.Element | null {
  const { taskId, contextId, state } = conversation.value;
  if (taskId === undefined && contextId === undefined) return null;
  const id = taskId !== undefined && <Text value={taskId} mono />;
  const methods = 'card' in callable.value.protocol ? followUps.flatMap((name) => methodOf(name) ?? []) : [];
  return (
    <section class="bench-bar" aria-label="Conversation">
      <div class="row">
        {taskId !== undefined && (
          <span class="bench-id">
            Task {looksGenerated(taskId) ? <a href={hrefOf('tasks', [taskId])}>{id}</a> : id}
            <Copy value={taskId} label="Copy the id of the task" />
          </span>
        )}
        {state !== undefined && <Badge state={state} />}
        {contextId !== undefined && <a href={hrefOf('tasks', [], { context: contextId })}>Context</a>}
        {state !== undefined && isTerminal(state) && <span class="muted">The next message begins another task.</span>}
      </div>
      <div class="row">
        {methods.map(({ operation, name }) => (
          <Button
            key={name}
            kind="quiet"
            pressed={callable.value.operation === operation}
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
