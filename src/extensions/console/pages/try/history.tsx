import type { JSX } from 'preact';
import { duration } from '../../ui/format.ts';
import { Button, Empty, Time } from '../../ui/index.ts';
import { bindings } from '../../wire/callables.ts';
import { type CallRecord, calls, forgetCalls, replay, shown } from './state.ts';

/** The calls of this tab. */
export function History(): JSX.Element {
  const list = calls.value;
  return (
    <section aria-label="Calls of this tab">
      <div class="section-title">
        <h2>Calls</h2>
        <span class="muted">kept in this tab only</span>
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
  const { at, agent, protocol, binding, name, status, ms, failed } = call.kept.value;
  const phase = call.answer.value?.phase;
  const state = phase === 'waiting' || phase === 'open' ? 'running' : (failed ?? 'ok');
  const title = bindings.find(({ id }) => id === binding)?.title ?? binding;
  return (
    <li aria-current={shown.value === call.id ? 'true' : undefined}>
      <button type="button" class="try-call" onClick={() => (shown.value = call.id)}>
        <code>{name}</code>
        <span class="muted">
          {protocol} · {title} · {agent}
        </span>
      </button>
      <span class={`badge badge-${state === 'running' ? 'active' : failed ? 'error' : 'ok'}`}>
        {state === 'ok' && status !== undefined ? `HTTP ${status}` : state}
      </span>
      <span class="number muted">{ms === undefined ? '' : duration(ms)}</span>
      <span class="muted try-call-time">
        <Time at={at} />
      </span>
      <Button
        kind="quiet"
        icon="reload"
        label={`Send ${name} again`}
        onClick={() => replay(call)}
        disabled={!call.callable}
      />
    </li>
  );
}
