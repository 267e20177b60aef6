import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { parsedJson } from '../../../../core/model/json.ts';
import type { RecordedAttempt, RecordedCall, WireExchange } from '../../gateway/admin.ts';
import { gatewayUrl } from '../../gateway/raw.ts';
import { download } from '../../tasks/file-part.tsx';
import { count, duration } from '../../ui/format.ts';
import { Button, Code, Copy, Notice, Text } from '../../ui/index.ts';
import { Marked } from '../bench/translation/marked.tsx';
import { marksOf } from '../bench/translation/marks.ts';
import { curlOf, textOf } from './frames.ts';

/** Paths of fields that a conversion dropped, by the dialect that could not carry them. */
type Losses = readonly (readonly [dialect: string | undefined, paths: readonly string[] | undefined])[];

/** A call on the wire: the client's request and response, their forms in A2A 1.0, and the attempts to call an agent. */
export function Wire({ record }: { readonly record: RecordedCall }): JSX.Element {
  const { client, dialect, request = '', reply = '', events = [], eventCount = 0, attempts = [] } = record;
  const { moreAttempts = 0 } = record;
  const ofAgents: Losses = attempts.map((attempt) => [attempt.dialect, attempt.losses]);
  const atAgents = new Set(attempts.flatMap(({ losses = [] }) => losses));
  const ofReply: Losses = [[dialect, record.replyLosses?.filter((path) => !atAgents.has(path))]];
  const save = (): void => download([JSON.stringify(record, undefined, 2)], 'recorded-call.json');
  return (
    <>
      <div class="row">
        <Button onClick={save}>Save the record</Button>
      </div>
      <div class="wire">
        <section class="stack" aria-label="Client">
          <h2>Client</h2>
          {client ? (
            <Exchange exchange={client} name="client" urlOf={gatewayUrl} />
          ) : (
            <p class="muted">An agent of the gateway made this call: there are no frames.</p>
          )}
        </section>
        <section class="stack" aria-label="A2A 1.0">
          <h2>A2A 1.0</h2>
          <Canonical name="Request" text={request} losses={[[dialect, record.requestLosses], ...ofAgents]} />
          {events.length > 0 && (
            <Canonical
              name={`Events (the first ${count(events.length)} of ${count(eventCount)})`}
              text={`[${events.join(',')}]`}
              losses={ofReply}
            />
          )}
          <Canonical name="Answer" text={reply} losses={ofReply} />
        </section>
        <section class="stack" aria-label="Agent">
          <h2>Agent</h2>
          {attempts.length === 0 && <p class="muted">No agent was called over the network.</p>}
          {attempts.map((attempt, at) => (
            <Attempt key={attempt.time} attempt={attempt} at={at + 1} />
          ))}
          {moreAttempts > 0 && <p class="muted">{count(moreAttempts)} further attempts were left out.</p>}
        </section>
      </div>
    </>
  );
}

/** A request or an answer in A2A 1.0, with losses at their places. */
function Canonical(props: {
  readonly name: string;
  readonly text: string;
  readonly losses: Losses;
}): JSX.Element | null {
  const { name, text, losses } = props;
  const read = useMemo(() => {
    const frame = parsedJson(text);
    if (typeof frame !== 'object' || frame === null) return undefined;
    // Paths begin at the task or the message of an answer.
    const [whole = '', ...others] = Object.keys(frame);
    const isNamed = losses.some(([, paths]) => paths?.some((path) => path.startsWith(whole)));
    const start = Array.isArray(frame) || others.length > 0 || isNamed ? '' : `${whole}.`;
    const perDialect = losses.map(([dialect = '', paths = []]) => ({
      dialect,
      losses: paths.map((path) => ({ path: start + path, reason: 'it was dropped in this call', missed: true })),
    }));
    return { frame, marks: marksOf(frame, perDialect) };
  }, [text]);
  if (text === '') return null;
  return (
    <>
      <h3>{name}</h3>
      {read ? <Marked {...read} label={`${name} in A2A 1.0`} /> : <Code value={text} label={name} max={6_000} />}
    </>
  );
}

interface ExchangeProps {
  readonly exchange: WireExchange;
  /** Name of the gateway's peer. */
  readonly name: string;
  readonly urlOf: (path: string) => string;
}

/** A request and its answer, as texts. */
function Exchange({ exchange: { request, answer }, name, urlOf }: ExchangeProps): JSX.Element {
  const curl = curlOf(request, urlOf);
  return (
    <>
      {curl !== undefined && <Copy value={curl} label="Copy as curl" text />}
      {request?.head && <Code label={`request of ${name}`} value={textOf(request)} max={6_000} />}
      {answer?.head ? (
        <Code label={`answer of ${name}`} value={textOf(answer)} max={6_000} />
      ) : (
        <p class="muted">There was no answer.</p>
      )}
    </>
  );
}

/** An attempt to call an agent. */
function Attempt({ attempt, at }: { readonly attempt: RecordedAttempt; readonly at: number }): JSX.Element {
  const { agent = '', operation, dialect, binding, url = '', durationMs, error, reason = '', exchanges = [] } = attempt;
  const took = durationMs === undefined ? 'goes on' : duration(Number(durationMs));
  const urlOf = (path: string): string => (URL.canParse(url) ? new URL(url).origin : '') + path;
  return (
    <>
      <h3>
        Attempt {at}: <Text value={agent} max={80} />
      </h3>
      <p class="muted">
        <Text value={[operation, dialect, binding, url, took].filter(Boolean).join(' · ')} max={300} />
      </p>
      {error && (
        <Notice severity="error">
          {error}: <Text value={reason} multiline />
        </Notice>
      )}
      {exchanges.map((exchange, index) => (
        <Exchange key={index} exchange={exchange} name={`attempt ${at}.${index + 1}`} urlOf={urlOf} />
      ))}
    </>
  );
}
