import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamResponse } from '../../../../../core/model/a2a.ts';
import type { A2AError } from '../../../../../core/model/errors.ts';
import { signingIn } from '../../../shell/session.ts';
import { describeEvent } from '../../../tasks/describe.ts';
import { bytes, count, duration } from '../../../ui/format.ts';
import {
  Badge,
  Button,
  Code,
  Empty,
  Facts,
  Failure,
  Json,
  Notice,
  type Severity,
  Text,
  VirtualList,
} from '../../../ui/index.ts';
import type { Answer, TimedFrame } from '../../../wire/exchange.ts';
import { hints } from '../../../wire/explain.ts';
import { type CallRecord, calls, isRunning, reuse } from './state.ts';

/** The answers of the latest call, and of calls in progress: their meaning in A2A 1.x, and the received frames. */
export const Answers = (): JSX.Element => (
  <section class="try-answer" aria-label="Answer">
    <h2>Answer</h2>
    {calls.value.length === 0 && (
      <Empty title="Nothing was sent yet">The answer appears here, with every frame as it comes.</Empty>
    )}
    {calls.value.map((call) => (
      <AnswerView key={call.id} call={call} />
    ))}
  </section>
);

function AnswerView({ call }: { readonly call: CallRecord }): JSX.Element {
  const answer = call.answer.value;
  const { status, headers, error } = answer;
  return (
    <article class="stack" aria-label={`Answer to ${call.callable.name}`}>
      <Status call={call} answer={answer} />
      {error && <Explained error={error} />}
      <Failure error={answer.problem} />
      <Losses title="Dropped from the request" paths={call.lost} />
      <Losses title="Dropped from the answer" paths={answer.losses} />
      {call.callable.streaming ? <Stream answer={answer} /> : <Whole answer={answer} />}
      {status !== undefined && (
        <details>
          <summary>Headers ({headers.length})</summary>
          <Facts
            kind="try-headers"
            facts={headers.map(([name, value]) => [name, <Text key={name} value={value} mono />])}
          />
        </details>
      )}
    </article>
  );
}

/** Returns the severity of an HTTP status by its first digit. */
const severityOfStatus = (status: number): Severity => (status < 300 ? 'ok' : status < 500 ? 'warning' : 'error');

function Status({ call, answer }: { readonly call: CallRecord; readonly answer: Answer }): JSX.Element {
  const { phase, status, frames, dropped, ms } = answer;
  const { protocol, binding, name, streaming } = call.callable;
  const running = isRunning(answer);
  const failed = answer.error !== undefined || answer.problem !== undefined;
  const [label, severity] = {
    waiting: ['Waiting', 'active'] as const,
    open: [streaming ? 'Streaming' : 'Receiving', 'active'] as const,
    stopped: ['Stopped', 'idle'] as const,
    done: failed ? (['Failed', 'error'] as const) : (['Done', 'ok'] as const),
  }[phase];
  const size = frames.reduce((sum, { raw }) => sum + raw.length, 0);
  return (
    <div class="try-status">
      <div class="row" role="status">
        <Badge state={label} severity={severity} />
        {status !== undefined && <span class={`badge badge-${severityOfStatus(status)}`}>HTTP {status}</span>}
        {ms !== undefined && <span class="number">{duration(ms)}</span>}
        {status !== undefined && (
          <span class="number">{streaming ? `${count(frames.length + dropped)} frames` : bytes(size)}</span>
        )}
      </div>
      <div class="row try-what muted">
        <code>{name}</code>
        <span>
          {protocol.name} over {binding}, agent {call.agent}
        </span>
      </div>
      <div class="row">
        {running && (
          <Button kind="danger" onClick={call.stop}>
            Stop
          </Button>
        )}
        <Button onClick={() => reuse(call)}>Edit the frame</Button>
      </div>
    </div>
  );
}

