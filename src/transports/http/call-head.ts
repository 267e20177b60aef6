import type { CountLimits } from '../../core/limits/counts.ts';
import type { Reservation } from '../../core/limits/memory-budget.ts';
import {
  type BindingKind,
  type CallContext,
  type CallSemantics,
  defaultSemantics,
  maxHops,
  type PeerSoftware,
  pathHeader,
  type Replay,
  type ReplyNotes,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { Principal, ShownCredentials } from '../../core/model/principal.ts';
import { readTrace } from '../../core/telemetry/trace-context.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { MessageReading } from '../../wire/counts.ts';

/** Head of a call, for every binding: HTTP headers or gRPC metadata. */
export interface CallHead {
  /** Returns a header by its name in lower case. Several values are joined by commas. */
  header(name: string): string | undefined;
  /** Memory for the call's request and its answer. Absent: nothing is counted. */
  readonly reservation?: Reservation | undefined;
}

const none: readonly string[] = [];

/** The caller's request id if it is usable; otherwise a new one. */
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

/** The URIs in the headers of v1 and 0.3. */
function extensionsOf(head: CallHead): readonly string[] {
  const v1 = head.header('a2a-extensions');
  const v03 = head.header('x-a2a-extensions');
  if (v1 === undefined && v03 === undefined) return none;
  const uris = `${v1 ?? ''},${v03 ?? ''}`.split(',').map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/** Returns the start of a stream: after the caller's last event, otherwise by its method. */
function replayOf(head: CallHead, fromMethod: Replay | undefined): Replay | undefined {
  // Snapshots have nothing to resume.
  if (fromMethod === 'snapshot') return fromMethod;
  const id = head.header('last-event-id');
  if (id === undefined || !/^\d{1,15}$/.test(id)) return fromMethod;
  const after = Number(id);
  // 0 is not the position of an event: nothing has arrived yet.
  return after === 0 && fromMethod !== undefined ? fromMethod : { after };
}

/** Returns how the messages of a call are read, within limits of bytes and counts. */
export const readingOf = (
  { reservation }: CallHead,
  { body: limit, counts }: { readonly body: number; readonly counts?: CountLimits | undefined },
): MessageReading => ({ limit, counts, reservation });

/** The part of a call's context that its head does not contain. */
export interface CallFacts extends Pick<CallContext, 'requestId' | 'agent' | 'tenant' | 'principal' | 'notes'> {
  readonly binding: BindingKind;
  readonly dialect: WireProtocol;
  /** Semantics of the method. */
  readonly semantics?: CallSemantics | undefined;
  /** Whether the method streams, in which case `Last-Event-ID` is read. */
  readonly streaming: boolean;
  readonly deadline?: number | undefined;
}

/** The context of a call from outside. A class, since assigning to one shape costs less than a copy of an object. */
class IncomingContext implements CallContext {
  readonly requestId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly principal: Principal;
  readonly dialect: string;
  readonly binding: BindingKind;
  readonly notes: ReplyNotes;
  declare readonly reservation?: Reservation;
  readonly extensions: readonly string[];
  readonly hops: number;
  readonly semantics: CallSemantics;
  declare deadline?: number;
  declare idempotencyKey?: string;
  declare traceparent?: string;
  declare tracestate?: string;
  declare replay?: Replay;
  declare path?: string;
  declare credentials?: () => ShownCredentials;
  readonly #createSignal: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(head: CallHead, facts: CallFacts, createSignal: () => AbortSignal) {
    this.requestId = facts.requestId;
    const { ofGateway = false } = facts.dialect;
    this.agent = ofGateway ? '' : facts.agent;
    this.tenant = ofGateway ? '' : facts.tenant;
    this.principal = facts.principal;
    this.dialect = facts.dialect.name;
    this.binding = facts.binding;
    this.notes = facts.notes;
    if (head.reservation) this.reservation = head.reservation;
    this.extensions = extensionsOf(head);
    this.hops = hopsOf(head);
    this.semantics = facts.semantics ?? defaultSemantics;
    this.#createSignal = createSignal;
  }

  /** The signal of the call. Created at the first access, because most calls end before. */
  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal();
    return this.#signal;
  }
}

/**
 * The context of a call. The caller's credentials for the gateway itself are not part of it.
 *
 * @param signal creates the call's signal on demand
 * @throws A2AError `invalidRequest` when the call has passed too many gateways
 */
export function createContext(head: CallHead, facts: CallFacts, signal: () => AbortSignal): CallContext {
  const { principal, semantics, deadline } = facts;
  const context = new IncomingContext(head, facts, signal);
  const idempotencyKey = head.header('idempotency-key');
  const traceparent = head.header('traceparent');
  const replay = facts.streaming ? replayOf(head, semantics?.replay) : semantics?.replay;
  if (deadline !== undefined) context.deadline = deadline;
  if (idempotencyKey !== undefined) context.idempotencyKey = idempotencyKey;
  if (traceparent !== undefined) Object.assign(context, readTrace(traceparent, head.header('tracestate')));
  if (replay !== undefined) context.replay = replay;
  const path = head.header(pathHeader);
  if (path !== undefined) context.path = path;
  const { ownCredential } = principal;
  const authorization = ownCredential === 'authorization' ? undefined : head.header('authorization');
  const apiKey = ownCredential === 'apiKey' ? undefined : head.header('x-api-key');
  if (authorization !== undefined || apiKey !== undefined) {
    context.credentials = () => ({
      ...(authorization !== undefined && { authorization }),
      ...(apiKey !== undefined && { apiKey }),
    });
  }
  return context;
}

/** The notes of a call, with the caller's software if the dialect treats some software specially. */
export const newNotes = (dialect?: WireProtocol, software?: PeerSoftware): ReplyNotes => ({
  extensions: new Set(),
  losses: new Set(),
  ...(dialect?.software && software && { peerSoftware: software }),
});

/** Values that can be in a list in a header: visible ASCII without commas. */
const listable = /^[\x21-\x2b\x2d-\x7e]+$/;

/** Values as a list in a header of at most `max` bytes; further values are left out. '' when there are none. */
function listHeader(values: ReadonlySet<string>, max: number): string {
  let text = '';
  for (const value of values) {
    if (!listable.test(value) || text.length + value.length + 2 > max) continue;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** Returns the value of `A2A-Extensions` of all bindings except gRPC; '' if no extension took part. */
export const extensionList = ({ extensions }: Pick<ReplyNotes, 'extensions'>): string => listHeader(extensions, 4_096);

/** Returns the value of `A2A-Gateway-Loss`, as a header or a trailer; '' if nothing was dropped. */
export const lossList = (notes: Pick<ReplyNotes, 'losses'> | undefined): string =>
  notes ? listHeader(notes.losses, 1_024) : '';
