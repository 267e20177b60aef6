import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { A2AError } from '../../../../../core/model/errors.ts';
import { signingIn } from '../../../shell/session.ts';
import { describeEvent } from '../../../tasks/describe.ts';
import { bytes, count, duration } from '../../../ui/format.ts';
import {
  Badge,
  Button,
  Code,
  Empty,
  Failure,
  Json,
  Notice,
  type Severity,
  Text,
  VirtualList,
} from '../../../ui/index.ts';
import type { Answer, TimedFrame } from '../../../wire/exchange.ts';
import { explain } from '../../../wire/explain.ts';
import { availableOf, type CallRecord, replay, resume, reuse } from './state.ts';

/** The answer of a call: what it means in A2A 1.x, and the frames as they came. */
export function AnswerPane({ call }: { readonly call: CallRecord | undefined }): JSX.Element {
  return (
    <section class="try-answer" aria-label="Answer">
      <h2>Answer</h2>
      {call ? (
        <Shown key={call.id} call={call} />
      ) : (
        <Empty title="Nothing was sent yet">The answer appears here, with every frame as it comes.</Empty>
      )}
    </section>
  );
}

function Shown({ call }: { readonly call: CallRecord }): JSX.Element {
  const answer = call.answer.value;
  return (
    <>
      <Status call={call} answer={answer} />
      {answer.error && <Explained error={answer.error} />}
      <Failure error={answer.problem} />
      <Losses title="Dropped from the request" paths={call.lost} />
      <Losses title="Dropped from the answer" paths={answer.losses} />
      {answer.frames && call.callable.streaming ? (
        <Frames frames={answer.frames} dropped={answer.dropped} open={answer.phase === 'open'} />
      ) : (
        <Whole answer={answer} />
      )}
      {answer.status !== undefined && <Headers answer={answer} />}
    </>
  );
}

/** HTTP statuses by their first digit. */
const severityOfStatus = (status: number): Severity => (status < 300 ? 'ok' : status < 500 ? 'warning' : 'error');

function Status({ call, answer }: { readonly call: CallRecord; readonly answer: Answer }): JSX.Element {
  const { phase, status, frames, ms, error, lastEventId } = answer;
  const { protocol, binding, name } = call.callable;
  const running = phase === 'waiting' || phase === 'open';
  const failed = error !== undefined || answer.problem !== undefined;
  const isCut = phase === 'stopped' || (phase === 'done' && answer.problem !== undefined);
  const resumable = isCut && lastEventId !== undefined && availableOf(['SubscribeToTask']).length > 0;
  const said = {
    waiting: 'Waiting',
    open: frames ? 'Streaming' : 'Receiving',
    stopped: 'Stopped',
    done: failed ? 'Failed' : 'Done',
  }[phase];
  return (
    <div class="try-status">
      <div class="row" role="status">
        <Badge state={said} severity={running ? 'active' : phase === 'stopped' ? 'idle' : failed ? 'error' : 'ok'} />
        {status !== undefined && <span class={`badge badge-${severityOfStatus(status)}`}>HTTP {status}</span>}
        {ms !== undefined && <span class="number">{duration(ms)}</span>}
        {frames && call.callable.streaming && (
          <span class="number">{count(frames.length + answer.dropped)} frames</span>
        )}
        {answer.body !== undefined && <span class="number">{bytes(answer.body.length)}</span>}
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
        {resumable && <Button onClick={() => resume(call)}>Resume after {lastEventId}</Button>}
        {!running && (
          <Button onClick={() => replay(call)} icon="reload">
            Send again
          </Button>
        )}
        <Button onClick={() => reuse(call)}>Edit the frame</Button>
      </div>
    </div>
  );
}