function Explained({ error }: { readonly error: A2AError }): JSX.Element {
  const { kind, message, violations, metadata, row } = error;
  const { reason, jsonrpc, http, grpc } = row;
  const refused = reason === 'UNAUTHENTICATED' || reason === 'PERMISSION_DENIED';
  return (
    <Notice severity="error" action={refused && <Button onClick={() => (signingIn.value = true)}>Sign in</Button>}>
      <p>
        <strong class="mono">{reason}</strong> <Text value={message} multiline />
      </p>
      {hints[kind] && <p>{hints[kind]}</p>}
      {violations.length > 0 && (
        <ul class="try-violations">
          {violations.map(({ field, description }) => (
            <li key={`${field} ${description}`}>
              <Text value={field} mono />: <Text value={description} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <Paths paths={Object.entries(metadata).map((pair) => pair.join(' = '))} />
      </p>
      <p class="muted">
        In A2A 1.0: JSON-RPC {jsonrpc}, HTTP {http}, gRPC {grpc}
      </p>
    </Notice>
  );
}

function Losses({ title, paths }: { readonly title: string; readonly paths: readonly string[] }): JSX.Element | null {
  if (paths.length === 0) return null;
  return (
    <Notice severity="warning">
      {title}, since the dialect has no place for it: <Paths paths={paths} />
    </Notice>
  );
}

/** Paths of fields, one after the other. */
export const Paths = ({ paths }: { readonly paths: readonly string[] }) =>
  paths.map((path) => <Text key={path} value={path} mono class="try-pair" />);

/** The meaning of a frame, and next to it the frame as received. */
function Pair({ of, none }: { readonly of: Omit<TimedFrame, 'at'>; readonly none: string }): JSX.Element {
  const { values, raw, problem } = of;
  return (
    <div class="try-pairs">
      <div>
        <h3>In A2A 1.x</h3>
        <Failure error={problem} />
        {values.length === 0 ? (
          <p class="muted">{none}</p>
        ) : (
          <Json label="Frame in A2A 1.x" value={values.length === 1 ? values[0] : values} depth={6} />
        )}
      </div>
      <div>
        <h3>As it came</h3>
        {raw === '' ? <p class="muted">Nothing.</p> : <Code label="Frame as it came" value={raw} />}
      </div>
    </div>
  );
}

/** An answer that is not a stream. Over gRPC-Web, it has a frame at its end. */
function Whole({ answer: { frames, phase } }: { readonly answer: Answer }): JSX.Element | null {
  const [first] = frames;
  if (!first) return null;
  const raw = frames.map((frame) => frame.raw).join('\n\n');
  const none = phase === 'open' ? 'The answer is not complete.' : 'The answer has no value.';
  return <Pair of={{ ...first, raw }} none={none} />;
}

/** The frames of a stream; one of them in full: the latest, until the user chooses another. */
function Stream({ answer: { frames, dropped, phase } }: { readonly answer: Answer }): JSX.Element {
  const chosen = useSignal<number | undefined>(undefined);
  const latest = frames.length - 1;
  const at = Math.min(latest, Math.max(0, (chosen.value ?? Number.POSITIVE_INFINITY) - dropped));
  const frame = frames[at];
  const box = useRef<HTMLDivElement>(null);
  // The latest frame stays in sight until the user chooses one.
  useEffect(() => {
    const list = box.current?.querySelector('.virtual');
    if (list && chosen.peek() === undefined) list.scrollTop = list.scrollHeight;
  }, [frames.length]);
  const row = (index: number): JSX.Element => (
    <Row frame={frames[index] as TimedFrame} current={index === at} onClick={() => (chosen.value = index + dropped)} />
  );
  if (!frame)
    return <p class="muted">{phase === 'open' ? 'No frame has come yet.' : 'The stream ended without a frame.'}</p>;
  return (
    <>
      {dropped > 0 && <p class="muted">The first {count(dropped)} frames are not kept.</p>}
      <div ref={box}>
        <VirtualList
          label="Frames"
          count={frames.length}
          rowHeight={30}
          maxHeight="274px"
          rowKey={(index) => index + dropped}
          row={row}
        />
      </div>
      {chosen.value !== undefined && at < latest && (
        <div>
          <Button kind="quiet" onClick={() => (chosen.value = undefined)}>
            Show the latest frame
          </Button>
        </div>
      )}
      <Pair of={frame} none="This frame has no event of its own." />
    </>
  );
}

interface RowProps {
  readonly frame: TimedFrame;
  readonly current: boolean;
  readonly onClick: () => void;
}

function Row({ frame: { values, problem, event, at, id }, current, onClick }: RowProps): JSX.Element {
  const line = values.length > 0 ? describeEvent(values[0] as StreamResponse) : undefined;
  const title = problem === undefined ? (line?.title ?? event ?? '') : 'unreadable';
  return (
    <button type="button" class="try-frame" aria-current={current ? 'true' : undefined} onClick={onClick}>
      <span class="number muted">{duration(at)}</span>
      <span class="number muted">{id ?? ''}</span>
      <Text value={title} max={80} class="try-frame-text" />
      <Text value={problem ?? line?.text ?? ''} max={200} class="try-frame-text" />
    </button>
  );
}
