import { type CallContext, type CallSemantics, defaultSemantics, maxHops, type Replay } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { Principal } from '../../core/model/principal.ts';
import { readTrace } from '../../core/telemetry/trace-context.ts';

/** What every binding reads from the head of a call, be it HTTP headers or gRPC metadata. */

/** A request's headers, or gRPC's metadata. */
export interface CallHead {
  /** By name in lower case; several values joined by commas. */
  header(name: string): string | undefined;
}

const none: readonly string[] = [];

/** The caller's own request id where it has a usable one, or a new one. */
export function requestIdOf(head: CallHead): string {
  const given = head.header('x-request-id');
  return given !== undefined && /^[\w.~:-]{1,128}$/.test(given) ? given : newId();
}

/** Throws A2AError `invalidRequest` when the call has passed too many gateways. */
export function hopsOf(head: CallHead): number {
  const given = head.header('a2a-hops');
  if (given === undefined) return 0;
  const hops = Number(given);
  if (!Number.isInteger(hops) || hops < 0) return 0;
  if (hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  return hops;
}

/** URIs under the header's v1 name and under that of 0.3. */
function extensionsOf(head: CallHead): readonly string[] {
  const now = head.header('a2a-extensions');
  const before = head.header('x-a2a-extensions');
  if (now === undefined && before === undefined) return none;
  const uris = `${now ?? ''},${before ?? ''}`.split(',').map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/** Where a stream begins: after the event that the caller had last, else as its method implies. */
function replayOf(head: CallHead, fromMethod: Replay | undefined): Replay | undefined {
  // A method that answers with the task as it stands has nothing to resume.
  if (fromMethod === 'snapshot') return fromMethod;
  const id = head.header('last-event-id');
  if (id === undefined || !/^\d{1,15}$/.test(id)) return fromMethod;
  const after = Number(id);
  // 0 is no event's position: nothing has arrived yet.
  return after === 0 && fromMethod !== undefined ? fromMethod : { after };
}

type HeadFacts = Pick<
  CallContext,
  'credentials' | 'extensions' | 'hops' | 'idempotencyKey' | 'semantics' | 'replay' | 'traceparent' | 'tracestate'
>;

/**
 * The part of a call's context that its head says.
 *
 * @param semantics by the method
 * @param streaming whether the method streams, so that `Last-Event-ID` counts
 * @param caller whose own credentials for the gateway are passed on to nobody
 * @throws A2AError `invalidRequest` when the call has passed too many gateways
 */
export function contextFromHead(
  head: CallHead,
  semantics: CallSemantics | undefined,
  streaming: boolean,
  { ownCredential }: Pick<Principal, 'ownCredential'>,
): HeadFacts {
  const facts: { -readonly [K in keyof HeadFacts]: HeadFacts[K] } = {
    extensions: extensionsOf(head),
    hops: hopsOf(head),
    semantics: semantics ?? defaultSemantics,
  };
  const idempotencyKey = head.header('idempotency-key');
  const traceparent = head.header('traceparent');
  const from = streaming ? replayOf(head, semantics?.replay) : semantics?.replay;
  if (idempotencyKey !== undefined) facts.idempotencyKey = idempotencyKey;
  if (traceparent !== undefined) Object.assign(facts, readTrace(traceparent, head.header('tracestate')));
  if (from !== undefined) facts.replay = from;
  const authorization = ownCredential === 'authorization' ? undefined : head.header('authorization');
  const apiKey = ownCredential === 'apiKey' ? undefined : head.header('x-api-key');
  if (authorization !== undefined || apiKey !== undefined) {
    facts.credentials = () => ({
      ...(authorization !== undefined && { authorization }),
      ...(apiKey !== undefined && { apiKey }),
    });
  }
  return facts;
}

/** What may stand in a list in a header: visible ASCII without the comma that separates. */
const headerSafe = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Values as a header carries them, separated by commas, as many as fit into `max` bytes. '' when there are none. */
export function listHeader(values: ReadonlySet<string>, max: number): string {
  let text = '';
  for (const value of values) {
    if (!headerSafe.test(value) || text.length + value.length + 2 > max) continue;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** Bytes of `A2A-Gateway-Loss`, and of `A2A-Extensions`, at most. */
export const headerLimits = { losses: 1_024, extensions: 4_096 } as const;