function Explained({ error }: { readonly error: A2AError }): JSX.Element {
  const { reason, message, hint, codes, fields, metadata } = explain(error);
  const refused = reason === 'UNAUTHENTICATED' || reason === 'PERMISSION_DENIED';
  return (
    <Notice severity="error" action={refused && <Button onClick={() => (signingIn.value = true)}>Sign in</Button>}>
      <p>
        <strong class="mono">{reason}</strong> <Text value={message} multiline />
      </p>
      {hint !== undefined && <p>{hint}</p>}
      {fields.length > 0 && (
        <ul class="try-violations">
          {fields.map(({ field, description }) => (
            <li key={`${field} ${description}`}>
              <Text value={field} mono />: <Text value={description} />
            </li>
          ))}
        </ul>
      )}
      {metadata.length > 0 && (
        <p>
          {metadata.map(([name, value]) => (
            <span key={name} class="try-pair">
              <Text value={name} mono /> = <Text value={value} mono />
            </span>
          ))}
        </p>
      )}
      <p class="muted">In A2A 1.0: {codes}</p>
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

/** Two views of the same beside each other. */
function Pair({ meaning, raw }: { readonly meaning: ComponentChildren; readonly raw: ComponentChildren }): JSX.Element {
  return (
    <div class="try-pairs">
      <div>
        <h3>In A2A 1.x</h3>
        {meaning}
      </div>
      <div>
        <h3>As it came</h3>
        {raw}
      </div>
    </div>
  );
}

function Whole({ answer }: { readonly answer: Answer }): JSX.Element | null {
  const { value, body, frames, phase } = answer;
  const raw = body ?? frames?.map((frame) => frame.raw).join('\n\n');
  if (raw === undefined) return null;
  const meaning =
    value === undefined ? (
      <p class="muted">{phase === 'done' ? 'The answer has no value.' : 'The answer is not complete.'}</p>
    ) : (
      <Json label="Answer in A2A 1.x" value={value} depth={4} />
    );
  return (
    <Pair
      meaning={meaning}
      raw={raw === '' ? <p class="muted">The body is empty.</p> : <Code label="Answer as it came" value={raw} />}
    />
  );
}

/** The frames of a stream; one of them in full. The latest one is, until the user chooses another. */
function Frames({
  frames,
  dropped,
  open,
}: {
  readonly frames: readonly TimedFrame[];
  readonly dropped: number;
  readonly open: boolean;
}): JSX.Element {
  const chosen = useSignal<number | undefined>(undefined);
  const at = Math.min(
    frames.length - 1,
    chosen.value === undefined ? frames.length - 1 : Math.max(0, chosen.value - dropped),
  );
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
  if (!frame) return <p class="muted">{open ? 'No frame has come yet.' : 'The stream ended without a frame.'}</p>;
  const [first] = frame.events;
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
      {chosen.value !== undefined && at < frames.length - 1 && (
        <div>
          <Button kind="quiet" onClick={() => (chosen.value = undefined)}>
            Show the latest frame
          </Button>
        </div>
      )}
      <Pair
        meaning={
          <>
            <Failure error={frame.problem} />
            {first === undefined ? (
              <p class="muted">This frame has no event of its own.</p>
            ) : (
              <Json label="Frame in A2A 1.x" value={frame.events.length === 1 ? first : frame.events} depth={6} />
            )}
          </>
        }
        raw={frame.raw === '' ? <p class="muted">Nothing.</p> : <Code label="Frame as it came" value={frame.raw} />}
      />
    </>
  );
}

interface RowProps {
  readonly frame: TimedFrame;
  readonly current: boolean;
  readonly onClick: () => void;
}

function Row({ frame, current, onClick }: RowProps): JSX.Element {
  const [event] = frame.events;
  const line = event && describeEvent(event);
  const title = frame.problem === undefined ? (line?.title ?? frame.event ?? '') : 'unreadable';
  return (
    <button type="button" class="try-frame" aria-current={current ? 'true' : undefined} onClick={onClick}>
      <span class="number muted">{duration(frame.at)}</span>
      <span class="number muted">{frame.id ?? ''}</span>
      <Text value={title} max={80} class="try-frame-text" />
      <Text value={frame.problem ?? line?.text ?? ''} max={200} class="try-frame-text" />
    </button>
  );
}

function Headers({ answer }: { readonly answer: Answer }): JSX.Element {
  return (
    <details>
      <summary>Headers ({answer.headers.length})</summary>
      <dl class="try-headers">
        {answer.headers.map(([name, value]) => (
          <div key={name}>
            <dt>
              <Text value={name} mono />
            </dt>
            <dd>
              <Text value={value} mono />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
